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
	"k8s.io/apimachinery/pkg/watch"

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
	return string(marshal(record{Type: string(kind), At: e.StageTimestamp.Time, Lease: l})) + "\n"
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
			require.NoError(t, log.AddLeases(strings.NewReader(records)))
			report := log.Check(testConfig)
			require.Equal(t, tc.want, said(report), "%s", report)
			require.Equal(t, tc.wantWithIt, tc.count(report), "%s", report)
			require.Equal(t, report, log.Check(testConfig), "a log can be checked twice")
		})
	}
}

func TestRecordedLeasesMustBeReadable(t *testing.T) {
	for name, line := range map[string]string{"no JSON": "x\n", "no Lease": `{"type": "ADDED"}` + "\n"} {
		t.Run(name, func(t *testing.T) {
			require.ErrorContains(t, (&Log{}).AddLeases(strings.NewReader(line)), "reading line 1 of the record of Leases")
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
