// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/shard/lease"
)

// recordOf is the line that a Recorder writes for an entry.
func recordOf(t *testing.T, e *entry, kind watch.EventType, revision int) string {
	t.Helper()
	l := &coordinationv1.Lease{}
	if e.ResponseObject != nil && kind != watch.Deleted {
		require.NoError(t, json.Unmarshal(e.ResponseObject.Raw, l))
	}
	l.Namespace, l.Name, l.ResourceVersion = e.ObjectRef.Namespace, e.ObjectRef.Name, strconv.Itoa(revision)
	return lineOf(e, kind, l)
}

func lineOf(e *entry, kind watch.EventType, object metav1.Object) string {
	return string(marshal(record{
		Type: string(kind), At: e.StageTimestamp.Time, Group: e.ObjectRef.APIGroup, Resource: e.ObjectRef.Resource, Object: marshal(object),
	})) + "\n"
}

// What the log alone shows, and what the record of Leases shows beside it.
func TestRecordedLeases(t *testing.T) {
	tests := map[string]struct {
		log                   func(s *script) (records string)
		want                  []string
		count                 func(Report) int
		wantAlone, wantWithIt int
	}{
		"a deletion gets its place": {
			log: func(s *script) string {
				e := s.gone("", coordinationv1.GroupName, "leases", testSystem, lease.ShardName(treeShard, testShards)).at(8000, 8500)
				r := recordOf(t, e, watch.Deleted, s.revision)
				s.copy(a, tree).at(8100, 8110)
				s.copy("", other).at(12000, 12010)
				return r
			},
			count: func(r Report) int { return r.Counts.Meddled }, wantWithIt: 1,
		},
		"a write that the log lost is known": {
			log: func(s *script) string {
				s.shard(a, treeShard, "", 1)
				e := s.shard(b, treeShard, b0, 2)
				r := recordOf(t, e, watch.Modified, s.revision)
				s.copy(b, tree)
				s.shard(b, treeShard, "", 2)
				s.drop(e)
				return r
			},
			count: func(r Report) int { return r.Counts.Unclear }, wantAlone: 1,
		},
		"so is one that no other write names": {
			log: func(s *script) string {
				e := s.beat(b, "banyan-0", "")
				r := recordOf(t, e, watch.Modified, s.revision)
				s.copy(a, tree)
				s.drop(e)
				return r
			},
			want:  []string{"C1 owner: roles tree/r (create)", "C3 fence: roles tree/r (create)"},
			count: func(r Report) int { return len(r.Violations) }, wantWithIt: 2,
		},
		"and a deletion that the log lost": {
			log: func(s *script) string {
				e := s.gone("", coordinationv1.GroupName, "leases", testSystem, lease.ShardName(treeShard, testShards))
				r := recordOf(t, e, watch.Deleted, s.revision)
				s.wait(3000).copy(a, tree)
				s.drop(e)
				return r
			},
			want:  []string{"C1 owner: roles tree/r (create)"},
			count: func(r Report) int { return len(r.Violations) }, wantWithIt: 1,
		},
		"what the log has is not doubled": {
			log: func(s *script) string {
				e := s.shard(a, treeShard, "", 1)
				return recordOf(t, e, watch.Modified, s.revision)
			},
			count: func(r Report) int { return r.Counts.Watched },
		},
		"half a line is left by a Recorder that was killed": {
			log:   func(*script) string { return `{"type": "MODIF` },
			count: func(r Report) int { return r.Counts.Watched },
		},
		"a hole is told": {
			log:   func(*script) string { return `{"type": "LOST"}` + "\n" },
			count: func(r Report) int { return r.Counts.Lost }, wantWithIt: 1,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := steady()
			records := tc.log(s)
			require.Equal(t, tc.wantAlone, tc.count(s.check(t)), "without the record")

			log := readEntries(t, s.entries)
			require.NoError(t, log.AddRecord(strings.NewReader(records)))
			report := log.Check(testConfig)
			require.Equal(t, tc.want, said(report), "%s", report)
			require.Equal(t, tc.wantWithIt, tc.count(report), "%s", report)
			require.Equal(t, report, log.Check(testConfig), "a log can be checked twice")
		})
	}
}

