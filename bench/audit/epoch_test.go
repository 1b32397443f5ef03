// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"testing"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/banyan-hns/banyan/shard/lease"
)

func TestSingle(t *testing.T) {
	const written = RuleEpoch + ": roles tree/r (update)"
	again := func(s *script) { s.copy(a, tree); s.copy(b, tree) }
	tests := map[string]struct {
		log  func(*script)
		want bool
	}{
		"one process may write often": {
			log: func(s *script) { s.copy(a, tree); s.copy(a, tree) },
		},
		"two may not": {log: again, want: true},
		"nor may two processes of one Pod": {
			log:  func(s *script) { s.copy(a, tree); s.copy("banyan-0/ua/older", tree) },
			want: true,
		},
		"each may in its own epoch": {
			log: func(s *script) {
				s.copy(a, tree)
				s.shard(a, treeShard, "", 1)
				s.shard(b, treeShard, b0, 2)
				s.copy(b, tree)
			},
		},
		"a record that names another, in the same epoch, begins none": {
			log: func(s *script) {
				s.copy(a, tree)
				s.shard(a, treeShard, "", 1)
				s.shard(b, treeShard, b0, 1)
				s.copy(b, tree)
			},
			want: true,
		},
		"a record that was deleted and made anew begins one, with whatever number": {
			log: func(s *script) {
				s.copy(a, tree)
				s.beat(a, "banyan-0", "")
				s.gone("", coordinationv1.GroupName, "leases", testSystem, lease.ShardName(treeShard, testShards))
				s.shard(b, treeShard, b0, 1)
				s.copy(b, tree)
			},
		},
		"what belongs to no namespace is not judged": {
			log: func(s *script) {
				s.copy(a, "")
				s.copy(b, "")
			},
		},
		"namespaces in one shard are not one": {
			log: func(s *script) { s.copy(a, tree); s.copy(b, other) },
		},
		"a deletion counts, if it is certain in which epoch it was": {
			log: func(s *script) {
				s.gone(a, "rbac.authorization.k8s.io", "roles", tree, "x")
				s.copy("", other)
				s.copy(b, tree).Verb = "update"
			},
			want: true,
		},
		"if it is not, it does not": {
			log: func(s *script) {
				s.gone(a, "rbac.authorization.k8s.io", "roles", tree, "x").at(1000, 2000)
				s.shard(a, treeShard, "", 1).at(1100, 1110)
				s.shard(b, treeShard, b0, 2).at(1120, 1130)
				s.copy(b, tree).at(3000, 3010)
			},
		},
		"a user may write at any time": {
			log: func(s *script) { s.copy(a, tree); s.copy("", tree) },
		},
		"a write that a move excuses is no evidence": {
			log: func(s *script) {
				s.copy(a, tree)
				s.namespace("", "leaf")
				s.parent("leaf", tree)
				s.wait(5000).parent("leaf", other)
				s.copy(b, "leaf")
				s.copy(a, "leaf")
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := steady()
			tc.log(s)
			report := s.check(t)
			if tc.want {
				require.Contains(t, said(report), written, "%s", report)
				return
			}
			for _, v := range report.Violations {
				require.NotEqual(t, RuleEpoch, v.Rule, "%s", report)
			}
		})
	}
}
