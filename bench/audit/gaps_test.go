// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/banyan-hns/banyan/shard/lease"
)

func TestGaps(t *testing.T) {
	const anew = "banyan-0/ua/new"
	tests := map[string]struct {
		log         func(*script)
		want        map[Cause]time.Duration
		wantUnowned int
	}{
		"a shard that is held has none": {
			log: func(s *script) { s.shard(a, treeShard, a0, 1) },
		},
		"a shard that never had a holder has none": {
			log: func(s *script) { s.shard(a, 7, "", 0); s.wait(100).shard(a, 7, a0, 1) },
		},
		"a hand-over takes from the release to the acquisition": {
			log:  func(s *script) { s.shard(a, treeShard, "", 1); s.wait(90).shard(b, treeShard, b0, 2) },
			want: map[Cause]time.Duration{CauseHandover: 100 * time.Millisecond},
		},
		"a takeover takes from the last heartbeat to the acquisition": {
			log: func(s *script) {
				s.beat(a, "banyan-0", a0)
				s.pass(9990).beat(b, "banyan-0", "")
				s.wait(90).shard(b, treeShard, b0, 2)
			},
			want: map[Cause]time.Duration{CauseTakeover: 10100 * time.Millisecond},
		},
		"a restart takes from the last heartbeat": {
			log: func(s *script) {
				s.beat(a, "banyan-0", a0)
				s.wait(990).beat(anew, "banyan-0", anew+".0")
				s.wait(90).shard(anew, treeShard, anew+".0", 2)
			},
			want: map[Cause]time.Duration{CauseRestart: 1100 * time.Millisecond},
		},
		"or from the release": {
			log: func(s *script) {
				s.shard(a, treeShard, "", 1)
				s.beat(a, "banyan-0", "")
				s.wait(980).beat(anew, "banyan-0", anew+".0")
				s.shard(anew, treeShard, anew+".0", 2)
			},
			want: map[Cause]time.Duration{CauseRestart: 1010 * time.Millisecond},
		},
		"a release that comes after the fence is none": {
			log: func(s *script) {
				s.beat(a, "banyan-0", a0)
				s.pass(9990).beat(b, "banyan-0", "")
				s.shard(a, treeShard, "", 1)
				s.wait(90).shard(b, treeShard, b0, 2)
			},
			want: map[Cause]time.Duration{CauseTakeover: 10110 * time.Millisecond},
		},
		"an acquisition by a life that has ended fills none": {
			log: func(s *script) {
				s.shard(a, treeShard, "", 1)
				s.beat(a, "banyan-1", "")
				s.shard(b, treeShard, b0, 2)
			},
			wantUnowned: 2,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := steady()
			tc.log(s)
			report := s.check(t)
			var got map[Cause]time.Duration
			for _, gap := range report.Gaps {
				if got == nil {
					got = map[Cause]time.Duration{}
				}
				got[gap.Cause] += gap.Duration()
			}
			require.Equal(t, tc.want, got)
			require.Equal(t, tc.wantUnowned, report.Counts.Unowned)
		})
	}
}

// The shard of "tree" goes from a to b, and what happened meanwhile tells why that
// took long.
func TestCauses(t *testing.T) {
	leaseOf := func(s *script, name string) *entry {
		return s.gone("", coordinationv1.GroupName, "leases", testSystem, name)
	}
	tests := map[string]struct {
		log      func(*script)
		outages  []Span
		down     []Span
		want     Cause
		wantFrom int // milliseconds before the end of the gap
	}{
		"nobody said anything for long": {
			log: func(s *script) {
				s.shard(a, treeShard, "", 1)
				s.wait(6000).shard(b, treeShard, b0, 2)
				s.beat(b, "banyan-1", b0)
			},
			want: CauseOutage, wantFrom: 6010,
		},
		"nobody did, since nobody lived": {
			log: func(s *script) {
				s.shard(a, treeShard, "", 1)
				s.wait(6000).beat(c, "banyan-2", c+".0")
				s.shard(c, treeShard, c+".0", 2)
			},
			want: CauseHandover, wantFrom: 6020,
		},
		"the rig knows of an outage": {
			log: func(s *script) {
				s.shard(a, treeShard, "", 1)
				s.wait(2000).shard(b, treeShard, b0, 2)
			},
			outages: []Span{{From: testStart.Add(3 * time.Second), To: testStart.Add(4 * time.Second)}},
			want:    CauseOutage, wantFrom: 2010,
		},
		"the rig knows better": {
			log: func(s *script) {
				s.shard(a, treeShard, "", 1)
				s.wait(6000).shard(b, treeShard, b0, 2)
			},
			outages: []Span{{From: testStart.Add(time.Hour), To: testStart.Add(2 * time.Hour)}},
			want:    CauseHandover, wantFrom: 6010,
		},
		"all replicas were killed at once": {
			log: func(s *script) {
				s.shard(a, treeShard, "", 1)
				s.wait(6000).shard(b, treeShard, b0, 2)
				s.beat(b, "banyan-1", b0)
			},
			down: []Span{{From: testStart.Add(3 * time.Second), To: testStart.Add(4 * time.Second)}},
			want: CauseColdStart, wantFrom: 6010,
		},
		"all were, and this came later": {
			log: func(s *script) {
				s.shard(a, treeShard, "", 1)
				s.wait(490).shard(b, treeShard, b0, 2)
			},
			down: []Span{{From: testStart, To: testStart.Add(time.Second)}},
			want: CauseHandover, wantFrom: 500,
		},
		"somebody deletes the Lease of the shard": {
			log: func(s *script) {
				leaseOf(s, lease.ShardName(treeShard, testShards))
				s.wait(490).shard(a, treeShard, a0, 2)
			},
			want: CauseHand, wantFrom: 500,
		},
		"somebody empties it": {
			log: func(s *script) {
				s.shard("", treeShard, "", 1)
				s.wait(490).shard(a, treeShard, a0, 2)
			},
			want: CauseHand, wantFrom: 500,
		},
		"somebody deletes the heartbeat of the holder": {
			log: func(s *script) {
				s.wait(1000)
				leaseOf(s, lease.MemberName("banyan-0"))
				s.wait(490).shard(b, treeShard, b0, 2)
			},
			want: CauseHand, wantFrom: 500,
		},
		"a replica that empties it does not": {
			log: func(s *script) {
				s.shard(a, treeShard, "", 1)
				s.wait(490).shard(b, treeShard, b0, 2)
			},
			want: CauseHandover, wantFrom: 500,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := steady()
			s.pass(2000)
			tc.log(s)
			cfg := testConfig
			cfg.Marks.Outages, cfg.Marks.Down = tc.outages, tc.down
			report := s.checkWith(t, cfg)
			require.Len(t, report.Gaps, 1, "%s", report)
			gap := report.Gaps[0]
			require.Equal(t, []any{tc.want, time.Duration(tc.wantFrom) * time.Millisecond}, []any{gap.Cause, gap.Duration()})
		})
	}
}

func TestGapNamesBothSides(t *testing.T) {
	s := steady()
	s.shard(a, treeShard, "", 1)
	s.shard(b, treeShard, b0, 2)
	report := s.check(t)
	require.Len(t, report.Gaps, 1)
	gap := report.Gaps[0]
	require.Equal(t, []any{treeShard, a0, b0}, []any{gap.Shard, gap.Before, gap.After})
}
