// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// an is the anchor that most tables are about.
var an = hierarchy.AnchorKey{Namespace: "a", Name: "n"}

// saying is what an anchor says, as "Ok True/Arrived held".
func saying(a *api.SubnamespaceAnchor) string {
	words := []string{string(a.Status.State)}
	for _, c := range a.Status.Conditions {
		words = append(words, fmt.Sprintf("%s/%s", c.Status, c.Reason))
	}
	if slices.Contains(a.Finalizers, api.FinalizerAnchor) {
		words = append(words, "held")
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// summary of a plan for an anchor, as "write Ok True/Arrived held; again in 2s".
func summary(plan hierarchy.Plan) string {
	var parts []string
	for _, action := range plan.Actions {
		parts = append(parts, "write "+saying(action.After.(*api.SubnamespaceAnchor)))
		if action.Tell.Reason != "" {
			parts = append(parts, "tell "+action.Tell.Reason)
		}
	}
	if plan.Again > 0 {
		parts = append(parts, fmt.Sprintf("again in %s", plan.Again))
	}
	return strings.Join(parts, "; ")
}

// carryOut folds what a plan writes.
func carryOut(f *hierarchy.Forest, plan hierarchy.Plan) {
	for _, action := range plan.Actions {
		if action.Verb != hierarchy.Delete {
			foresttest.Fold(f, action.After)
		}
	}
}

type anchorCase struct {
	layout      string
	more        objects
	deletingCRD bool
	of          hierarchy.AnchorKey // a/n if empty
	arrival     hierarchy.Arrival
	want        string
	words       string // a fragment of the message
}

func (tc anchorCase) run(t *testing.T) {
	key := tc.of
	if key.Name == "" {
		key = an
	}
	f := foresttest.CreateIn(decideScope(t), tc.layout, tc.more...)
	f.SetDeletingCRD(tc.deletingCRD)
	plan := f.DecideAnchor(key, tc.arrival, foresttest.Time)
	require.Equal(t, key.Namespace, plan.Namespace)
	if diff := cmp.Diff(tc.want, summary(plan)); diff != "" {
		t.Errorf("plan for %v (-want +got):\n%s", key, diff)
	}
	carryOut(f, plan)
	require.Empty(t, f.DecideAnchor(key, tc.arrival, foresttest.Time).Actions, "what is written once is not written again")

	a, ok := f.Anchor(key.Namespace, key.Name)
	for i := range len(plan.Actions) {
		require.True(t, ok && i == 0, "an anchor is written at most once")
		for _, c := range a.Status.Conditions {
			require.Equal(t, "Ready", c.Type)
			require.NotContains(t, c.Message, "%!", "the message is well formed")
			require.Contains(t, c.Message, tc.words)
		}
	}
}

func TestDecideAnchorOfMissing(t *testing.T) {
	held := anchor("a", "n").Finalizer()
	tests := map[string]anchorCase{
		"finalizer and word come in one write": {
			layout: "-", more: objects{anchor("a", "n").Obj()}, want: "write Missing False/NamespaceMissing held", words: `"n" does not exist`,
		},
		"with a finalizer from birth nothing is said for a moment": {
			layout: "-", more: objects{held.Obj()}, want: "again in 2s",
		},
		"for the rest of the moment": {
			layout: "-", more: objects{held.Obj()}, arrival: hierarchy.Arrival{Waited: 1500 * time.Millisecond}, want: "again in 500ms",
		},
		"but then": {
			layout: "-", more: objects{held.Obj()}, arrival: hierarchy.Arrival{Waited: 2 * time.Second}, want: "write Missing False/NamespaceMissing held",
		},
		"a namespace that was ready and is gone is told at once": {
			layout: "-", more: objects{anchor("a", "n").Finalizer().State(api.Ok).Ready("True", "Arrived").Obj()}, want: "write Missing False/NamespaceMissing held",
		},
		"one that was on its way out may come again first": {
			layout: "-", more: objects{anchor("a", "n").Finalizer().State(api.Ok).Ready("False", "Terminating").Obj()}, want: "again in 2s",
		},
		"what HNC wrote is corrected after the moment": {
			layout: "-", more: objects{anchor("a", "n").Finalizer().State(api.Ok).Obj()}, arrival: hierarchy.Arrival{Waited: time.Hour}, want: "write Missing False/NamespaceMissing held",
		},
		"an unmanaged name is forbidden and not held": {
			layout: "-", more: objects{anchor("a", "x").Finalizer().State(api.Missing).Obj()}, of: hierarchy.AnchorKey{Namespace: "a", Name: "x"},
			want: "write Forbidden False/NameForbidden", words: "excluded by --excluded-namespace",
		},
		"even if there is such a namespace": {
			layout: "-", more: objects{ns("x").SubnamespaceOf("a").Obj(), anchor("a", "x").Obj()}, of: hierarchy.AnchorKey{Namespace: "a", Name: "x"}, want: "write Forbidden False/NameForbidden",
		},
		"so is a name that no namespace can have": {
			layout: "-", more: objects{anchor("a", "n.m").Obj()}, of: hierarchy.AnchorKey{Namespace: "a", Name: "n.m"}, want: "write Forbidden False/NameForbidden", words: "must not contain dots; delete this anchor",
		},
		"in an unmanaged namespace it is let go, and no more": {
			more: objects{ns("x").Obj(), anchor("x", "n").Finalizer().State(api.Ok).Obj()}, of: hierarchy.AnchorKey{Namespace: "x", Name: "n"}, want: "write Ok",
		},
		"in an unmanaged namespace nothing is said": {
			more: objects{ns("x").Obj(), anchor("x", "n").Obj()}, of: hierarchy.AnchorKey{Namespace: "x", Name: "n"},
		},
		"in a dying namespace nothing comes any more": {
			more: objects{ns("a").Terminating().Obj(), anchor("a", "n").Obj()},
		},
		"before its namespace is known, neither": {more: objects{anchor("a", "n").Obj()}},
		"an anchor that is not there":            {layout: "-"},
		"while uninstalling a living one is left alone": {
			layout: "-", more: objects{anchor("a", "n").Obj()}, deletingCRD: true,
		},
	}
	for name, tc := range tests {
		t.Run(name, tc.run)
	}
}

func TestDecideAnchorOfExisting(t *testing.T) {
	child, placed := ns("n").SubnamespaceOf("a").Obj(), config("n").Parent("a").Obj()
	tree := func(a *foresttest.Anchor) objects { return objects{child, placed, a.Obj()} }
	held := func() *foresttest.Anchor { return anchor("a", "n").Finalizer() }
	ready := func() *foresttest.Anchor { return held().State(api.Ok).Ready("True", "Arrived") }
	awaited := hierarchy.Arrival{Awaited: 3}
	failed := hierarchy.Arrival{Awaited: 3, Failed: 1, Example: "Role reader: quota exceeded"}
	long := func(a hierarchy.Arrival) hierarchy.Arrival { a.Waited = time.Minute; return a }

	tests := map[string]anchorCase{
		"with all it inherits it is ready, in one write":         {layout: "-", more: tree(held()), want: "write Ok True/Arrived held", words: "arrived"},
		"also if the finalizer is still missing":                 {layout: "-", more: tree(anchor("a", "n")), want: "write Ok True/Arrived held"},
		"also after Missing was said":                            {layout: "-", more: tree(held().State(api.Missing).Ready("False", "NamespaceMissing")), want: "write Ok True/Arrived held"},
		"without a configuration it is not in the tree":          {layout: "-", more: objects{child, held().Obj()}, want: "again in 2s"},
		"nor with that of another parent":                        {layout: "-", more: objects{child, config("n").Parent("b").Obj(), held().Obj()}, want: "again in 2s"},
		"and that is told if it lasts":                           {layout: "-", more: objects{child, held().Obj()}, arrival: long(hierarchy.Arrival{}), want: "write Ok False/ObjectsAwaited held; again in 2s"},
		"what is on its way is waited for":                       {layout: "-", more: tree(held()), arrival: awaited, want: "again in 2s"},
		"but a missing finalizer cannot wait":                    {layout: "-", more: tree(anchor("a", "n")), arrival: awaited, want: "write Ok False/ObjectsAwaited held; again in 2s"},
		"and if it lasts it is told":                             {layout: "-", more: tree(held()), arrival: long(awaited), want: "write Ok False/ObjectsAwaited held; again in 2s", words: "events"},
		"a failure is told at once":                              {layout: "-", more: tree(held()), arrival: failed, want: "write Ok False/ObjectsFailed held; again in 2s", words: "Role reader: quota exceeded; remove the cause"},
		"that failures are over is told after a moment":          {layout: "-", more: tree(held().State(api.Ok).Ready("False", "ObjectsFailed")), arrival: awaited, want: "again in 2s"},
		"or together with what came":                             {layout: "-", more: tree(held().State(api.Ok).Ready("False", "ObjectsFailed")), want: "write Ok True/Arrived held"},
		"a conflict is told at once":                             {layout: "-", more: objects{ns("n").Obj(), held().State(api.Missing).Obj()}, want: "write Conflict False/NamespaceConflict held", words: "is no subnamespace; delete this anchor"},
		"a subnamespace of somebody else is a conflict":          {layout: "-", more: objects{ns("n").SubnamespaceOf("b").Obj(), held().Obj()}, want: "write Conflict False/NamespaceConflict held", words: `subnamespace of "b"`},
		"one in the care of another system exists, but not here": {layout: "-", more: objects{ns("n").SubnamespaceOf("a").External().Obj(), placed, held().Obj()}, want: "write Ok False/NamespaceConflict held", words: `"others"`},
		"a halted one is not ready":                              {layout: "z", more: tree(held()), want: "write Ok False/Halted held", words: `"a" is halted`},
		"even if all is there already":                           {layout: "z", more: tree(ready()), want: "write Ok False/Halted held"},
		"a dying one is not":                                     {layout: "-", more: objects{ns("n").SubnamespaceOf("a").Terminating().Obj(), placed, ready().Obj()}, want: "write Ok False/Terminating held", words: "made anew"},
		"a dying one of before is no conflict for a new anchor":  {layout: "-", more: objects{ns("n").SubnamespaceOf("a").Terminating().Obj(), anchor("a", "n").Obj()}, want: "write Ok False/Terminating held"},

		"once ready, a new source changes nothing":  {layout: "-", more: settled(tree(held())), arrival: awaited},
		"nor does it later":                         {layout: "-", more: settled(tree(held())), arrival: long(awaited)},
		"nor does a lost configuration":             {layout: "-", more: settled(tree(held()))[:2]},
		"but a failure does":                        {layout: "-", more: settled(tree(held())), arrival: failed, want: "write Ok False/ObjectsFailed held; again in 2s"},
		"and a conflict":                            {layout: "-", more: objects{ns("n").Obj(), ready().Obj()}, want: "write Conflict False/NamespaceConflict held"},
		"what somebody else wrote is corrected":     {layout: "-", more: tree(held().State("Other").Ready("Unknown", "Whatever")), want: "write Ok True/Arrived held"},
		"so is a reason":                            {layout: "-", more: tree(held().State(api.Ok).Ready("True", "Whatever")), want: "write Ok True/Arrived held"},
		"what HNC left Ok is called ready":          {layout: "-", more: tree(held().State(api.Ok)), want: "write Ok True/Arrived held"},
		"what HNC left Ok is not if copies miss":    {layout: "-", more: tree(held().State(api.Ok)), arrival: long(awaited), want: "write Ok False/ObjectsAwaited held; again in 2s"},
		"while uninstalling a living one stays so":  {layout: "-", more: tree(anchor("a", "n")), deletingCRD: true},
		"a settled anchor is not written":           {layout: "-", more: settled(tree(held()))},
		"a fresh anchor below a halted parent":      {layout: "z", more: tree(held()), arrival: awaited, want: "write Ok False/Halted held"},
		"one named like its own namespace is stuck": {more: objects{ns("n").SubnamespaceOf("n").Obj(), anchor("n", "n").Obj()}, of: hierarchy.AnchorKey{Namespace: "n", Name: "n"}, want: "write Ok False/Halted held"},
	}
	for name, tc := range tests {
		t.Run(name, tc.run)
	}
}

// settled returns the same objects with an anchor a/n, the last of them, that
// says they are all there. The anchor comes second.
func settled(all objects) objects {
	f := foresttest.CreateIn(hierarchy.Scope{}, "-", all...)
	carryOut(f, f.DecideAnchor(an, hierarchy.Arrival{}, foresttest.Time))
	a, _ := f.Anchor("a", "n")
	return objects{all[0], a, all[1]}
}

func TestDecideAnchorDeleted(t *testing.T) {
	child := ns("n").SubnamespaceOf("a").Obj()
	below := objects{child, ns("m").Obj(), config("m").Parent("n").Obj()}
	gone := func(state api.AnchorState) *foresttest.Anchor {
		return anchor("a", "n").Finalizer().State(state).Terminating()
	}
	tests := map[string]anchorCase{
		"it waits for its leaf":                      {layout: "-", more: objects{child, gone(api.Ok).Obj()}, want: "write Ok False/Terminating held", words: `together with its namespace "n".`},
		"and while that terminates":                  {layout: "-", more: objects{ns("n").SubnamespaceOf("a").Terminating().Obj(), gone(api.Ok).Obj()}, want: "write Ok False/Terminating held"},
		"and goes with it":                           {layout: "-", more: objects{gone(api.Ok).Obj()}, want: "write Missing False/Terminating"},
		"a conflicting one goes at once":             {layout: "-", more: objects{ns("n").Obj(), gone(api.Conflict).Obj()}, want: "write Conflict False/Terminating"},
		"a missing one does not wait a moment":       {layout: "-", more: objects{gone("").Obj()}, want: "write Missing False/Terminating"},
		"one whose subnamespace has children, alone": {layout: "-", more: append(below, gone(api.Ok).Obj()), want: "write Ok False/Terminating", words: `"n" stays`},
		"unless cascading is allowed":                {layout: "-", more: append(below, config("a").Cascading().Obj(), gone(api.Ok).Obj()), want: "write Ok False/Terminating held"},
		"while uninstalling it goes alone":           {layout: "-", more: objects{child, gone(api.Ok).Obj()}, deletingCRD: true, want: "write Ok"},
		"a forbidden one goes":                       {layout: "-", more: objects{anchor("a", "x").Finalizer().Terminating().Obj()}, of: hierarchy.AnchorKey{Namespace: "a", Name: "x"}, want: "write Forbidden False/Terminating"},
		"no finalizer is added":                      {layout: "-", more: objects{child, anchor("a", "n").State(api.Ok).Terminating().Obj()}, want: "write Ok False/Terminating", words: `"n" stays`},
		"also in a namespace that goes":              {more: objects{ns("a").Terminating().Obj(), gone(api.Ok).Obj()}, want: "write Missing False/Terminating"},
		"in an unmanaged namespace it goes alone":    {more: objects{ns("x").Obj(), ns("n").SubnamespaceOf("x").Obj(), anchor("x", "n").Finalizer().Terminating().Obj()}, of: hierarchy.AnchorKey{Namespace: "x", Name: "n"}, want: "write "},
		"copies on their way hold nothing up":        {layout: "-", more: objects{gone(api.Ok).Obj()}, arrival: hierarchy.Arrival{Awaited: 1, Failed: 1}, want: "write Missing False/Terminating"},
	}
	for name, tc := range tests {
		t.Run(name, tc.run)
	}
}

// TestReadySince follows the time of the condition: it moves when the condition
// turns True or False, and only then.
func TestReadySince(t *testing.T) {
	at := func(seconds int) metav1.Time {
		return metav1.NewTime(foresttest.Time.Add(time.Duration(seconds)*time.Second + time.Millisecond))
	}
	foreign := metav1.Condition{Type: "Synced", Status: "True", Reason: "GitOps", LastTransitionTime: foresttest.Time}
	first := anchor("a", "n").Obj()
	first.Status.Conditions = []metav1.Condition{foreign}
	f := foresttest.CreateIn(hierarchy.Scope{}, "-", first)
	steps := []struct {
		fold    hierarchy.Object
		arrival hierarchy.Arrival
		want    string
		since   int
	}{
		{want: "False/NamespaceMissing", since: 1},
		{fold: ns("n").Obj(), want: "False/NamespaceConflict", since: 1},
		{fold: ns("n").SubnamespaceOf("a").Obj(), arrival: hierarchy.Arrival{Awaited: 1, Waited: time.Hour}, want: "False/ObjectsAwaited", since: 1},
		{fold: config("n").Parent("a").Obj(), want: "True/Arrived", since: 4},
		{arrival: hierarchy.Arrival{Awaited: 1, Waited: time.Hour}, want: "True/Arrived", since: 4},
		{arrival: hierarchy.Arrival{Awaited: 1, Failed: 1, Example: "ConfigMap c"}, want: "False/ObjectsFailed", since: 6},
		{arrival: hierarchy.Arrival{Awaited: 1, Failed: 1, Example: "ConfigMap d"}, want: "False/ObjectsFailed", since: 6},
		{want: "True/Arrived", since: 8},
	}
	for i, step := range steps {
		if step.fold != nil {
			foresttest.Fold(f, step.fold)
		}
		carryOut(f, f.DecideAnchor(an, step.arrival, at(i+1)))
		a, _ := f.Anchor("a", "n")
		require.Len(t, a.Status.Conditions, 2)
		require.Equal(t, foreign, a.Status.Conditions[0], "other types belong to others")
		ready := a.Status.Conditions[1]
		require.Equal(t, step.want, string(ready.Status)+"/"+ready.Reason, "step %d", i+1)
		require.True(t, ready.LastTransitionTime.Equal(new(at(step.since).Rfc3339Copy())), "step %d: since %s", i+1, ready.LastTransitionTime)
	}
}

// TestPlanShowsAll: what a plan tells besides its writes is in its text.
func TestPlanShowsAll(t *testing.T) {
	f := foresttest.Create("-A")
	require.Equal(t, trim(`
		patch SubnamespaceAnchor a/b: it does not tell the state of its namespace
		  + status.conditions[0].lastTransitionTime=2026-01-02T03:04:05Z
		  + status.conditions[0].message=The namespace "b" is in its tree, and all that it inherits has arrived.
		  + status.conditions[0].reason=Arrived
		  + status.conditions[0].status=True
		  + status.conditions[0].type=Ready
	`), f.DecideAnchor(hierarchy.AnchorKey{Namespace: "a", Name: "b"}, hierarchy.Arrival{}, foresttest.Time).String())
	told := hierarchy.Plan{Again: time.Second, Actions: []hierarchy.Action{
		{Verb: hierarchy.Delete, Before: ns("a").Obj(), Why: "of a test", Tell: hierarchy.Note{Reason: "R", Message: "m"}},
	}}
	require.Equal(t, "delete Namespace a: of a test\n  tell R: m\nagain in 1s\n", told.String())
	require.True(t, hierarchy.Plan{Again: time.Second}.Empty(), "to look again is no write")
}

func TestAnchorsIn(t *testing.T) {
	f := foresttest.CreateIn(hierarchy.Scope{}, "-", anchor("a", "c").Obj(), anchor("a", "b").Obj(), anchor("d", "e").Obj())
	require.Equal(t, []hierarchy.AnchorKey{{Namespace: "a", Name: "b"}, {Namespace: "a", Name: "c"}}, f.AnchorsIn("a"))
	require.Empty(t, f.AnchorsIn("q"))
	require.True(t, f.Observe("a").HasAnchors)
	require.False(t, f.Observe("q").HasAnchors)
	require.Equal(t, []hierarchy.AnchorKey{{Namespace: "a", Name: "b"}, {Namespace: "a", Name: "c"}, {Namespace: "d", Name: "e"}}, f.SetDeletingCRD(true).Anchors)
}

// settle carries out the plans of namespaces and their anchors until they are
// quiet.
func settle(f *hierarchy.Forest, namespaces ...string) {
	for range 10 {
		for _, name := range namespaces {
			carryOut(f, f.Decide(f.Observe(name), foresttest.Time))
			for _, key := range f.AnchorsIn(name) {
				carryOut(f, f.DecideAnchor(key, hierarchy.Arrival{}, foresttest.Time))
			}
		}
	}
}
