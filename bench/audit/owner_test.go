// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/shard"
)

// Two processes, and their first lives.
const (
	a, b   = "banyan-0/ua/pa", "banyan-1/ub/pb"
	c      = "banyan-2/uc/pc"
	a0, b0 = shard.Identity(a + ".0"), shard.Identity(b + ".0")
)

var (
	tree, other = "tree", "other"
	treeShard   = shard.Of(tree, testShards)
	otherShard  = shard.Of(other, testShards)
)

// steady is a log in which a holds the shard of the namespace "tree", and b that of
// the namespace "other".
func steady() *script {
	s := newScript()
	s.namespace("", tree)
	s.namespace("", other)
	s.beat(a, "banyan-0", a0)
	s.beat(b, "banyan-1", b0)
	s.shard(a, treeShard, a0, 1)
	s.shard(b, otherShard, b0, 1)
	return s
}

func TestOwner(t *testing.T) {
	tests := map[string]struct {
		log        func(*script)
		want       []string
		wantCounts Counts // of what is not 0, without events and writes
	}{
		"the holder may write": {
			log:        func(s *script) { s.copy(a, tree) },
			wantCounts: Counts{Judged: 1},
		},
		"another replica may not": {
			log:        func(s *script) { s.copy(b, tree) },
			want:       []string{"C1 owner: roles tree/r (create)"},
			wantCounts: Counts{Judged: 1},
		},
		"a user may": {
			log: func(s *script) { s.copy("", tree) },
		},
		"nobody may while the shard is free": {
			log:        func(s *script) { s.shard(a, treeShard, "", 1); s.copy(a, tree) },
			want:       []string{"C1 owner: roles tree/r (create)"},
			wantCounts: Counts{Judged: 1, Unowned: 1},
		},
		"another process of the same Pod may not": {
			log:        func(s *script) { s.copy("banyan-0/ua/older", tree) },
			want:       []string{"C1 owner: roles tree/r (create)"},
			wantCounts: Counts{Judged: 1},
		},
		"another Pod of the same name may not": {
			log:        func(s *script) { s.copy("banyan-0/former/pa", tree) },
			want:       []string{"C1 owner: roles tree/r (create)"},
			wantCounts: Counts{Judged: 1},
		},
		"a client that does not say which process it is may not": {
			log:        func(s *script) { s.copy(a, tree).UserAgent = "kubectl" },
			want:       []string{"C1 owner: roles tree/r (create)"},
			wantCounts: Counts{Judged: 1},
		},
		"a replica without a Pod may not": {
			log:        func(s *script) { s.copy(a, tree).User.Extra = nil },
			want:       []string{"C1 owner: roles tree/r (create)"},
			wantCounts: Counts{Judged: 1},
		},
		"a request that was refused is no write": {
			log: func(s *script) { s.copy(b, tree).code(409) },
		},
		"a dry run is no write": {
			log: func(s *script) { s.copy(b, tree).RequestURI = "/x?dryRun=All" },
		},
		"the replicas' own namespace needs no shard": {
			log: func(s *script) { s.copy(b, testSystem) },
		},
		"an Event needs no shard": {
			log: func(s *script) { s.copy(b, tree).ObjectRef.Resource = "events" },
		},
		"a namespace has the key of its root": {
			log: func(s *script) {
				s.namespace("", "leaf")
				s.parent("leaf", tree)
				s.wait(3000)
				s.copy(a, "leaf")
				s.copy(b, "leaf").ObjectRef.Name = "other"
			},
			want:       []string{"C1 owner: roles leaf/other (update)", "C10 epoch: roles leaf/other (update)"},
			wantCounts: Counts{Judged: 2},
		},
		"a namespace that is made for an anchor has the key of its parent": {
			log: func(s *script) {
				s.put("", "hnc.x-k8s.io", "subnamespaceanchors", foresttest.MakeAnchor(tree, "sub").Obj())
				s.put(a, "", "namespaces", foresttest.MakeNamespace("sub").SubnamespaceOf(tree).Obj())
				s.copy(a, "sub")
			},
			wantCounts: Counts{Judged: 2},
		},
		"and nobody else may make it": {
			log: func(s *script) {
				s.put("", "hnc.x-k8s.io", "subnamespaceanchors", foresttest.MakeAnchor(tree, "sub").Obj())
				s.put(b, "", "namespaces", foresttest.MakeNamespace("sub").SubnamespaceOf(tree).Obj())
			},
			want:       []string{"C1 owner: namespaces sub (create)"},
			wantCounts: Counts{Judged: 1},
		},
		"labels of a namespace belong to its holder": {
			log:        func(s *script) { s.namespace(a, tree); s.namespace(b, tree) },
			want:       []string{"C1 owner: namespaces tree (update)", "C10 epoch: namespaces tree (update)"},
			wantCounts: Counts{Judged: 2},
		},
		"what has no namespace has the key of the cluster": {
			log: func(s *script) {
				s.shard(a, shard.Of(shard.ClusterKey, testShards), a0, 1)
				s.put(a, "hnc.x-k8s.io", "hncconfigurations", foresttest.MakeNamespace("config").Obj())
				s.put(b, "hnc.x-k8s.io", "hncconfigurations", foresttest.MakeNamespace("config").Obj())
			},
			want:       []string{"C1 owner: hncconfigurations config (update)"},
			wantCounts: Counts{Judged: 2},
		},
		"after a hand-over the new holder may write, the former may not": {
			log: func(s *script) {
				s.shard(a, treeShard, "", 1)
				s.shard(b, treeShard, b0, 2)
				s.copy(b, tree)
				s.copy(a, tree)
			},
			want:       []string{"C1 owner: roles tree/r (update)", "C10 epoch: roles tree/r (update)"},
			wantCounts: Counts{Judged: 2},
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
			if diff := cmp.Diff(tc.wantCounts, reduced(report.Counts)); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
		})
	}
}

// reduced leaves out what every log has.
func reduced(c Counts) Counts {
	c.Events, c.Writes, c.Unstamped = 0, 0, 0
	return c
}
