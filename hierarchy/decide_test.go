// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Short names for the builders, since the tables below consist of them.
var (
	ns     = foresttest.MakeNamespace
	config = foresttest.MakeConfiguration
	anchor = foresttest.MakeAnchor
)

type objects []hierarchy.Object

// decideScope excludes x and manages the label env and the annotation note.
func decideScope(t testing.TB) hierarchy.Scope {
	return scopeOf(t, hierarchy.ScopeOptions{
		ExcludedNamespaces:          []string{"x"},
		ManagedNamespaceLabels:      []string{"env"},
		ManagedNamespaceAnnotations: []string{"note"},
	})
}

type decideCase struct {
	layout      string
	more        objects
	deletingCRD bool
	of          string
	want        string
}

func (tc decideCase) run(t *testing.T) {
	f := foresttest.CreateIn(decideScope(t), tc.layout, tc.more...)
	f.SetDeletingCRD(tc.deletingCRD)
	got := f.Decide(f.Observe(tc.of), foresttest.Time).String()
	if diff := cmp.Diff(trim(tc.want), got); diff != "" {
		t.Errorf("plan for %s (-want +got):\n%s", tc.of, diff)
	}
}

// trim makes a plan out of a literal that is indented like code.
func trim(literal string) string {
	var lines []string
	for line := range strings.Lines(literal) {
		if line = strings.TrimLeft(strings.TrimRight(line, "\n"), "\t"); line != "" {
			lines = append(lines, line+"\n")
		}
	}
	return strings.Join(lines, "")
}

// labelled is a namespace that has all the labels of its place.
func labelled(name string, ancestors ...string) *foresttest.Namespace {
	b := ns(name).Label(api.LabelIncludedNamespace, "true")
	for depth, n := range append([]string{name}, ancestors...) {
		b.Label(hierarchy.TreeLabel(n), string(rune('0'+depth)))
	}
	return b
}

func TestDecideNamespace(t *testing.T) {
	tests := map[string]decideCase{
		"a new root gets its labels and nothing else": {layout: "-", of: "a", want: `
			patch Namespace a: its labels or annotations do not fit its place in the tree
			  + metadata.labels.a.tree.hnc.x-k8s.io/depth=0
			  + metadata.labels.hnc.x-k8s.io/included-namespace=true
		`},
		"a root that is right needs nothing": {more: objects{labelled("a").Obj()}, of: "a"},
		"a child gets the labels of its ancestors": {layout: "-a", of: "b", want: `
			patch Namespace b: its labels or annotations do not fit its place in the tree
			  + metadata.labels.a.tree.hnc.x-k8s.io/depth=1
			  + metadata.labels.b.tree.hnc.x-k8s.io/depth=0
			  + metadata.labels.hnc.x-k8s.io/included-namespace=true
		`},
		"a moved child loses those of the old ones, and keeps its own": {
			more: objects{ns("a").Obj(), config("b").Parent("a").Obj(), labelled("b", "old", "older").Label("color", "red").Obj()},
			of:   "b", want: `
			patch Namespace b: its labels or annotations do not fit its place in the tree
			  + metadata.labels.a.tree.hnc.x-k8s.io/depth=1
			  - metadata.labels.old.tree.hnc.x-k8s.io/depth=1
			  - metadata.labels.older.tree.hnc.x-k8s.io/depth=2
		`},
		"a wrong mark of inclusion is corrected": {
			more: objects{labelled("a").Label(api.LabelIncludedNamespace, "no").Obj()}, of: "a", want: `
			patch Namespace a: its labels or annotations do not fit its place in the tree
			  - metadata.labels.hnc.x-k8s.io/included-namespace=no
			  + metadata.labels.hnc.x-k8s.io/included-namespace=true
		`},
		"an unmanaged namespace only loses its mark": {
			more: objects{labelled("x", "y").Label("color", "red").Obj()}, of: "x", want: `
			patch Namespace x: it is not managed
			  - metadata.labels.hnc.x-k8s.io/included-namespace=true
		`},
		"an unmanaged namespace without it is left alone": {
			more: objects{ns("x").Label("x.tree.hnc.x-k8s.io/depth", "0").Label("env", "y").Obj(), config("x").Parent("y").Obj()}, of: "x",
		},
		"a terminating namespace is left in peace": {more: objects{ns("a").Terminating().Obj()}, of: "a"},
		"a managed key set directly disappears": {
			more: objects{labelled("a").Label("env", "mine").Annotation("note", "mine").Annotation("other", "mine").Obj()}, of: "a", want: `
			patch Namespace a: its labels or annotations do not fit its place in the tree
			  - metadata.annotations.note=mine
			  - metadata.labels.env=mine
		`},
		"an external namespace keeps foreign labels": {
			more: objects{ns("a").External().Label("up.tree.hnc.x-k8s.io/depth", "1").Label("env", "theirs").Annotation("note", "theirs").Obj(),
				config("a").Label("env", "ours").Annotation("note", "ours").Obj()}, of: "a", want: `
			patch Namespace a: its labels or annotations do not fit its place in the tree
			  + metadata.labels.a.tree.hnc.x-k8s.io/depth=0
			  + metadata.labels.hnc.x-k8s.io/included-namespace=true
		`},
		"what is configured for an external namespace is written if it is a label": {
			more: objects{labelled("a").External().Obj(), config("a").Label("env", "ours").Annotation("note", "ours").Obj()}, of: "a", want: `
			patch Namespace a: its labels or annotations do not fit its place in the tree
			  + metadata.labels.env=ours
		`},
	}
	for name, tc := range tests {
		t.Run(name, tc.run)
	}
}

