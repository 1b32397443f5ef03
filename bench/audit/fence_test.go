// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/lease"
)

func TestFenced(t *testing.T) {
	const late = "roles tree/r (create)"
	a1 := shard.Identity(a + ".1")
	tests := map[string]struct {
		log  func(*script)
		want []string
	}{
		"a write before the fence is fine": {
			log: func(s *script) { s.copy(a, tree); s.beat(b, "banyan-0", "") },
		},
		"a write after the fence is not": {
			log:  func(s *script) { s.beat(b, "banyan-0", ""); s.copy(a, tree) },
			want: []string{"C1 owner: " + late, "C3 fence: " + late},
		},
		"nor after a goodbye": {
			log:  func(s *script) { s.beat(a, "banyan-0", ""); s.copy(a, tree) },
			want: []string{"C1 owner: " + late, "C3 fence: " + late},
		},
		"nor after a new process took the name": {
			log: func(s *script) {
				s.beat("banyan-0/ua/new", "banyan-0", "banyan-0/ua/new.0")
				s.copy(a, tree)
			},
			want: []string{"C1 owner: " + late, "C3 fence: " + late},
		},
		"a new life may write again, what it holds anew": {
			log: func(s *script) {
				s.beat(b, "banyan-0", "")
				s.beat(a, "banyan-0", a1)
				s.shard(a, treeShard, a1, 2)
				s.copy(a, tree)
			},
		},
		"but not what the former life held": {
			log: func(s *script) {
				s.beat(b, "banyan-0", "")
				s.beat(a, "banyan-0", a1)
				s.copy(a, tree)
			},
			want: []string{"C1 owner: " + late},
		},
		"a Lease write that comes late is left to the compare-and-swap": {
			log: func(s *script) { s.beat(b, "banyan-0", ""); s.shard(a, treeShard, "", 1) },
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := steady()
			tc.log(s)
			report := s.check(t)
			if diff := cmp.Diff(tc.want, said(report)); diff != "" {
				t.Errorf("violations (-want +got):\n%s\n%s", diff, report)
			}
		})
	}
}

func TestFencesTellTheirSlack(t *testing.T) {
	s := steady()
	s.copy(a, tree)
	s.wait(2490).beat(b, "banyan-0", "")
	s.shard(b, treeShard, b0, 2)
	s.copy(b, tree)
	s.beat("banyan-2/uc/pc", "banyan-2", "banyan-2/uc/pc.0")
	s.beat(b, "banyan-2", "")
	s.beat(b, "banyan-1", "") // a goodbye is no fence

	report := s.check(t)
	require.Empty(t, report.Violations)
	require.Len(t, report.Fences, 2)
	require.Equal(t, Fence{Time: report.Fences[0].Time, Life: a0, By: b, Wrote: true, Slack: 2500 * time.Millisecond}, report.Fences[0])
	require.False(t, report.Fences[1].Wrote)

	slack, found := report.Slack()
	require.True(t, found)
	require.Equal(t, 2500*time.Millisecond, slack)
}

// A heartbeat that was deleted by hand ends the life, which may need a moment to
// see it.
func TestDeletedHeartbeat(t *testing.T) {
	tests := map[string]struct {
		wait        int
		want        []string
		wantMeddled int
	}{
		"at first it is excused": {wait: 0, wantMeddled: 1},
		"later it is not":        {wait: 3000, want: []string{"C1 owner: roles tree/r (create)", "C3 fence: roles tree/r (create)"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := steady()
			s.gone("", "coordination.k8s.io", "leases", testSystem, lease.MemberName("banyan-0"))
			s.wait(tc.wait).copy("", other)
			s.copy(a, tree)

			report := s.check(t)
			require.Equal(t, tc.want, said(report))
			require.Equal(t, tc.wantMeddled, report.Counts.Meddled)
		})
	}
}
