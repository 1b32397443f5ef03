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

// Two replicas have nothing to do for a minute. With a heartbeat each two seconds,
// 60 writes are to be expected, and 68 allowed.
func TestCosts(t *testing.T) {
	beats := func(s *script, count int) {
		for i := range count {
			process, name, holder := a, "banyan-0", a0
			if i%2 == 1 {
				process, name, holder = b, "banyan-1", b0
			}
			s.wait(60000/count-10).beat(process, name, holder)
		}
	}
	look := func(s *script, process string) *entry {
		e := s.add(made("get", coordinationv1.GroupName, "leases", testSystem, lease.MemberName("banyan-0")))
		e.Level = "Metadata"
		if process != "" {
			e.by(process)
		}
		return e
	}
	tests := map[string]struct {
		log         func(*script)
		want        []string
		wantPuts    int
		wantChanges int
		wantGets    int
	}{
		"a heartbeat each period": {
			log: func(s *script) { beats(s, 60) }, wantPuts: 60,
		},
		"too many": {
			log:      func(s *script) { beats(s, 72) },
			want:     []string{"72 Lease writes in 1m0s, of which 0 changed anything; 68 are allowed"},
			wantPuts: 72,
		},
		"a change has its price": {
			log: func(s *script) {
				for epoch := range int32(6) {
					s.shard(a, treeShard, "", epoch+1)
					s.shard(a, treeShard, a0, epoch+2)
				}
				beats(s, 60)
			},
			wantPuts: 70, wantChanges: 11, // one of the twelve is before the minute
		},
		"a touch that changes nothing has none": {
			log: func(s *script) {
				for range 11 {
					s.shard(a, treeShard, a0, 1)
				}
				beats(s, 60)
			},
			want:     []string{"C6 cost: quiet: 69 Lease writes in 1m0s, of which 0 changed anything; 68 are allowed"},
			wantPuts: 69,
		},
		"a replica reads a Lease": {
			log:      func(s *script) { beats(s, 60); s.wait(-100); look(s, a); s.wait(100) },
			want:     []string{"replicas read Leases 1 times"},
			wantPuts: 60, wantGets: 1,
		},
		"what is before and after does not count": {
			log:      func(s *script) { beats(s, 60); s.wait(100); beats(s, 72); look(s, a) },
			wantPuts: 60,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := steady()
			look(s, "")
			from := testStart.Add(time.Duration(s.clock+15) * time.Millisecond)
			tc.log(s)
			cfg := testConfig
			cfg.Marks.Steady = []Steady{{Name: "quiet", Span: Span{From: from, To: from.Add(time.Minute)}, Members: 2, Renew: 2}}
			report := s.checkWith(t, cfg)
			requireFaults(t, report, tc.want)
			require.Len(t, report.Costs, 1)
			cost := report.Costs[0]
			require.Equal(t, []int{tc.wantPuts, tc.wantChanges, tc.wantGets}, []int{cost.Puts, cost.Changes, cost.Gets})
		})
	}
}

func TestCostsNeedReads(t *testing.T) {
	s := steady()
	from := testStart
	cfg := testConfig
	cfg.Marks.Steady = []Steady{{Name: "quiet", Span: Span{From: from, To: from.Add(time.Minute)}, Members: 2, Renew: 2}}
	requireFaults(t, s.checkWith(t, cfg), []string{"the log has no reads of Leases at all"})
}
