// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/lease"
)

// The shard of "tree" goes from a to b, and an entry that has no revision of its own
// lies before, across or after that.
func TestWritesWithoutRevision(t *testing.T) {
	remove := func(s *script, by string) *entry {
		return s.gone(by, "rbac.authorization.k8s.io", "roles", tree, "r")
	}
	transfer := func(s *script) {
		s.shard(a, treeShard, "", 1).at(1000, 1010)
		s.shard(b, treeShard, b0, 2).at(1020, 1030)
		s.copy("", other).at(2000, 2010)
	}
	const removed = "C1 owner: roles tree/r (delete)"
	tests := map[string]struct {
		log           func(*script)
		want          []string
		wantUnordered int
	}{
		"a delete by the former holder, answered before": {
			log:           func(s *script) { remove(s, a).at(900, 910); transfer(s) },
			wantUnordered: 1,
		},
		"a delete by the former holder that may have been before": {
			log:           func(s *script) { remove(s, a).at(900, 1500); transfer(s) },
			wantUnordered: 1,
		},
		"a delete by the new holder that may have been after": {
			log:           func(s *script) { remove(s, b).at(900, 1500); transfer(s) },
			wantUnordered: 1,
		},
		"a delete by the former holder, received after": {
			log:           func(s *script) { remove(s, a).at(1100, 1110); transfer(s) },
			want:          []string{removed},
			wantUnordered: 1,
		},
		"a delete by the new holder, answered before": {
			log:           func(s *script) { remove(s, b).at(900, 910); transfer(s) },
			want:          []string{removed},
			wantUnordered: 1,
		},
		"a delete by the former holder of what was made only after": {
			log: func(s *script) {
				transfer(s)
				s.copy("", tree).at(1040, 1050)
				remove(s, a).at(900, 1500)
			},
			want:          []string{removed},
			wantUnordered: 1,
		},
		"a delete by a third": {
			log:           func(s *script) { remove(s, "banyan-2/uc/pc").at(900, 1500); transfer(s) },
			want:          []string{removed},
			wantUnordered: 1,
		},
		"a delete that returns the object has its revision": {
			log: func(s *script) {
				transfer(s)
				remove(s, a).at(900, 1500).returned(corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "999"}})
			},
			want: []string{removed},
		},
		"an update that changed nothing": {
			log: func(s *script) {
				s.copy(a, tree).at(800, 810)
				transfer(s)
				idle(s, b).at(1100, 1110)
			},
			wantUnordered: 1,
		},
		"an update that changed nothing, by the former holder": {
			log: func(s *script) {
				s.copy(a, tree).at(800, 810)
				transfer(s)
				idle(s, a).at(1100, 1110)
			},
			want:          []string{"C1 owner: roles tree/r (update)"},
			wantUnordered: 1,
		},
		"an update that changed nothing, of what is older than the log": {
			log: func(s *script) {
				s.versions["roles/"+tree+"/r"] = "50"
				transfer(s)
				idle(s, b).at(1100, 1110)
			},
			wantUnordered: 1,
		},
		"a write that is logged without its bodies": {
			log: func(s *script) {
				transfer(s)
				e := s.copy(a, tree).at(900, 910)
				e.Level, e.RequestObject, e.ResponseObject = "Metadata", nil, nil
			},
			wantUnordered: 1,
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
			require.Equal(t, tc.wantUnordered, report.Counts.Unordered)
		})
	}
}

// idle adds an update of the copy in "tree" that returns the version it was made for.
func idle(s *script, process string) *entry {
	role := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: tree, Name: "r", ResourceVersion: s.versions["roles/"+tree+"/r"],
	}}
	return s.add(made("update", "rbac.authorization.k8s.io", "roles", tree, "r").by(process).asked(role).returned(role))
}

