// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/shard"
)

// members of a simulated set, and the process of each.
var processes = map[string]string{"banyan-0": a, "banyan-1": b, "banyan-2": c}

// settledOn is a log in which all shards are held as the ring of the members says.
func settledOn(members ...string) (s *script, epochs []int32) {
	s, epochs = newScript(), make([]int32, testShards)
	for _, name := range []string{"banyan-0", "banyan-1", "banyan-2"} {
		s.beat(processes[name], name, life(name))
	}
	ring := shard.NewRing(members, testShards)
	for id := range shard.ID(testShards) {
		epochs[id] = 1
		s.shard(processes[ring.Owner(id)], id, life(ring.Owner(id)), 1)
	}
	return s, epochs
}

func life(member string) shard.Identity { return shard.Identity(processes[member] + ".0") }

// move a shard by a hand-over.
func (s *script) move(epochs []int32, id shard.ID, from, to string) {
	s.shard(processes[from], id, "", epochs[id])
	epochs[id]++
	s.shard(processes[to], id, life(to), epochs[id])
}

func TestScenarioOfScaling(t *testing.T) {
	two, three := []string{"banyan-0", "banyan-1"}, []string{"banyan-0", "banyan-1", "banyan-2"}
	before, after := shard.NewRing(two, testShards), shard.NewRing(three, testShards)
	scale := func(s *script, epochs []int32) {
		for id := range shard.ID(testShards) {
			if from, to := before.Owner(id), after.Owner(id); from != to {
				s.move(epochs, id, from, to)
			}
		}
	}
	newcomer := shard.ID(0)
	for after.Owner(newcomer) == before.Owner(newcomer) {
		newcomer++
	}
	stays := shard.ID(0)
	for after.Owner(stays) != before.Owner(stays) {
		stays++
	}
	others := map[string]string{"banyan-0": "banyan-1", "banyan-1": "banyan-0"}
	tests := map[string]struct {
		log  func(*script, []int32)
		want []string
	}{
		"what must moves, once": {log: scale},
		"a shard moves, though it need not": {
			log: func(s *script, epochs []int32) {
				scale(s, epochs)
				s.move(epochs, stays, after.Owner(stays), others[after.Owner(stays)])
			},
			want: []string{"after it, not by"},
		},
		"it goes and comes back": {
			log: func(s *script, epochs []int32) {
				scale(s, epochs)
				s.move(epochs, stays, after.Owner(stays), others[after.Owner(stays)])
				s.move(epochs, stays, others[after.Owner(stays)], after.Owner(stays))
			},
			want: []string{"moved 2 times, not 0"},
		},
		"a shard takes a detour": {
			log: func(s *script, epochs []int32) {
				from := before.Owner(newcomer)
				s.move(epochs, newcomer, from, others[from])
				s.move(epochs, newcomer, others[from], from)
				scale(s, epochs)
			},
			want: []string{"moved 3 times, not 1"},
		},
		"one that must does not": {
			log: func(s *script, epochs []int32) {
				scale(s, epochs)
				s.entries = s.entries[:len(s.entries)-2]
			},
			want: []string{"after it, not by"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s, epochs := settledOn(two...)
			from := testStart.Add(time.Duration(s.clock+5) * time.Millisecond)
			tc.log(s, epochs)
			to := testStart.Add(time.Duration(s.clock+5) * time.Millisecond)
			s.move(epochs, newcomer, "banyan-2", "banyan-0") // is later

			cfg := testConfig
			cfg.Marks.Scenarios = []Scenario{{Name: "scaling", Span: Span{From: from, To: to}, Before: two, After: three}}
			report := s.checkWith(t, cfg)
			report.Violations = only(report.Violations, RuleMoves)
			requireFaults(t, report, tc.want)
			require.Equal(t, testShards, judgedBy(report, RuleMoves).Judged)
		})
	}
}

func TestScenarioNeedsASettledBeginning(t *testing.T) {
	two := []string{"banyan-0", "banyan-1"}
	ring := shard.NewRing(two, testShards)
	s, epochs := settledOn(two...)
	s.move(epochs, 0, ring.Owner(0), "banyan-2")
	at := testStart.Add(time.Duration(s.clock+5) * time.Millisecond)
	s.move(epochs, 0, "banyan-2", ring.Owner(0))

	cfg := testConfig
	cfg.Marks.Scenarios = []Scenario{{Name: "outage", Span: Span{From: at, To: at.Add(time.Hour)}, Before: two, After: two}}
	requireFaults(t, s.checkWith(t, cfg), []string{"so it was not settled"})
}

// In a rolling update each member goes, and comes back as another process.
func TestScenarioOfRolling(t *testing.T) {
	two := []string{"banyan-0", "banyan-1"}
	ring := shard.NewRing(two, testShards)
	roll := func(s *script, epochs []int32, skip shard.ID) {
		for _, name := range two {
			was, is := processes[name], strings.Replace(processes[name], "/p", "/q", 1)
			for id := range shard.ID(testShards) {
				if ring.Owner(id) == name && id != skip {
					s.shard(was, id, "", epochs[id])
				}
			}
			s.beat(was, name, "")
			s.beat(is, name, shard.Identity(is+".0"))
			for id := range shard.ID(testShards) {
				if ring.Owner(id) == name && id != skip {
					epochs[id]++
					s.shard(is, id, shard.Identity(is+".0"), epochs[id])
				}
			}
		}
	}
	tests := map[string]struct {
		skip       shard.ID
		revisions  bool
		want       []string
		wantMoves  int
		wantWanted int
	}{
		"each shard moves once":           {skip: -1, wantMoves: testShards, wantWanted: testShards},
		"revisions may mark it":           {skip: -1, revisions: true, wantMoves: testShards, wantWanted: testShards},
		"one that never moved is noticed": {skip: 3, want: []string{"shard 3 moved 0 times, not 1"}, wantMoves: testShards - 1, wantWanted: testShards},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s, epochs := settledOn(two...)
			span := Span{From: testStart.Add(time.Duration(s.clock+5) * time.Millisecond), FromRevision: uint64(s.revision)}
			roll(s, epochs, tc.skip)
			span.To, span.ToRevision = testStart.Add(time.Hour), uint64(s.revision)
			if tc.revisions {
				span.From, span.To = time.Time{}, time.Time{}
			} else {
				span.FromRevision, span.ToRevision = 0, 0
			}

			cfg := testConfig
			cfg.Marks.Scenarios = []Scenario{{Name: "roll", Span: span, Before: two, After: two, Restarted: two}}
			report := s.checkWith(t, cfg)
			requireFaults(t, report, tc.want)
			require.Equal(t, []Moved{{Name: "roll", Moves: tc.wantMoves, Wanted: tc.wantWanted, Most: 1}}, report.Scenarios)
			if !tc.revisions {
				require.Len(t, report.Moves(span.From, span.To), tc.wantMoves)
			}
		})
	}
}

func only(violations []Violation, rule string) []Violation {
	var kept []Violation
	for _, v := range violations {
		if v.Rule == rule {
			kept = append(kept, v)
		}
	}
	return kept
}
