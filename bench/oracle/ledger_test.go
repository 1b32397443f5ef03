// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// lives is a forest of which each namespace has a UID, with some objects of users.
func lives(text string, objects ...Object) Facts {
	f := forest(text)
	for name := range f.Namespaces {
		f.Namespaces[name] = Namespace{UID: "first"}
	}
	f.Objects = objects
	return f
}

func TestLost(t *testing.T) {
	own := Object{Kind: "Role", Namespace: "p", Name: "own-p-0"}
	both := Object{Kind: "Role", Namespace: "p", Name: shared + "0"}
	quiet := Object{Kind: "Secret", Namespace: "p", Name: shared + "0"}
	subject := Subject{"p", whatAnchor + "c"}
	for name, tc := range map[string]struct {
		users func(*Ledger)
		now   Facts
		want  string // begins the only loss; empty: nothing is lost
	}{
		"all is as it was": {nil, lives("p c", own, both, quiet), ""},
		"an object of which there is one only is gone":        {nil, lives("p c", both, quiet), "p: Role own-p-0"},
		"an object that an ancestor's may replace is gone":    {nil, lives("p c", own, quiet), ""},
		"an object that no ancestor's may replace is gone":    {nil, lives("p c", own, both), "p: Secret shared-0"},
		"a mode for a moment let it be replaced":              {func(l *Ledger) { l.wins["Secret"] = true }, lives("p c", own, both), ""},
		"an object that users deleted is back":                {func(l *Ledger) { l.write("first", own.subject(), "") }, lives("p c", own, both, quiet), "p: Role own-p-0"},
		"an object that nobody wrote is there":                {nil, lives("p c", own, both, quiet, Object{Kind: "Role", Namespace: "c", Name: "x"}), "c: Role x: nobody wrote"},
		"a parent that nobody set":                            {nil, lives("p p/c", own, both, quiet), "c: parent"},
		"an anchor is gone":                                   {func(l *Ledger) { l.write("first", subject, "an anchor") }, lives("p c", own, both, quiet), "p: SubnamespaceAnchor c"},
		"a namespace is gone":                                 {nil, lives("p", own, both, quiet), "c: the namespace was deleted"},
		"a namespace is gone that users deleted":              {func(l *Ledger) { l.loose["c"] = true }, lives("p", own, both, quiet), ""},
		"a namespace is gone whose anchor's namespace went":   {func(l *Ledger) { l.claims[Place{"p", "c"}] = true; l.loose["p"] = true }, lives(""), ""},
		"a namespace is there that nobody asked for":          {nil, lives("p c d", own, both, quiet), "d: the namespace exists"},
		"a namespace is there that an anchor asked for":       {func(l *Ledger) { l.claims[Place{"p", "d"}] = true }, lives("p c d", own, both, quiet), ""},
		"one falls alone, and another goes with it":           {func(l *Ledger) { l.Alone([]string{"p"}) }, lives(""), "c: the namespace was deleted"},
		"one must fall, and stays":                            {func(l *Ledger) { l.Alone([]string{"c"}) }, lives("p c", own, both, quiet), "c: the namespace had to go"},
		"what was in a namespace goes with it without a word": {func(l *Ledger) { l.loose["p"] = true }, lives("c"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			before := lives("p c", own, both, quiet)
			before.Modes["Secret"] = api.AllowPropagate
			l := NewLedger([]string{"p", "c", "d"}, before)
			if tc.users != nil {
				tc.users(l)
			}
			lost := l.Lost(tc.now)
			if tc.want == "" {
				require.Empty(t, lost)
				return
			}
			require.Len(t, lost, 1)
			require.Truef(t, strings.HasPrefix(lost[0], tc.want), "%s", lost[0])
		})
	}
}

func TestDiffer(t *testing.T) {
	a, b, c := Subject{"a", "labels"}, Subject{"a", "namespace"}, Subject{"", "mode"}
	got := Differ(Statements{a: "1", b: "exists", c: "x"}, Statements{a: "2", c: "x"})
	require.Empty(t, cmp.Diff([]Difference{{a, "1", "2"}, {b, "exists", ""}}, got))
}

func TestSameSeedDrawsTheSame(t *testing.T) {
	draw := func(seed uint64) (all []Operation) {
		r := rand.New(rand.NewPCG(seed, 1))
		for range 500 {
			all = append(all, Draw(r))
		}
		return all
	}
	require.Equal(t, draw(1), draw(1))
	require.NotEqual(t, draw(1), draw(2))
	drawn := map[string]bool{}
	for _, o := range draw(1) {
		drawn[o.Verb] = true
	}
	require.Len(t, drawn, len(verbs), "every sort of operation comes up")
}