// A configuration that goes has no revision for it, so while it goes its namespace
// may belong to either tree.
func TestRemovalsWithoutRevision(t *testing.T) {
	tests := map[string]struct {
		log        func(*script)
		want       []string
		wantMoving int
	}{
		"while it goes, the holder of either tree may write": {
			log: func(s *script) {
				s.gone("", "hnc.x-k8s.io", "hierarchyconfigurations", "leaf", "hierarchy").at(8000, 9000)
				s.copy(a, "leaf").at(8500, 8510)
				s.copy(b, "leaf").at(8600, 8610)
				s.copy(a, "leaf").at(8700, 8710)
			},
		},
		"nobody else may": {
			log: func(s *script) {
				s.gone("", "hnc.x-k8s.io", "hierarchyconfigurations", "leaf", "hierarchy").at(8000, 9000)
				s.copy("banyan-2/uc/pc", "leaf").at(8500, 8510)
			},
			want: []string{"C1 owner: roles leaf/r (create)"},
		},
		"the last finalizer goes with an update that returns the former version": {
			log: func(s *script) {
				now := metav1.NewTime(testStart)
				version := s.versions["hierarchyconfigurations/leaf/hierarchy"]
				gone := map[string]any{"metadata": map[string]any{"name": "hierarchy", "resourceVersion": version, "deletionTimestamp": now}}
				s.add(made("update", "hnc.x-k8s.io", "hierarchyconfigurations", "leaf", "hierarchy").
					asked(gone).returned(gone)).at(8000, 8010)
				s.copy("", other).at(8100, 8110)
				s.copy(b, "leaf").at(12000, 12010)
				s.copy(a, "leaf").at(12020, 12030)
			},
			want: []string{"C1 owner: roles leaf/r (update)", "C10 epoch: roles leaf/r (update)"},
		},
		"of a collection, what a finalizer keeps stays": {
			log: func(s *script) {
				kept := foresttest.MakeConfiguration("leaf").Parent(tree).Obj()
				kept.Finalizers = []string{"x"}
				s.put("", "hnc.x-k8s.io", "hierarchyconfigurations", kept)
				s.add(made("deletecollection", "hnc.x-k8s.io", "hierarchyconfigurations", "leaf", "")).at(8000, 8010)
				s.copy("", other).at(8100, 8110)
				s.copy(a, "leaf").at(12000, 12010)
			},
		},
		"a namespace that terminates stays where it is": {
			log: func(s *script) {
				going := foresttest.MakeNamespace("leaf").Terminating().Obj()
				going.Spec.Finalizers = []corev1.FinalizerName{corev1.FinalizerKubernetes}
				s.put("", "", "namespaces", going).Verb = "delete"
				s.wait(3000).copy(a, "leaf")
			},
		},
		"a shard that was deleted can be written anew before the deletion is answered": {
			log: func(s *script) {
				s.gone("", "coordination.k8s.io", "leases", testSystem, lease.ShardName(treeShard, testShards)).at(8000, 8500)
				s.shard(a, treeShard, a0, 2).at(8100, 8110)
				s.copy(a, tree).at(12000, 12010)
			},
		},
		"a collection goes": {
			log: func(s *script) {
				s.add(made("deletecollection", "hnc.x-k8s.io", "hierarchyconfigurations", "leaf", "")).at(8000, 8010)
				s.copy("", other).at(8100, 8110)
				s.copy(a, "leaf").at(12000, 12010)
			},
			want: []string{"C1 owner: roles leaf/r (create)"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := steady()
			s.namespace("", "leaf")
			s.parent("leaf", tree)
			// b holds the key "leaf" as well, which is that of the root to be.
			leafShard := shard.Of("leaf", testShards)
			require.NotEqual(t, treeShard, leafShard)
			if leafShard != otherShard {
				s.shard(b, leafShard, b0, 1)
			}
			tc.log(s)
			report := s.check(t)
			require.Equal(t, tc.want, said(report), "%s", report)
			require.Equal(t, tc.wantMoving, report.Counts.Moving)
		})
	}
}

// The order of revisions, not that of the lines, decides.
func TestOrderOfLines(t *testing.T) {
	s := steady()
	s.copy(a, tree)
	s.shard(a, treeShard, "", 1)
	n := len(s.entries)
	s.entries[n-1], s.entries[n-2] = s.entries[n-2], s.entries[n-1]
	require.Empty(t, s.check(t).Violations)
}

func TestWindow(t *testing.T) {
	moment := func(ms int) time.Time { return testStart.Add(time.Duration(ms) * time.Millisecond) }
	step := func(revision uint64, received, answered int) *event {
		return &event{verb: "create", revision: revision, received: moment(received), answered: moment(answered)}
	}
	steps := []*event{step(1, 0, 10), step(2, 5, 40), step(3, 20, 30), step(4, 50, 60)}
	tests := map[string]struct {
		received, answered int
		version            string
		wantFirst          int
		wantLast           int
	}{
		"before all": {received: -5, answered: -1, wantFirst: 0, wantLast: 0},
		"across all": {received: -5, answered: 100, wantFirst: 0, wantLast: 4},
		"after all":  {received: 70, answered: 100, wantFirst: 4, wantLast: 4},
		"after a step, and so after those before it": {received: 35, answered: 45, wantFirst: 3, wantLast: 3},
		"in the middle of a slow step":               {received: 15, answered: 18, wantFirst: 1, wantLast: 2},
		"after the version that it names":            {received: -5, answered: 100, version: "3", wantFirst: 3, wantLast: 4},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			loose := &event{verb: "delete", received: moment(tc.received), answered: moment(tc.answered), request: request{version: tc.version}}
			h := newHistory(append([]*event{loose}, steps...))
			require.Len(t, h.loose, 1)
			require.Equal(t, []int{tc.wantFirst, tc.wantLast}, []int{h.loose[0].first, h.loose[0].last})
		})
	}
}
