// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

// TestConflicts: b hangs below a, d below c. Labels that begin with h are the
// namespaces' own; "env" is managed.
func TestConflicts(t *testing.T) {
	both := []string{"a:s", "d:s"}
	for name, tc := range map[string]struct {
		layout   string // "-a-c" if empty
		mode     api.SynchronizationMode
		more     []hierarchy.Object
		there    []string
		of       *foresttest.Configuration
		want     metav1.StatusReason
		words    []string
		warnings []string
	}{
		"onto the source":                            {there: both, of: config("d").Parent("a"), want: conflict, words: []string{`Secret "s" in namespace "d", by that of "a"`}},
		"below the source":                           {there: both, of: config("d").Parent("b"), want: conflict},
		"the source below one without":               {there: both, of: config("a").Parent("c")},
		"the parent of one of the name":              {there: both, of: config("c").Parent("a"), want: conflict, words: []string{`namespace "d"`}},
		"the same, further down":                     {there: both, of: config("c").Parent("b"), want: conflict},
		"a root again":                               {there: both, of: config("d")},
		"the parent stays":                           {there: []string{"c:s", "d:s"}, of: config("d").Parent("c").Cascading()},
		"copies are no conflict":                     {there: []string{"a:s", "d:s from=c", "c:s none=true"}, of: config("d").Parent("a")},
		"another name":                               {there: []string{"a:s", "d:t"}, of: config("d").Parent("a")},
		"none":                                       {there: []string{"a:s none=true", "d:s"}, of: config("c").Parent("a")},
		"none below does not help":                   {there: []string{"a:s", "d:s none=true"}, of: config("d").Parent("a"), want: conflict},
		"treeSelect has it after the move":           {there: []string{"a:s treeSelect=a", "d:s"}, of: config("d").Parent("b"), want: conflict},
		"treeSelect leaves it out after the move":    {there: []string{"a:s treeSelect=!b", "d:s"}, of: config("d").Parent("b")},
		"select by the label of the destination":     {more: objects(ns("d").Label("home", "v").Obj()), there: []string{"a:s select=home", "d:s"}, of: config("d").Parent("a"), want: conflict},
		"not by that of the source":                  {more: objects(ns("a").Label("home", "v").Obj()), there: []string{"a:s select=home", "d:s"}, of: config("d").Parent("a")},
		"nor by that of the object":                  {there: []string{"a:s select=home label=home", "d:s"}, of: config("d").Parent("a")},
		"select by a label that it inherits then":    {more: objects(config("a").Label("env", "v").Obj()), there: []string{"a:s select=env", "d:s"}, of: config("d").Parent("a"), want: conflict},
		"by a label that it asks for":                {there: []string{"c:s select=env", "d:s"}, of: config("d").Parent("c").Label("env", "v"), want: conflict},
		"by one that it asks for already":            {more: objects(config("d").Parent("c").Label("env", "v").Obj()), there: []string{"c:s select=env", "d:s"}, of: config("d").Parent("c").Label("env", "v").Cascading()},
		"a source begins to select what is below":    {there: []string{"c:s treeSelect=a", "d:s"}, of: config("c").Parent("a"), want: conflict, words: []string{`by that of "c"`}},
		"the end of a halt counts":                   {layout: "zaz", there: []string{"a:s", "b:s"}, of: config("a"), want: conflict},
		"below a halt nothing is copied":             {layout: "z-", there: []string{"a:s", "b:s"}, of: config("b").Parent("a")},
		"below a cycle neither":                      {layout: "ba-", there: []string{"a:s", "c:s"}, of: config("c").Parent("a")},
		"a member leaves a cycle":                    {layout: "ba-", there: []string{"a:s", "b:s", "c:s"}, of: config("a").Parent("c"), want: conflict},
		"a namespace that is going away":             {more: objects(ns("d").Terminating().Obj()), there: both, of: config("d").Parent("a")},
		"AllowPropagate: nobody asked for copies":    {mode: api.AllowPropagate, there: both, of: config("d").Parent("a")},
		"AllowPropagate: the user's stays":           {mode: api.AllowPropagate, there: []string{"a:s all=true", "d:s"}, of: config("d").Parent("a"), warnings: []string{`namespace "d" keeps its own`}},
		"Remove":                                     {mode: api.Remove, there: both, of: config("d").Parent("a")},
		"Ignore":                                     {mode: api.Ignore, there: both, of: config("d").Parent("a")},
		"an update has the version that is known":    {more: objects(config("d").Parent("c").Version("7").Obj()), there: both, of: config("d").Parent("a").Version("7"), want: conflict},
		"a subnamespace, whose anchor speaks for it": {layout: "-A", there: []string{"a:s select=env", "b:s"}, of: config("b").Parent("a").Label("env", "v")},
	} {
		t.Run(name, func(t *testing.T) {
			layout := tc.layout
			if layout == "" {
				layout = "-a-c"
			}
			f := foresttest.CreateIn(scope(t), layout, tc.more...)
			parents := map[string]string{}
			for _, name := range f.Namespaces() {
				parents[name] = f.Parent(name)
			}
			got := validate.Conflicts(f, track(tc.mode, tc.there...), tc.of.Obj())
			requireVerdict(t, got, tc.want, tc.words...)
			requireWarnings(t, got, tc.warnings...)
			for name, parent := range parents {
				require.Equal(t, parent, f.Parent(name), "nothing moved yet")
			}
		})
	}
}

