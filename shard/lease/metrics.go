// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/banyan-hns/banyan/shard"
)

// metrics counts what happens in the protocol; what *is*, Collect reads from the
// Status at each scrape.
type metrics struct {
	transitions *prometheus.CounterVec
	heartbeats  *prometheus.CounterVec
	heartbeat   prometheus.Histogram
	fences      *prometheus.CounterVec

	mu     sync.Mutex
	phases *phases
	open   map[shard.ID]bool
}

func newMetrics(self string) *metrics {
	m := &metrics{
		transitions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "banyan_shard_transitions_total",
			Help: "Shards that this replica opened, by how it came to them, and closed, by whether it gave them back (release), was out of touch (suspended), or neither (lost).",
		}, []string{"reason"}),
		heartbeats: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "banyan_member_heartbeat_total", Help: "Writes of this replica's own heartbeat, by outcome.",
		}, []string{"result"}),
		heartbeat: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "banyan_member_heartbeat_duration_seconds", Help: "Time from the decision to write a heartbeat to the answer.",
			Buckets: []float64{.002, .005, .01, .02, .05, .1, .2, .5, 1, 2},
		}),
		fences: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "banyan_member_fences_total", Help: "Fences: of other members by this one (fencer), and of this one by others (fenced).",
		}, []string{"role"}),
		phases: newPhases(self),
		open:   map[shard.ID]bool{},
	}
	m.begin()
	return m
}

// begin makes every series exist: what was never zero cannot be seen to increase.
func (m *metrics) begin() {
	for _, reason := range []shard.Reason{shard.ReasonFree, shard.ReasonHandover, shard.ReasonTakeover, shard.ReasonResumed, transitionRelease, transitionLost, transitionSuspended} {
		m.transitions.WithLabelValues(string(reason))
	}
	for _, outcome := range outcomes {
		m.heartbeats.WithLabelValues(outcome)
	}
	for _, role := range []string{roleFencer, roleFenced} {
		m.fences.WithLabelValues(role)
	}
}

// Values of labels; the other reasons are those of package shard.
const (
	transitionRelease   = "release"
	transitionLost      = "lost"
	transitionSuspended = "suspended"
	roleFencer          = "fencer"
	roleFenced          = "fenced"
)

var outcomes = map[shard.Outcome]string{shard.Done: "ok", shard.Lost: "conflict", shard.Unknown: "error"}

// step counts one step of the protocol.
func (m *metrics) step(event shard.Event, effects []shard.Effect, now shard.Instant) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if written, ok := event.(shard.MemberWritten); ok {
		m.written(written, now)
	}
	m.phases.event(event, now)
	for _, effect := range effects {
		m.effect(effect)
		m.phases.effect(effect, now)
	}
}

func (m *metrics) written(e shard.MemberWritten, now shard.Instant) {
	if e.Put.Record.State != shard.MemberFenced {
		m.heartbeats.WithLabelValues(outcomes[e.Outcome]).Inc()
		m.heartbeat.Observe((now - e.Put.Sent).Seconds())
	} else if e.Outcome == shard.Done {
		m.fences.WithLabelValues(roleFencer).Inc()
	}
}

// closings are the labels of what was closed, by the state that it is in then.
var closings = map[shard.State]string{shard.Idle: transitionLost, shard.Draining: transitionRelease, shard.Suspended: transitionSuspended}

// effect counts one of the effects of a step. A shard that is not open can be closed
// again.
func (m *metrics) effect(effect shard.Effect) {
	switch e := effect.(type) {
	case shard.Opened:
		m.open[e.ID] = true
		m.transitions.WithLabelValues(string(e.Reason)).Inc()
	case shard.Closed:
		if !m.open[e.ID] {
			return
		}
		delete(m.open, e.ID)
		m.transitions.WithLabelValues(closings[e.Into]).Inc()
	case shard.Fenced:
		m.fences.WithLabelValues(roleFenced).Inc()
	}
}

// Describe and Collect make a Member a prometheus.Collector.
func (m *Member) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(m, ch) }

// Collect reports who owns what, as this replica sees it.
func (m *Member) Collect(ch chan<- prometheus.Metric) {
	for _, c := range []prometheus.Collector{
		m.metrics.transitions, m.metrics.heartbeats, m.metrics.heartbeat, m.metrics.fences, m.metrics.phases.handover, m.metrics.phases.takeover,
	} {
		c.Collect(ch)
	}
	status := m.Status()
	census := m.census()
	summary := Summarize(status)
	owned := map[shard.ID]bool{}
	for _, s := range status.Shards {
		label := strconv.Itoa(int(s.ID))
		gauge(ch, descOwned, boolean(s.State == shard.Owned && status.Remain > 0), label)
		gauge(ch, descEpoch, float64(s.Epoch), label)
		if owned[s.ID] = s.State == shard.Owned; owned[s.ID] {
			gauge(ch, descNamespaces, float64(census.Shards[s.ID].Namespaces), label)
		}
	}
	collectHottest(ch, census, owned)
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

// collectHottest reports the largest key of the shards that are owned here. Without one,
// there is no shard to name.
func collectHottest(ch chan<- prometheus.Metric, census Census, owned map[shard.ID]bool) {
	share, hot := census.hottest(func(id shard.ID) bool { return owned[id] })
	label := ""
	if share > 0 {
		label = strconv.Itoa(int(hot))
	}
	gauge(ch, descHotKey, share, label)
}

var (
	descOwned         = desc("banyan_shard_owned", "1 if this replica may write for the shard now.", "shard")
	descEpoch         = desc("banyan_shard_epoch", "How often the shard has changed its holder.", "shard")
	descNamespaces    = desc("banyan_shard_namespaces", "Namespaces in a shard that this replica holds.", "shard")
	descHotKey        = desc("banyan_hot_key_share_ratio", "Largest share of all namespaces that one key holds, of those whose shard this replica holds; and that shard.", "shard")
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
