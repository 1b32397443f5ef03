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

var (
	movesUnacknowledged = prometheus.NewDesc("banyan_moves_unacknowledged", "Namespaces that changed their tree and wait for the owner of the old one.", nil, nil)
	movesOldest         = prometheus.NewDesc("banyan_moves_unacknowledged_seconds_max", "Time that the oldest of them has waited, as far as this replica saw it.", nil, nil)
	movesUnstamped      = prometheus.NewDesc("banyan_unstamped_moves_total", "Namespaces that this replica saw in another tree without notice, and left alone for a while.", nil, nil)
)

// Describe and Collect make a Live a prometheus.Collector.
func (l *Live) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(l, ch) }

// Collect reports moves between trees.
func (l *Live) Collect(ch chan<- prometheus.Metric) {
	moves, oldest := l.Unacknowledged()
	ch <- prometheus.MustNewConstMetric(movesUnacknowledged, prometheus.GaugeValue, float64(moves))
	ch <- prometheus.MustNewConstMetric(movesOldest, prometheus.GaugeValue, oldest.Seconds())
	ch <- prometheus.MustNewConstMetric(movesUnstamped, prometheus.CounterValue, float64(l.strayed.Load()))
}