func TestRecordMustBeReadable(t *testing.T) {
	for name, line := range map[string]string{"no JSON": "x\n", "no object": `{"type": "ADDED"}` + "\n"} {
		t.Run(name, func(t *testing.T) {
			require.ErrorContains(t, (&Log{}).AddRecord(strings.NewReader(line)), "reading line 1 of the record")
		})
	}
}

// "leaf" moves from "tree", which a holds, to "other", which b holds. What stamps it and
// ends the move is answered with a timeout, and is done nevertheless.
func TestRecordedMoves(t *testing.T) {
	const owner, epoch = RuleOwner + ": roles leaf/r (update)", RuleEpoch + ": roles leaf/r (update)"
	timeout := func(e *entry) string {
		configuration := &api.HierarchyConfiguration{}
		if err := json.Unmarshal(e.ResponseObject.Raw, configuration); err != nil {
			panic(err) // it was made by this test
		}
		e.code(504).ResponseObject = nil
		return lineOf(e, watch.Modified, configuration)
	}
	tests := map[string]struct {
		log                   func(s *script) (records string)
		wantAlone, wantWithIt []string
		wantHanded            int // with the record
	}{
		"the new holder may write after the end": {
			log:       func(s *script) string { s.stamp(tree); r := timeout(s.end(a)); s.copy(b, "leaf"); return r },
			wantAlone: []string{owner, epoch}, wantHanded: 1,
		},
		"whoever it was that ended it": {
			log: func(s *script) string {
				s.stamp(tree)
				e := s.end(a)
				r := timeout(e)
				s.copy(b, "leaf")
				s.drop(e)
				return r
			},
			wantAlone: []string{owner, epoch},
		},
		"and after the second of two, too": {
			log: func(s *script) string {
				r := timeout(s.stamp(tree)) + timeout(s.end(a))
				s.copy(b, "leaf")
				return r
			},
			wantAlone: []string{owner, epoch}, wantHanded: 1,
		},
		"but not before it": {
			log:       func(s *script) string { s.stamp(tree); s.copy(b, "leaf"); return timeout(s.end(a)) },
			wantAlone: []string{owner, epoch}, wantWithIt: []string{owner, epoch}, wantHanded: 1,
		},
		"nobody but the former holder ends it": {
			log:        func(s *script) string { s.stamp(tree); return timeout(s.end(b)) },
			wantWithIt: []string{RuleOwner + ": hierarchyconfigurations leaf/hierarchy (update)", RuleEpoch + ": hierarchyconfigurations leaf/hierarchy (update)"}, wantHanded: 1,
		},
		"the former holder stops": {
			log:       func(s *script) string { s.stamp(tree); r := timeout(s.end(a)); s.wait(3000).copy(a, "leaf"); return r },
			wantAlone: []string{RuleStamp + ": roles leaf/r (update)"}, wantWithIt: []string{owner}, wantHanded: 1,
		},
		"it stops also for a stamp that only the record has": {
			log:        func(s *script) string { r := timeout(s.stamp(tree)); s.wait(3000).copy(a, "leaf"); return r },
			wantWithIt: []string{RuleStamp + ": roles leaf/r (update)"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := steady()
			s.namespace("", "leaf")
			s.parent("leaf", tree)
			s.wait(5000).copy(a, "leaf")
			records := tc.log(s)
			report := s.check(t)
			require.Equal(t, tc.wantAlone, said(report), "without the record: %s", report)

			log := readEntries(t, s.entries)
			require.NoError(t, log.AddRecord(strings.NewReader(records)))
			report = log.Check(testConfig)
			require.Equal(t, tc.wantWithIt, said(report), "%s", report)
			require.Equal(t, tc.wantHanded, report.Counts.Handed)
			require.Positive(t, report.Counts.Watched)
		})
	}
}

// Of several deletions of one Lease, each gets the revision that was seen near it.
func TestNearestDeletion(t *testing.T) {
	at := func(seconds int) time.Time { return testStart.Add(time.Duration(seconds) * time.Second) }
	events := []*event{{answered: at(0)}, {answered: at(10)}, {answered: at(20)}}
	place, found := nearest(events, []int{0, 1, 2}, at(12))
	require.Equal(t, []any{1, true}, []any{place, found})
	_, found = nearest(events, nil, at(12))
	require.False(t, found)
}