func TestDecideCreation(t *testing.T) {
	create := `
		create Namespace n: its anchor asks for it
		  + metadata.annotations.hnc.x-k8s.io/subnamespace-of=b
		  + metadata.labels.a.tree.hnc.x-k8s.io/depth=2
		  + metadata.labels.b.tree.hnc.x-k8s.io/depth=1
		  + metadata.labels.hnc.x-k8s.io/included-namespace=true
		  + metadata.labels.n.tree.hnc.x-k8s.io/depth=0
		  + metadata.name=n
		`
	tests := map[string]decideCase{
		"nobody asks": {layout: "-", of: "n"},
		"an anchor that calls it ready must be corrected first": {
			layout: "-a", more: objects{anchor("b", "n").Finalizer().Ready("True", "Arrived").Obj()}, of: "n",
		},
		"an anchor without finalizer waits": {layout: "-a", more: objects{anchor("b", "n").Obj()}, of: "n"},
		"then the namespace comes with all its labels": {
			layout: "-a", more: objects{anchor("b", "n").Finalizer().Obj()}, of: "n", want: create,
		},
		"and with what is managed": {
			layout: "-", more: objects{config("a").Label("env", "prod").Obj(), anchor("a", "n").Finalizer().Label("env", "dev").Annotation("note", "hi").Obj()},
			of: "n", want: `
			create Namespace n: its anchor asks for it
			  + metadata.annotations.hnc.x-k8s.io/subnamespace-of=a
			  + metadata.annotations.note=hi
			  + metadata.labels.a.tree.hnc.x-k8s.io/depth=1
			  + metadata.labels.env=prod
			  + metadata.labels.hnc.x-k8s.io/included-namespace=true
			  + metadata.labels.n.tree.hnc.x-k8s.io/depth=0
			  + metadata.name=n
		`},
		"the oldest claim wins": {
			layout: "-ac", more: objects{ns("c").Obj(), anchor("c", "n").Created(2).Finalizer().Obj(), anchor("b", "n").Created(1).Finalizer().Obj()}, of: "n", want: create,
		},
		"then the first by name": {
			layout: "-a-", more: objects{anchor("c", "n").Created(1).Finalizer().Obj(), anchor("b", "n").Created(1).Finalizer().Obj()}, of: "n", want: create,
		},
		"an older claim without finalizer is waited for": {
			layout: "-a-", more: objects{anchor("c", "n").Created(1).Obj(), anchor("b", "n").Created(2).Finalizer().Obj()}, of: "n",
		},
		"one that goes away is not": {
			layout: "-a-", more: objects{anchor("c", "n").Created(1).Finalizer().Terminating().Obj(), anchor("b", "n").Created(2).Finalizer().Obj()}, of: "n", want: create,
		},
		"nor one in a namespace that goes away": {
			layout: "-a", more: objects{ns("c").Terminating().Obj(), anchor("c", "n").Created(1).Finalizer().Obj(), anchor("b", "n").Created(2).Finalizer().Obj()}, of: "n", want: create,
		},
		"nor one in an unmanaged namespace": {
			layout: "-a", more: objects{ns("x").Obj(), anchor("x", "n").Created(1).Finalizer().Obj(), anchor("b", "n").Created(2).Finalizer().Obj()}, of: "n", want: create,
		},
		"an unmanaged name is not created":         {layout: "-", more: objects{anchor("a", "x").Finalizer().Obj()}, of: "x"},
		"a name that no namespace can have is not": {layout: "-", more: objects{anchor("a", "n.m").Finalizer().Obj()}, of: "n.m"},
		"nothing is created while uninstalling":    {layout: "-a", more: objects{anchor("b", "n").Finalizer().Obj()}, deletingCRD: true, of: "n"},
		"a leftover configuration says nothing": {
			layout: "-a", more: objects{anchor("b", "n").Finalizer().Obj(), config("n").Label("env", "old").Obj()}, of: "n", want: create,
		},
	}
	for name, tc := range tests {
		t.Run(name, tc.run)
	}
}

