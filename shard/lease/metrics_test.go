// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/shard"
)

// moment is one step of the protocol at replica "a", at a time in milliseconds.
type moment struct {
	at      time.Duration
	event   shard.Event
	effects []shard.Effect
}

// took is how often a histogram was fed, and the sum in seconds.
type took struct {
	times uint64
	sum   float64
}

// TestMetricsOfMoves: how long each part of a move took, and how it is counted.
func TestMetricsOfMoves(t *testing.T) {
	const self, other = shard.Identity("a/uid/one.0"), shard.Identity("b/uid/one.0")
	released := shard.Record{ID: 3, HandoffTo: "a", Epoch: 4}
	mine := shard.Record{ID: 3, Holder: self, Epoch: 5, Reason: shard.ReasonHandover}
	theirs := shard.Record{ID: 3, Holder: other, Epoch: 4}
	taken := shard.Record{ID: 3, Holder: self, Epoch: 5, Reason: shard.ReasonTakeover}
	heartbeat := shard.MemberObserved{Record: shard.MemberRecord{Name: "b", Holder: other, State: shard.MemberActive}}
	fenced := shard.MemberObserved{Record: shard.MemberRecord{Name: "b", State: shard.MemberFenced}}
	opened := []moment{{0, shard.Warmed{ID: 3}, []shard.Effect{shard.Opened{ID: 3, Reason: shard.ReasonFree}}}}
	given := []moment{
		{100, shard.Tick{}, []shard.Effect{shard.Closed{ID: 3, Into: shard.Draining}, shard.Drain{ID: 3}}},
		{300, shard.Drained{ID: 3}, []shard.Effect{shard.PutShard{Record: shard.Record{ID: 3, HandoffTo: "b"}}}},
		{350, shard.ShardWritten{Put: shard.PutShard{Record: shard.Record{ID: 3, HandoffTo: "b"}}, Outcome: shard.Done, Record: shard.Record{ID: 3, HandoffTo: "b"}},
			[]shard.Effect{shard.Closed{ID: 3}}}, // what is releasing is closed a second time
	}

	for name, tc := range map[string]struct {
		moments         []moment
		wantPhases      map[string]took
		wantTakeover    took
		wantTransitions map[string]float64
	}{
		"a shard is received": {
			moments: []moment{
				{1000, shard.ShardObserved{Record: released}, []shard.Effect{shard.PutShard{Record: mine}}},
				{1030, shard.ShardWritten{Put: shard.PutShard{Record: mine}, Outcome: shard.Unknown}, nil},
				{1100, shard.Tick{}, []shard.Effect{shard.PutShard{Record: mine}}},
				{1150, shard.ShardWritten{Put: shard.PutShard{Record: mine}, Outcome: shard.Done, Record: mine}, []shard.Effect{shard.Warm{ID: 3}}},
				{1200, shard.Warmed{ID: 3}, []shard.Effect{shard.Opened{ID: 3, Reason: shard.ReasonHandover}}},
			},
			wantPhases:      map[string]took{phaseAcquire: {1, .15}, phaseWarm: {1, .05}, phaseTotal: {1, .2}},
			wantTransitions: map[string]float64{"handover": 1},
		},
		"a shard is given, and counted once": {
			moments:         append(opened, given...),
			wantPhases:      map[string]took{phaseDrain: {1, .2}, phaseRelease: {1, .05}},
			wantTransitions: map[string]float64{"free": 1, "release": 1},
		},
		"a shard is lost": {
			moments:         append(opened, moment{900, shard.ShardObserved{Record: theirs}, []shard.Effect{shard.Closed{ID: 3}}}),
			wantTransitions: map[string]float64{"free": 1, "lost": 1},
		},
		"a shard is taken from the silent": {
			moments: []moment{
				{0, shard.ShardObserved{Record: theirs}, nil},
				{2000, heartbeat, nil},
				{4000, heartbeat, nil},
				{14000, fenced, []shard.Effect{shard.PutShard{Record: taken}}},
				{14100, shard.ShardWritten{Put: shard.PutShard{Record: taken}, Outcome: shard.Done, Record: taken}, nil},
				{14500, shard.Warmed{ID: 3}, []shard.Effect{shard.Opened{ID: 3, Reason: shard.ReasonTakeover}}},
			},
			wantTakeover:    took{1, 10.5},
			wantTransitions: map[string]float64{"takeover": 1},
		},
		"another was quicker": {
			moments: []moment{
				{0, shard.ShardObserved{Record: released}, []shard.Effect{shard.PutShard{Record: mine}}},
				{50, shard.ShardWritten{Put: shard.PutShard{Record: mine}, Outcome: shard.Lost, Record: theirs}, nil},
				{9000, shard.ShardObserved{Record: released}, []shard.Effect{shard.PutShard{Record: mine}}},
				{9100, shard.ShardWritten{Put: shard.PutShard{Record: mine}, Outcome: shard.Done, Record: mine}, nil},
				{9200, shard.Warmed{ID: 3}, []shard.Effect{shard.Opened{ID: 3, Reason: shard.ReasonHandover}}},
			},
			wantPhases:      map[string]took{phaseAcquire: {1, .1}, phaseTotal: {1, .2}},
			wantTransitions: map[string]float64{"handover": 1},
		},
		"a shard is suspended, and goes on": {
			moments: append(opened,
				moment{100, shard.Tick{}, []shard.Effect{shard.Closed{ID: 3, Into: shard.Suspended}}},
				moment{900, shard.Warmed{ID: 3}, []shard.Effect{shard.Opened{ID: 3, Reason: shard.ReasonResumed}}},
			),
			wantTransitions: map[string]float64{"free": 1, "suspended": 1, "resumed": 1},
		},
		"a life that is over ends no phase": {
			moments: append(opened,
				moment{100, shard.Tick{}, []shard.Effect{shard.Closed{ID: 3, Into: shard.Draining}, shard.Drain{ID: 3}}},
				moment{200, shard.Tick{}, []shard.Effect{shard.Fenced{}}},
				moment{9000, shard.Drained{ID: 3}, nil},
			),
			wantTransitions: map[string]float64{"free": 1, "release": 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMetrics("a")
			for _, at := range tc.moments {
				m.step(at.event, at.effects, at.at*time.Millisecond)
			}
			for _, phase := range handoverPhases {
				requireTook(t, tc.wantPhases[phase], m.phases.handover.WithLabelValues(phase).(prometheus.Histogram), phase)
			}
			requireTook(t, tc.wantTakeover, m.phases.takeover, "takeover")
			for _, reason := range []string{"free", "handover", "takeover", "resumed", "release", "lost", "suspended"} {
				require.InDelta(t, tc.wantTransitions[reason], testutil.ToFloat64(m.transitions.WithLabelValues(reason)), 0, reason)
			}
		})
	}
}

