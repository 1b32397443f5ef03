// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package gate

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	decisions = prometheus.NewDesc("banyan_gate_decisions_total", "Writes that the gate decided on, by result.", []string{"result"}, nil)
	timedOut  = prometheus.NewDesc("banyan_gate_write_timeouts_total", "Writes that were cut off at their bound.", nil, nil)
	unknown   = prometheus.NewDesc("banyan_gate_unanswered_writes_total", "Writes that ended here before the API server said what became of them; each holds up the drain of its shard.", nil, nil)
	inFlight  = prometheus.NewDesc("banyan_gate_inflight_writes", "Writes that have begun and not ended.", nil, nil)
)

// Describe and Collect make a Gate a prometheus.Collector.
func (g *Gate) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(g, ch) }

// Collect reports the decisions.
func (g *Gate) Collect(ch chan<- prometheus.Metric) {
	for _, c := range []struct {
		result string
		count  *atomic.Int64
	}{
		{"allowed", &g.counts.Allowed}, {"not_owner", &g.counts.NotOwner}, {"moving", &g.counts.Moving}, {"suspended", &g.counts.Suspended},
		{"unconditional", &g.counts.Unconditional}, {"ungated", &g.counts.Ungated},
	} {
		ch <- prometheus.MustNewConstMetric(decisions, prometheus.CounterValue, float64(c.count.Load()), c.result)
	}
	ch <- prometheus.MustNewConstMetric(timedOut, prometheus.CounterValue, float64(g.counts.TimedOut.Load()))
	ch <- prometheus.MustNewConstMetric(unknown, prometheus.CounterValue, float64(g.counts.Unanswered.Load()))
	ch <- prometheus.MustNewConstMetric(inFlight, prometheus.GaugeValue, float64(g.InFlight()))
}
