// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/lease"
)

// b1 is the second life of b's process.
const b1 = shard.Identity(b + ".1")

func TestTransfer(t *testing.T) {
	tests := map[string]struct {
		log  func(*script)
		want []string // parts of the explanations, in order; none: it is legal
	}{
		"a holder may write its record again": {
			log: func(s *script) { s.shard(a, treeShard, a0, 1) },
		},
		"a holder gives it back, and another takes it": {
			log: func(s *script) { s.shard(a, treeShard, "", 1); s.shard(b, treeShard, b0, 2) },
		},
		"a holder is fenced, and another takes it": {
			log: func(s *script) { s.beat(b, "banyan-0", ""); s.shard(b, treeShard, b0, 2) },
		},
		"a holder comes back as a new life, and takes it": {
			log: func(s *script) {
				s.beat("banyan-0/ua/new", "banyan-0", "banyan-0/ua/new.0")
				s.shard("banyan-0/ua/new", treeShard, "banyan-0/ua/new.0", 2)
			},
		},
		"it is taken from a holder that is alive": {
			log:  func(s *script) { s.shard(b, treeShard, b0, 2) },
			want: []string{"heartbeat still names it"},
		},
		"it is taken before the fence": {
			log:  func(s *script) { s.shard(b, treeShard, b0, 2); s.beat(b, "banyan-0", "") },
			want: []string{"heartbeat still names it"},
		},
		"it is released by somebody else": {
			log:  func(s *script) { s.shard(b, treeShard, "", 1) },
			want: []string{"did not give the shard back"},
		},
		"it is released by somebody else, after the fence": {
			log:  func(s *script) { s.beat(b, "banyan-0", ""); s.shard(b, treeShard, "", 1) },
			want: []string{"did not give the shard back"},
		},
		"it is given to somebody": {
			log:  func(s *script) { s.shard(a, treeShard, "", 1); s.shard(a, treeShard, b0, 2) },
			want: []string{"only that process may write"},
		},
		"the epoch jumps": {
			log:  func(s *script) { s.shard(a, treeShard, "", 1); s.shard(b, treeShard, b0, 3) },
			want: []string{"from 1 to 3; it should be 2"},
		},
		"the epoch stays with a new holder": {
			log:  func(s *script) { s.shard(a, treeShard, "", 1); s.shard(b, treeShard, b0, 1) },
			want: []string{"from 1 to 1; it should be 2"},
		},
		"the epoch grows with a release": {
			log:  func(s *script) { s.shard(a, treeShard, "", 2) },
			want: []string{"from 1 to 2; it should be 1"},
		},
		"a heartbeat is written for somebody else": {
			log:  func(s *script) { s.beat(a, "banyan-1", b1) },
			want: []string{"only that process may write"},
		},
		"a shard that was deleted is written anew by its holder": {
			log: func(s *script) {
				s.gone("", coordinationv1.GroupName, "leases", testSystem, lease.ShardName(treeShard, testShards))
				s.shard(a, treeShard, a0, 2)
			},
		},
		"a deletion releases nobody": {
			log: func(s *script) {
				s.gone("", coordinationv1.GroupName, "leases", testSystem, lease.ShardName(treeShard, testShards))
				s.shard(b, treeShard, b0, 2)
			},
			want: []string{"did not give the shard back"},
		},
		"a replica deletes a record that names somebody": {
			log: func(s *script) {
				s.gone(a, coordinationv1.GroupName, "leases", testSystem, lease.ShardName(treeShard, testShards))
			},
			want: []string{"deleted while it named"},
		},
		"a user may do all that, and what follows is judged by it": {
			log: func(s *script) { s.shard("", treeShard, "", 7); s.shard(b, treeShard, b0, 8) },
		},
		"Leases of others are nobody's business": {
			log: func(s *script) {
				s.put(b, coordinationv1.GroupName, "leases", &coordinationv1.Lease{}).ObjectRef.Namespace = testSystem
			},
		},
		"shards of another number of shards are not looked at": {
			log: func(s *script) {
				e := s.shard(b, treeShard, b0, 9)
				e.ObjectRef.Name = lease.ShardName(treeShard, 2*testShards)
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := steady()
			tc.log(s)
			report := s.check(t)
			require.Len(t, report.Violations, len(tc.want), "%s", report)
			for i, want := range tc.want {
				require.Equal(t, RuleTransfer, report.Violations[i].Rule)
				require.Contains(t, report.Violations[i].Explanation, want)
			}
		})
	}
}

func TestMeddlingIsListed(t *testing.T) {
	s := steady()
	s.shard("", treeShard, "somebody/else/x.0", 2)
	s.put("", coordinationv1.GroupName, "leases", &coordinationv1.Lease{}).ObjectRef.Namespace = "kube-system"

	report := s.check(t)
	require.Empty(t, report.Violations)
	require.Len(t, report.Meddling, 1)
	require.Equal(t, "admin", report.Meddling[0].User)
	require.True(t, strings.HasSuffix(report.Meddling[0].Object, lease.ShardName(treeShard, testShards)))
}

func TestMeddlingExcusesForAMoment(t *testing.T) {
	tests := map[string]struct {
		wait        int
		writer      string
		want        []string
		wantMeddled int
	}{
		"whoever held it may not know yet": {wait: 1000, writer: a, wantMeddled: 1},
		"but soon must":                    {wait: 2500, writer: a, want: []string{"C1 owner: roles tree/r (create)"}},
		"nobody else is excused":           {wait: 1000, writer: b, want: []string{"C1 owner: roles tree/r (create)"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := steady()
			s.shard("", treeShard, "", 1)
			s.wait(tc.wait).copy(tc.writer, tree)

			report := s.check(t)
			require.Equal(t, tc.want, said(report))
			require.Equal(t, tc.wantMeddled, report.Counts.Meddled)
		})
	}
}