func requireTook(t *testing.T, want took, h prometheus.Histogram, name string) {
	t.Helper()
	registry := prometheus.NewRegistry()
	require.NoError(t, registry.Register(h))
	families, err := registry.Gather()
	require.NoError(t, err)
	got := families[0].GetMetric()[0].GetHistogram()
	require.Equal(t, want.times, got.GetSampleCount(), name)
	require.InDelta(t, want.sum, got.GetSampleSum(), 1e-6, name)
}

func TestMetricsOfHeartbeats(t *testing.T) {
	m := newMetrics("a")
	for outcome, sent := range map[shard.Outcome]time.Duration{shard.Done: 20, shard.Lost: 30, shard.Unknown: 2000} {
		put := shard.PutMember{Record: shard.MemberRecord{State: shard.MemberActive}, Sent: 5 * time.Second}
		m.step(shard.MemberWritten{Put: put, Outcome: outcome}, nil, 5*time.Second+sent*time.Millisecond)
	}
	m.step(shard.MemberWritten{Put: shard.PutMember{Record: shard.MemberRecord{State: shard.MemberFenced}}, Outcome: shard.Done}, nil, 0)
	m.step(shard.Tick{}, []shard.Effect{shard.Fenced{}}, 0)

	for _, outcome := range []string{"ok", "conflict", "error"} {
		require.InDelta(t, 1, testutil.ToFloat64(m.heartbeats.WithLabelValues(outcome)), 0, outcome)
	}
	requireTook(t, took{3, 2.05}, m.heartbeat, "the fence of another is no heartbeat")
	require.InDelta(t, 1, testutil.ToFloat64(m.fences.WithLabelValues(roleFencer)), 0)
	require.InDelta(t, 1, testutil.ToFloat64(m.fences.WithLabelValues(roleFenced)), 0)
}