func TestDecideConfiguration(t *testing.T) {
	tests := map[string]decideCase{
		"a parent lists its children, sorted": {
			more: objects{labelled("a").Obj(), ns("c").Obj(), config("c").Parent("a").Obj(), ns("b").Obj(), config("b").Parent("a").Obj()}, of: "a", want: `
			create HierarchyConfiguration a/hierarchy: there is something to say about the namespace
			  + metadata.name=hierarchy
			  + metadata.namespace=a
			  + status.children[0]=b
			  + status.children[1]=c
		`},
		"a list that is right is not written": {
			layout: "-a", more: objects{labelled("a").Obj(), config("a").Children("b").Obj()}, of: "a",
		},
		"a list is emptied, and the object stays": {
			more: objects{labelled("a").Obj(), config("a").Children("b").Obj()}, of: "a", want: `
			patch HierarchyConfiguration a/hierarchy: it does not fit the place of its namespace in the tree
			  - status.children[0]=b
		`},
		"a subnamespace gets its parent and what its anchor says": {
			more: objects{labelled("a").Obj(), labelled("b", "a").Label("env", "dev").SubnamespaceOf("a").Obj(), anchor("a", "b").Label("env", "dev").Obj()}, of: "b", want: `
			create HierarchyConfiguration b/hierarchy: there is something to say about the namespace
			  + metadata.name=hierarchy
			  + metadata.namespace=b
			  + spec.labels[0].key=env
			  + spec.labels[0].value=dev
			  + spec.parent=a
		`},
		"edits of a subnamespace's configuration are undone": {
			more: objects{labelled("a").Obj(), ns("c").Obj(), labelled("b", "a").SubnamespaceOf("a").Obj(), anchor("a", "b").Obj(),
				config("b").Parent("c").Label("env", "dev").Cascading().Obj()}, of: "b", want: `
			patch HierarchyConfiguration b/hierarchy: it does not fit the place of its namespace in the tree
			  - spec.labels[0].key=env
			  - spec.labels[0].value=dev
			  - spec.parent=c
			  + spec.parent=a
		`},
		"a missing anchor leaves what it said, and is reported": {
			more: objects{labelled("a").Obj(), labelled("b", "a").Label("env", "dev").SubnamespaceOf("a").Obj(), config("b").Parent("a").Label("env", "dev").Obj()}, of: "b", want: `
			patch HierarchyConfiguration b/hierarchy: it does not fit the place of its namespace in the tree
			  + status.conditions[0].lastTransitionTime=2026-01-02T03:04:05Z
			  + status.conditions[0].message=This namespace says that it is a subnamespace of "a", which has no anchor for it; create the anchor in "a", or remove the annotation hnc.x-k8s.io/subnamespace-of to make this a full namespace.
			  + status.conditions[0].reason=SubnamespaceAnchorMissing
			  + status.conditions[0].status=True
			  + status.conditions[0].type=BadConfiguration
		`},
		"an anchor that goes away still speaks": {
			more: objects{labelled("a").Obj(), labelled("b", "a").SubnamespaceOf("a").Obj(), config("b").Parent("a").Obj(), anchor("a", "b").Terminating().Obj()}, of: "b",
		},
		"anchors hold the configuration": {
			more: objects{labelled("a").Obj(), config("a").Obj(), anchor("a", "b").Finalizer().State(api.Missing).Obj()}, of: "a", want: `
			patch HierarchyConfiguration a/hierarchy: it does not fit the place of its namespace in the tree
			  + metadata.finalizers[0]=hnc.x-k8s.io/hasSubnamespace
		`},
		"but are no reason to create one": {
			more: objects{labelled("a").Obj(), anchor("a", "b").Finalizer().State(api.Missing).Obj()}, of: "a",
		},
		"without anchors it is let go": {
			more: objects{labelled("a").Obj(), config("a").Finalizer().Obj()}, of: "a", want: `
			patch HierarchyConfiguration a/hierarchy: it does not fit the place of its namespace in the tree
			  - metadata.finalizers[0]=hnc.x-k8s.io/hasSubnamespace
		`},
		"a user may delete it from a living namespace": {
			more: objects{labelled("a").Obj(), config("a").Finalizer().Terminating().Obj(), anchor("a", "b").Finalizer().State(api.Missing).Obj()}, of: "a", want: `
			patch HierarchyConfiguration a/hierarchy: it does not fit the place of its namespace in the tree
			  - metadata.finalizers[0]=hnc.x-k8s.io/hasSubnamespace
		`},
		"not while anchors need it in a dying one": {
			more: objects{ns("a").Terminating().Obj(), config("a").Finalizer().Terminating().Obj(), anchor("a", "b").Finalizer().Terminating().State(api.Ok).Obj(),
				ns("b").SubnamespaceOf("a").Terminating().Obj()}, of: "a",
		},
		"no finalizer is added to what is being deleted": {
			more: objects{ns("a").Terminating().Obj(), config("a").Terminating().Obj(), anchor("a", "b").State(api.Missing).Obj()}, of: "a",
		},
		"none is created in a dying namespace": {
			layout: "-a", more: objects{ns("a").Terminating().Obj()}, of: "a",
		},
		"an unmanaged one loses finalizer and children only": {
			more: objects{ns("x").Obj(), config("x").Parent("y").Finalizer().Children("z").Label("env", "y").Obj()}, of: "x", want: `
			patch HierarchyConfiguration x/hierarchy: its namespace is not managed
			  - metadata.finalizers[0]=hnc.x-k8s.io/hasSubnamespace
			  - status.children[0]=z
		`},
		"while uninstalling a dying one is let go, with a word": {
			layout: "-", more: objects{config("a").Finalizer().Terminating().Obj(), anchor("a", "b").Obj()}, deletingCRD: true, of: "a", want: `
			patch HierarchyConfiguration a/hierarchy: its definition is being deleted
			  - metadata.finalizers[0]=hnc.x-k8s.io/hasSubnamespace
			  + status.conditions[0].lastTransitionTime=2026-01-02T03:04:05Z
			  + status.conditions[0].message=Nothing is copied or removed, because the definitions of the API group "hnc.x-k8s.io" are being deleted; install them again to go on.
			  + status.conditions[0].reason=DeletingCRD
			  + status.conditions[0].status=True
			  + status.conditions[0].type=ActivitiesHalted
		`},
		"while uninstalling nothing else is touched": {
			layout: "-a", more: objects{ns("a").Label("env", "wrong").Obj()}, deletingCRD: true, of: "a",
		},
	}
	for name, tc := range tests {
		t.Run(name, tc.run)
	}
}