// TestConflictsAreCut: an answer must fit into a terminal.
func TestConflictsAreCut(t *testing.T) {
	there := []string{}
	for i := range 30 {
		there = append(there, fmt.Sprintf("a:s%02d all=true", i), fmt.Sprintf("b:s%02d", i))
	}
	f := foresttest.CreateIn(scope(t), "--")
	move := config("b").Parent("a").Obj()

	got := validate.Conflicts(f, track(api.Propagate, there...), move)
	requireVerdict(t, got, conflict, "... and 10 more", `"s00"`, `"s19"`)
	require.NotContains(t, got.Message, `"s20"`)
	require.Equal(t, 22, strings.Count(got.Message, "\n"))

	got = validate.Conflicts(f, track(api.AllowPropagate, there...), move)
	requireVerdict(t, got, ok)
	require.Len(t, got.Warnings, 6)
	require.Contains(t, got.Warnings[5], "25 more")
}

// TestConflictsForesee tries every move in every forest of three: what is refused
// is what the controller would replace after it, and did not want to before.
func TestConflictsForesee(t *testing.T) {
	refused := 0
	for n := range 4 * 4 * 4 {
		layout := ""
		for i := n; len(layout) < 3; i /= 4 {
			layout += string("-abc"[i%4])
		}
		for child := range 3 {
			for _, parent := range []string{"", "a", "b", "c"} {
				tracked := track(api.Propagate, "a:s treeSelect=!c", "b:s", "c:s")
				name := string(rune('a' + child))
				move := config(name).Parent(parent).Obj()
				f := foresttest.Create(layout)
				got := validate.Conflicts(f, tracked, move)
				before := replaced(f, tracked[0])
				f.SetConfiguration(move)
				want := true
				for place := range replaced(f, tracked[0]) {
					want = want && before[place]
				}
				if !want {
					refused++
				}
				require.Equal(t, want, got.Allowed, "in %q, %s moves below %q: %s", layout, name, parent, got.Message)
			}
		}
	}
	require.Greater(t, refused, 50, "some moves must not happen")
}

func replaced(f *hierarchy.Forest, t propagate.Tracked) map[string]bool {
	places := map[string]bool{}
	for _, namespace := range f.Namespaces() {
		if propagate.Decide(f, t.Objects, t.Mode, propagate.Key{Namespace: namespace, Name: "s"}).Verb == propagate.Replace {
			places[namespace] = true
		}
	}
	return places
}
