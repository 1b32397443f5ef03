// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import "github.com/prometheus/client_golang/prometheus"

var (
	resyncPending = prometheus.NewDesc("banyan_resync_pending", "Namespaces of acquired shards that wait to be read again.", nil, nil)
	resyncOldest  = prometheus.NewDesc("banyan_resync_oldest_seconds", "Time that the oldest of them has waited in the queue.", nil, nil)
)

// Describe and Collect make a Resync a prometheus.Collector.
func (r *Resync) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(r, ch) }

// Collect reports the backlog.
func (r *Resync) Collect(ch chan<- prometheus.Metric) {
	pending, oldest := r.backlog()
	ch <- prometheus.MustNewConstMetric(resyncPending, prometheus.GaugeValue, float64(pending))
	ch <- prometheus.MustNewConstMetric(resyncOldest, prometheus.GaugeValue, oldest.Seconds())
}