func TestDecideRemoval(t *testing.T) {
	gone := anchor("a", "n").Finalizer().State(api.Ok).Terminating().Obj()
	remove := "delete Namespace n: its anchor is being deleted"
	child := labelled("n", "a").SubnamespaceOf("a").Obj()
	settled := config("n").Parent("a").Obj()
	below := objects{ns("m").Obj(), config("m").Parent("n").Obj()}

	tests := map[string]decideCase{
		"a leaf goes with its anchor":                   {layout: "-", more: objects{child, settled, gone}, of: "n", want: remove},
		"a living anchor keeps it":                      {layout: "-", more: objects{child, settled, anchor("a", "n").Finalizer().State(api.Ok).Obj()}, of: "n"},
		"so does one that does not wait":                {layout: "-", more: objects{child, settled, anchor("a", "n").State(api.Ok).Terminating().Obj()}, of: "n"},
		"the anchor of another namespace means nothing": {layout: "--", more: objects{child, settled, anchor("a", "n").Finalizer().Obj(), anchor("b", "n").Finalizer().Terminating().Obj()}, of: "n"},
		"a full namespace does not go":                  {layout: "-", more: objects{labelled("n").Obj(), gone}, of: "n"},
		"what terminates is not deleted again":          {layout: "-", more: objects{ns("n").SubnamespaceOf("a").Terminating().Obj(), settled, gone}, of: "n"},
		"nothing is deleted while uninstalling":         {layout: "-", more: objects{child, settled, gone}, deletingCRD: true, of: "n"},
		"children keep it":                              {layout: "-", more: append(objects{child, config("n").Parent("a").Children("m").Obj(), gone}, below...), of: "n"},
		"unless itself allows": {
			layout: "-", more: append(objects{child, config("n").Parent("a").Cascading().Obj(), gone}, below...), of: "n", want: remove,
		},
		"or an ancestor": {
			layout: "-", more: append(objects{child, settled, config("a").Cascading().Obj(), gone}, below...), of: "n", want: remove,
		},
	}
	for name, tc := range tests {
		t.Run(name, tc.run)
	}
}

