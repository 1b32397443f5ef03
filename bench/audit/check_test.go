// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

func TestNothingToCheck(t *testing.T) {
	for name, s := range map[string]*script{"an empty log": newScript(), "a log of users only": newScript()} {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(name, "users") {
				s.namespace("", tree)
			}
			report := s.check(t)
			require.Len(t, report.Violations, 1)
			require.Equal(t, RuleEvidence, report.Violations[0].Rule)
			require.Contains(t, report.String(), "nothing to check")
		})
	}
}

func TestReadPassesOverWhatIsNoEvent(t *testing.T) {
	whole := string(marshal(made("create", "", "configmaps", tree, "x").at(1, 2).Event))
	log, err := Read(strings.NewReader(whole + "\n\n" + whole[:len(whole)/2] + "\n{}\n" + whole))
	require.NoError(t, err)

	counts := log.Check(testConfig).Counts
	require.Equal(t, []int{2, 2}, []int{counts.Events, counts.Unreadable})
}

func TestReadTellsWhereItFailed(t *testing.T) {
	_, err := Read(broken{})
	require.ErrorContains(t, err, "reading line 1 of the audit log")
	require.ErrorIs(t, err, errBroken)
}

func TestReadIgnoresWhatChangesNothing(t *testing.T) {
	tests := map[string]func(e *entry){
		"a read":                   func(e *entry) { e.Verb = "list" },
		"a review":                 func(e *entry) { e.ObjectRef.APIGroup = "authorization.k8s.io" },
		"an earlier stage":         func(e *entry) { e.Stage = auditv1.StageResponseStarted },
		"a request for no object":  func(e *entry) { e.ObjectRef = nil },
		"a request that is denied": func(e *entry) { e.code(403) },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			e := made("update", "", "configmaps", tree, "x").by(b).at(1, 2)
			change(e)
			require.Equal(t, []string{RuleEvidence + ": "}, said(checkEntries(t, []*entry{e})))
		})
	}
}

func TestWrites(t *testing.T) {
	s := steady()
	s.copy(a, tree)
	s.copy(a, tree)
	s.copy(a, tree)
	report := s.check(t)

	from := testStart.Add(70 * time.Millisecond) // of the first copy
	require.Equal(t, []Tally{
		{Replica: a, Verb: "create", Resource: "roles", Count: 1},
		{Replica: a, Verb: "update", Resource: "roles", Count: 2},
	}, report.Writes(from, from.Add(time.Second)))
	require.Equal(t, []Tally{
		{Replica: a, Verb: "create", Resource: "leases", Count: 2},
		{Replica: b, Verb: "create", Resource: "leases", Count: 2},
	}, report.Writes(testStart, from))
	require.Empty(t, report.Writes(from.Add(time.Second), from.Add(time.Hour)))
}

func TestReportIsReadable(t *testing.T) {
	s := steady()
	for range shown + 2 {
		s.copy(b, tree)
	}
	s.shard("", treeShard, "", 1)
	text := s.check(t).String()
	for _, want := range []string{
		"rule            judged  excused  violations  of\n",
		"C1 owner        12      0        12          writes into namespaces",
		"C8 conditional  11      0        0           updates",
		"writes of replicas            16, judged 12",
		"  replicas: heartbeats             2\n",
		"meddling           1\n",
		"admin: update leases hnc-system/banyan-shard-8-004",
		"violations         12\n",
		`C1 owner: banyan-1/ub/pb wrote roles tree/r (create) at revision 107: key "tree" is in shard 4, and its holder is banyan-0/ua/pa.0`,
		"C1 owner: and 2 more",
	} {
		require.Contains(t, text, want, text)
	}
}

func TestEvidence(t *testing.T) {
	idle := []Scenario{{Name: "x", Span: Span{From: testStart, To: testStart.Add(time.Hour)}, Before: []string{"x"}, After: []string{"x"}}}
	tests := map[string]struct {
		require []string
		marks   Marks
		log     func(*script)
		want    []string
	}{
		"without demands, any write will do": {},
		"a rule that judged is content":      {require: []string{RuleOwner, RuleEpoch}, log: func(s *script) { s.copy(a, tree) }},
		"one that did not is none":           {require: []string{RuleOwner, RuleTransfer}, want: []string{"C1 owner judged nothing"}},
		"nor is one with nothing to probe": {
			marks: Marks{Probes: []Probe{{Prefix: "p", Span: idle[0].Span}}},
			want:  []string{`no user wrote an object whose name begins with "p"`, "C9 fresh judged nothing"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := steady()
			if tc.log != nil {
				tc.log(s)
			}
			cfg := testConfig
			cfg.Require, cfg.Marks = tc.require, tc.marks
			requireFaults(t, s.checkWith(t, cfg), tc.want)
		})
	}
}

// requireFaults checks that the violations are these, in any order.
func requireFaults(t *testing.T, r Report, want []string) {
	t.Helper()
	require.Len(t, r.Violations, len(want), "%s", r)
	for _, part := range want {
		require.Contains(t, r.String(), part)
	}
}

// broken is a reader that fails.
type broken struct{}

var errBroken = errors.New("disk on fire")

func (broken) Read([]byte) (int, error) { return 0, errBroken }
