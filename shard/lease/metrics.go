// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/banyan-hns/banyan/shard"
)

// metrics counts what happens in the protocol; what *is*, Collector reads from
// the Status at each scrape.
type metrics struct {
	transitions *prometheus.CounterVec
	heartbeats  *prometheus.CounterVec
	fences      *prometheus.CounterVec
	drain       prometheus.Histogram
	warm        prometheus.Histogram

	mu       sync.Mutex
	draining map[shard.ID]shard.Instant
	warming  map[shard.ID]shard.Instant
	clock    shard.Instant
}

func newMetrics() *metrics {
	phases := func(phase, help string) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "banyan_shard_handover_duration_seconds", Help: help,
			ConstLabels: prometheus.Labels{"phase": phase}, Buckets: prometheus.ExponentialBuckets(0.01, 2, 11),
		})
	}
	const help = "Time that one phase of the move of a shard took on this replica."
	return &metrics{
		transitions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "banyan_shard_transitions_total", Help: "Shards that this replica opened, by how it came to them, and closed (release).",
		}, []string{"reason"}),
		heartbeats: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "banyan_member_heartbeat_total", Help: "Writes of this replica's own heartbeat, by outcome.",
		}, []string{"result"}),
		fences: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "banyan_member_fences_total", Help: "Fences: of other members by this one (fencer), and of this one by others (fenced).",
		}, []string{"role"}),
		drain:    phases("drain", help),
		warm:     phases("warm", help),
		draining: map[shard.ID]shard.Instant{},
		warming:  map[shard.ID]shard.Instant{},
	}
}

var outcomes = map[shard.Outcome]string{shard.Done: "ok", shard.Lost: "conflict", shard.Unknown: "error"}

func (m *metrics) event(event shard.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch e := event.(type) {
	case shard.MemberWritten:
		if e.Put.Record.State != shard.MemberFenced {
			m.heartbeats.WithLabelValues(outcomes[e.Outcome]).Inc()
		} else if e.Outcome == shard.Done {
			m.fences.WithLabelValues("fencer").Inc()
		}
	case shard.Drained:
		observe(m.drain, m.draining, e.ID, m.clock)
	case shard.Warmed:
		observe(m.warm, m.warming, e.ID, m.clock)
	}
}

func (m *metrics) effect(effect shard.Effect, now shard.Instant) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clock = now
	switch e := effect.(type) {
	case shard.Opened:
		m.transitions.WithLabelValues(string(e.Reason)).Inc()
	case shard.Closed:
		m.transitions.WithLabelValues("release").Inc()
	case shard.Fenced:
		m.fences.WithLabelValues("fenced").Inc()
	case shard.Drain:
		m.draining[e.ID] = now
	case shard.Warm:
		m.warming[e.ID] = now
	}
}

func observe(h prometheus.Histogram, began map[shard.ID]shard.Instant, id shard.ID, now shard.Instant) {
	if start, found := began[id]; found {
		h.Observe((now - start).Seconds())
		delete(began, id)
	}
}

// Describe and Collect make a Member a prometheus.Collector.
func (m *Member) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(m, ch) }

// Collect reports who owns what, as this replica sees it.
func (m *Member) Collect(ch chan<- prometheus.Metric) {
	for _, c := range []prometheus.Collector{
		m.metrics.transitions, m.metrics.heartbeats, m.metrics.fences, m.metrics.drain, m.metrics.warm,
	} {
		c.Collect(ch)
	}
	status := m.Status()
	summary := Summarize(status)
	for _, s := range status.Shards {
		label := strconv.Itoa(int(s.ID))
		gauge(ch, descOwned, boolean(s.State == shard.Owned && status.Remain > 0), label)
		gauge(ch, descEpoch, float64(s.Epoch), label)
	}
	gauge(ch, descShardsOwned, float64(summary.Owned))
	gauge(ch, descShardsDesired, float64(summary.Desired))
	gauge(ch, descUnowned, float64(summary.Unowned))
	gauge(ch, descMisplaced, float64(summary.Misplaced))
	gauge(ch, descUnownedMax, summary.OldestUnownedSeconds)
	gauge(ch, descAgreement, boolean(status.Agreed))
	gauge(ch, descRemaining, status.Remain.Seconds())
	states := map[shard.MemberState]int{}
	for _, member := range status.Members {
		states[member.State]++
		gauge(ch, descMember, 1, member.Name, string(member.Holder), member.State.String(), member.RingKey)
	}
	for state := shard.MemberFenced; state <= shard.MemberActive; state++ {
		gauge(ch, descMembers, float64(states[state]), state.String())
	}
}

var (
	descOwned         = desc("banyan_shard_owned", "1 if this replica may write for the shard now.", "shard")
	descEpoch         = desc("banyan_shard_epoch", "How often the shard has changed its holder.", "shard")
	descShardsOwned   = desc("banyan_shards_owned", "Shards that this replica may write for.")
	descShardsDesired = desc("banyan_shards_desired", "Shards that the ring gives to this replica.")
	descUnowned       = desc("banyan_shards_unowned", "Shards that nobody validly holds.")
	descMisplaced     = desc("banyan_shards_misplaced", "Shards that another member holds than the ring says.")
	descUnownedMax    = desc("banyan_shard_unowned_seconds_max", "Longest time that a shard has been without a holder until now.")
	descAgreement     = desc("banyan_ring_agreement", "1 if all active members publish the same ring as this one.")
	descRemaining     = desc("banyan_member_lease_remaining_seconds", "Time until this replica stops to write unless it renews; negative while suspended.")
	descMember        = desc("banyan_member_info", "1 per member, as this replica sees it.", "member", "incarnation", "state", "ring_hash")
	descMembers       = desc("banyan_members", "Members by state.", "state")
)

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

func gauge(ch chan<- prometheus.Metric, d *prometheus.Desc, value float64, labels ...string) {
	ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