// TestMissingAnchorNeverDeletes states it once more, since it matters most.
func TestMissingAnchorNeverDeletes(t *testing.T) {
	f := foresttest.Create("-A")
	f.RemoveAnchor("a", "b")
	for _, action := range f.Decide(f.Observe("b"), foresttest.Time).Actions {
		require.NotEqual(t, hierarchy.Delete, action.Verb)
	}
}

// TestUnmanagedAnchorsNeverDelete: an anchor in an unmanaged namespace is let
// go, and so it has no say in what it names.
func TestUnmanagedAnchorsNeverDelete(t *testing.T) {
	f := foresttest.CreateIn(decideScope(t), "", ns("x").Obj(), ns("n").SubnamespaceOf("x").Obj(), anchor("x", "n").Finalizer().State(api.Ok).Terminating().Obj())
	plan := f.Decide(f.Observe("n"), foresttest.Time)
	require.Contains(t, plan.String(), "IllegalParent")
	require.NotContains(t, plan.String(), "delete")
}

func TestDecideDoesNotMutate(t *testing.T) {
	objs := objects{
		ns("a").Label("env", "wrong").Annotation("note", "wrong").Obj(), config("a").Label("env", "x").Children("q").Terminating().Obj(),
		anchor("a", "b").Ready("False", "Halted").Obj(), ns("b").SubnamespaceOf("a").Obj(), config("b").Label("other", "x").Finalizer().Obj(), anchor("b", "c").Terminating().Obj(),
	}
	var before []hierarchy.Object
	for _, o := range objs {
		before = append(before, o.DeepCopyObject().(hierarchy.Object))
	}
	f := foresttest.CreateIn(decideScope(t), "", objs...)
	for _, name := range []string{"a", "b", "c"} {
		plan := f.Decide(f.Observe(name), foresttest.Time)
		for _, key := range f.AnchorsIn(name) {
			plan.Actions = append(plan.Actions, f.DecideAnchor(key, hierarchy.Arrival{Awaited: 1}, foresttest.Time).Actions...)
		}
		for _, action := range plan.Actions {
			if a, ok := action.After.(*api.SubnamespaceAnchor); ok && len(a.Status.Conditions) > 0 {
				a.Status.Conditions[0].Message = "scribble"
			}
			if n, ok := action.After.(*corev1.Namespace); ok { // the shell may do with it what it likes
				n.Labels["scribble"], n.Annotations["scribble"] = "x", "x"
			}
		}
	}
	require.Equal(t, objects(before), objs)
}

func TestConditionTimes(t *testing.T) {
	later := metav1.NewTime(foresttest.Time.Add(time.Hour))
	f := foresttest.CreateIn(decideScope(t), "z")
	first := configurationAfter(t, f, foresttest.Time)
	require.Equal(t, []string{"ParentMissing"}, reasons(first))
	require.True(t, foresttest.Time.Equal(&first.Status.Conditions[0].LastTransitionTime))

	f.SetConfiguration(first)
	require.NotContains(t, f.Decide(f.Observe("a"), later).String(), "HierarchyConfiguration", "a condition that stands keeps its time")

	moved := first.DeepCopy()
	moved.Spec.Parent = "y"
	f.SetConfiguration(moved)
	second := configurationAfter(t, f, later)
	require.True(t, later.Equal(&second.Status.Conditions[0].LastTransitionTime), "other words, another time")

	f.SetNamespace(ns("y").Obj())
	require.Empty(t, configurationAfter(t, f, later).Status.Conditions)
}

