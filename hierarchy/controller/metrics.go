// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// sweeps counts what became of the namespaces that were read again.
type sweeps struct{ noop, changed, failed, promoted atomic.Int64 }

// outcome of a sweep whose plan was made.
func (s *sweeps) outcome(empty bool) {
	if empty {
		s.noop.Add(1)
	} else {
		s.changed.Add(1)
	}
}

var (
	resyncPromotions = prometheus.NewDesc("banyan_resync_promotions_total", "Namespaces that waited behind fresh changes for too long, and became one of them.", nil, nil)
	resyncItems      = prometheus.NewDesc("banyan_resync_items_total", "Namespaces that were read again, by whether they or their configuration had to be written.", []string{"outcome"}, nil)

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
	ch <- prometheus.MustNewConstMetric(resyncPromotions, prometheus.CounterValue, float64(r.sweeps.promoted.Load()))
	ch <- prometheus.MustNewConstMetric(resyncItems, prometheus.CounterValue, float64(r.sweeps.noop.Load()), "noop")
	ch <- prometheus.MustNewConstMetric(resyncItems, prometheus.CounterValue, float64(r.sweeps.changed.Load()), "changed")
	ch <- prometheus.MustNewConstMetric(resyncItems, prometheus.CounterValue, float64(r.sweeps.failed.Load()), "error")
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