func TestConditions(t *testing.T) {
	tests := map[string]struct {
		layout string
		more   objects
		of     string
		want   []string // type/reason
		words  string   // a fragment of the last message
	}{
		"a healthy tree has none":          {layout: "-aB", of: "c"},
		"a missing parent":                 {layout: "z", of: "a", want: []string{"ActivitiesHalted/ParentMissing"}, words: `"z" does not exist; create it`},
		"a missing grandparent":            {layout: "za", of: "b", want: []string{"ActivitiesHalted/AncestorHaltActivities"}, words: `ancestor "a" is halted`},
		"an unmanaged parent, not missing": {layout: "x", of: "a", want: []string{"ActivitiesHalted/IllegalParent"}, words: "excluded"},
		"a cycle of one":                   {layout: "a", of: "a", want: []string{"ActivitiesHalted/InCycle"}, words: "a <- a"},
		"a cycle of two":                   {layout: "ba", of: "b", want: []string{"ActivitiesHalted/InCycle"}, words: "a <- b <- a"},
		"below a cycle":                    {layout: "bab", of: "c", want: []string{"ActivitiesHalted/AncestorHaltActivities"}, words: `"b"`},
		"an illegal label names the last key": {
			more: objects{ns("a").Obj(), config("a").Label("one", "1").Label("env", "2").Label("three", "3").Label("env", "4").Obj()}, of: "a",
			want: []string{"BadConfiguration/IllegalManagedLabel"}, words: `"three"`,
		},
		"a legal key with an illegal value": {
			more: objects{ns("a").Obj(), config("a").Label("env", "-no-").Obj()}, of: "a", want: []string{"BadConfiguration/IllegalManagedLabel"}, words: `"env"`,
		},
		"an illegal annotation outweighs an illegal label": {
			more: objects{ns("a").Obj(), config("a").Label("one", "1").Annotation("two", "2").Obj()}, of: "a", want: []string{"BadConfiguration/IllegalManagedAnnotation"}, words: `"two"`,
		},
		"an illegal label outweighs a missing anchor": {
			layout: "-", more: objects{ns("b").SubnamespaceOf("a").Obj(), config("b").Label("one", "1").Obj()}, of: "b", want: []string{"BadConfiguration/IllegalManagedLabel"},
		},
		"what the anchor says counts, not the configuration": {
			layout: "-", more: objects{ns("b").SubnamespaceOf("a").Obj(), anchor("a", "b").Label("bad", "1").Obj(), config("b").Label("env", "1").Obj()}, of: "b",
			want: []string{"BadConfiguration/IllegalManagedLabel"}, words: `"bad"`,
		},
		"types do not hide one another": {
			layout: "-", more: objects{ns("b").SubnamespaceOf("z").Obj()}, of: "b",
			want: []string{"ActivitiesHalted/ParentMissing", "BadConfiguration/SubnamespaceAnchorMissing"},
		},
		"the ancestor comes first": {
			layout: "za", more: objects{config("b").Parent("a").Label("one", "1").Obj()}, of: "b",
			want: []string{"ActivitiesHalted/AncestorHaltActivities", "BadConfiguration/IllegalManagedLabel"},
		},
		"an external namespace has no parent to miss": {
			more: objects{ns("a").External().SubnamespaceOf("z").Obj(), config("a").Parent("z").Obj()}, of: "a",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := foresttest.CreateIn(decideScope(t), tc.layout, tc.more...)
			c := configurationAfter(t, f, foresttest.Time, tc.of)
			var got []string
			for _, condition := range c.Status.Conditions {
				require.Equal(t, metav1.ConditionTrue, condition.Status)
				require.Contains(t, condition.Message, ";", "the message says what helps")
				require.NotContains(t, condition.Message, "%!", "the message is well formed")
				got = append(got, condition.Type+"/"+condition.Reason)
			}
			require.Equal(t, tc.want, got)
			if tc.words != "" {
				require.Contains(t, c.Status.Conditions[len(got)-1].Message, tc.words)
			}
		})
	}
}

// configurationAfter is the configuration of a, or of another namespace, once
// its plan is carried out.
func configurationAfter(t *testing.T, f *hierarchy.Forest, now metav1.Time, of ...string) *api.HierarchyConfiguration {
	t.Helper()
	name := append(of, "a")[0]
	seen := f.Observe(name)
	for _, action := range f.Decide(seen, now).Actions {
		if c, ok := action.After.(*api.HierarchyConfiguration); ok {
			return c
		}
	}
	if seen.Configuration == nil {
		return &api.HierarchyConfiguration{}
	}
	return seen.Configuration
}

func reasons(c *api.HierarchyConfiguration) []string {
	var all []string
	for _, condition := range c.Status.Conditions {
		all = append(all, condition.Reason)
	}
	return all
}
