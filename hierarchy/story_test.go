// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// TestCostOfSubnamespace counts the writes that a new subnamespace takes: its
// finalizer unless it is born with it, itself, its configuration, and the last
// word of its anchor. Its copies take a second to arrive.
func TestCostOfSubnamespace(t *testing.T) {
	for name, tc := range map[string]struct {
		anchor *foresttest.Anchor
		want   []string
	}{
		"born with the finalizer": {anchor("a", "n").Finalizer(), []string{"*v1.Namespace", "*v1alpha2.HierarchyConfiguration", "*v1alpha2.SubnamespaceAnchor"}},
		"born without":            {anchor("a", "n"), []string{"*v1alpha2.SubnamespaceAnchor", "*v1.Namespace", "*v1alpha2.HierarchyConfiguration", "*v1alpha2.SubnamespaceAnchor"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(decideScope(t), "a", "n")
			w.put(ns("a").Obj())
			w.rest(t)
			w.writes = nil
			w.put(tc.anchor.Label("env", "dev").Obj())
			w.rest(t)
			require.Equal(t, tc.want, w.written("n"))
			a, _ := w.forest.Anchor("a", "n")
			require.Equal(t, "Ok True/Arrived held", saying(a))

			w.writes = nil
			w.awaited = 5 // a new source in the parent
			w.rest(t)
			require.Empty(t, w.written("n"))
		})
	}
}

// TestLosersOfAName follows three anchors that want the same name.
func TestLosersOfAName(t *testing.T) {
	first, second, third := anchor("a", "n").Created(1).Finalizer(), anchor("b", "n").Created(2).Finalizer(), anchor("c", "n").Created(3).Finalizer()
	f := foresttest.CreateIn(hierarchy.Scope{}, "---", third.Obj(), first.Obj(), second.Obj())
	owner := func() string {
		for _, action := range f.Decide(f.Observe("n"), foresttest.Time).Actions {
			return action.After.GetAnnotations()[api.AnnotationSubnamespaceOf]
		}
		return ""
	}
	says := func(namespace string) string {
		f := foresttest.CreateIn(hierarchy.Scope{}, "", everyObject(f, "a", "b", "c", "n")...)
		settle(f, "a", "b", "c", "n")
		a, _ := f.Anchor(namespace, "n")
		return saying(a)
	}
	require.Equal(t, "a", owner(), "the oldest gets it")
	require.Equal(t, "Ok True/Arrived held", says("a"))
	require.Equal(t, "Conflict False/NamespaceConflict held", says("b"))

	change := f.SetNamespace(ns("a").Terminating().Obj())
	require.Contains(t, change.Decide, "n", "the winner loses its right when its namespace begins to go")
	require.Contains(t, change.Strayed, "n", "and its key with it")
	require.Equal(t, "b", owner(), "and the next oldest gets it at once")

	change = f.SetAnchor(anchor("b", "n").Created(2).Finalizer().Terminating().Obj())
	require.Contains(t, change.Decide, "n", "or when it is deleted itself")
	require.Equal(t, "c", owner())

	// c gets it. When it is gone together with its namespace, somebody else may.
	carryOut(f, f.Decide(f.Observe("n"), foresttest.Time))
	require.Empty(t, owner())
	f.SetAnchor(second.Obj())
	require.Equal(t, "Conflict False/NamespaceConflict held", says("b"))
	f.SetNamespace(ns("c").Terminating().Obj())
	require.Empty(t, owner(), "not while the namespace exists")
	f.RemoveAnchor("c", "n")
	f.RemoveNamespace("c")
	change = f.RemoveNamespace("n")
	require.Contains(t, change.Decide, "n")
	require.Contains(t, change.Anchors, hierarchy.AnchorKey{Namespace: "b", Name: "n"})
	require.Equal(t, "b", owner())

	change = f.RemoveNamespace("b")
	require.Contains(t, change.Decide, "n", "a winner whose namespace is gone has no right")
	require.Empty(t, owner(), "and a dying namespace gets nothing")
	change = f.SetNamespace(ns("b").Obj())
	require.Contains(t, change.Decide, "n", "it comes after its anchor")
	require.Equal(t, "b", owner())
}

// everyObject that a forest knows of these namespaces.
func everyObject(f *hierarchy.Forest, namespaces ...string) objects {
	var all objects
	for _, name := range namespaces {
		seen := f.Observe(name)
		if seen.Namespace != nil {
			all = append(all, seen.Namespace)
		}
		if seen.Configuration != nil {
			all = append(all, seen.Configuration)
		}
		for _, a := range f.Anchors(name) {
			all = append(all, a)
		}
	}
	return all
}

// TestNothingIsLeftOfATree: a namespace that has neither parent nor children nor
// anchors any more keeps an empty configuration, which holds nothing.
func TestNothingIsLeftOfATree(t *testing.T) {
	w := newWorld(decideScope(t), "a", "b", "n")
	w.put(ns("a").Obj())
	w.put(ns("b").Obj())
	w.put(config("b").Parent("a").Obj())
	w.put(anchor("a", "n").Label("env", "dev").Obj())
	w.rest(t)
	require.Equal(t, []string{"b", "n"}, w.forest.Observe("a").Configuration.Status.Children)
	require.Equal(t, []string{api.FinalizerHasSubnamespace}, w.forest.Observe("a").Configuration.Finalizers)

	w.doom(w.objects["*v1alpha2.SubnamespaceAnchor a/n"])
	w.put(config("b").Obj())
	w.rest(t)
	require.False(t, w.forest.Exists("n"))
	for _, name := range []string{"a", "b"} {
		left := w.forest.Observe(name).Configuration
		require.NotNil(t, left, "it is never deleted")
		require.Empty(t, left.Finalizers)
		require.Zero(t, left.Spec)
		require.Empty(t, left.Status.Children)
		require.Empty(t, left.Status.Conditions)
		require.Equal(t, map[string]string{api.LabelIncludedNamespace: "true", name + api.LabelTreeDepthSuffix: "0"}, w.forest.Observe(name).Namespace.Labels)
	}
}

// TestExcludedInTheMiddle starts one process after the other over the same
// objects: the second excludes a namespace in the middle of a tree, the third
// includes it again.
func TestExcludedInTheMiddle(t *testing.T) {
	everything := hierarchy.Scope{}
	without := scopeOf(t, hierarchy.ScopeOptions{ExcludedNamespaces: []string{"b"}})
	all := []string{"a", "b", "c", "d", "n"}
	restart := func(scope hierarchy.Scope, objs ...hierarchy.Object) *world {
		w := newWorld(scope, all...)
		for _, o := range objs {
			w.put(o)
		}
		w.rest(t)
		return w
	}
	conditions := func(w *world) map[string][]string {
		found := map[string][]string{}
		for _, trouble := range w.forest.Troubles() {
			found[trouble.Reason] = trouble.Namespaces
		}
		return found
	}
	says := func(w *world, namespace, name string) string {
		a, _ := w.forest.Anchor(namespace, name)
		return saying(a)
	}

	healthy := restart(everything, append(foresttest.Objects("-aBc"), anchor("b", "n").Obj())...)
	require.Empty(t, conditions(healthy))
	require.Equal(t, "Ok True/Arrived held", says(healthy, "b", "n"))

	broken := restart(without, everyObject(healthy.forest, all...)...)
	require.Equal(t, map[string][]string{"IllegalParent": {"c", "n"}, "AncestorHaltActivities": {"d"}}, conditions(broken))
	for _, name := range all {
		require.True(t, broken.forest.Exists(name), "nothing is deleted")
	}
	require.NotContains(t, broken.forest.Observe("b").Namespace.Labels, api.LabelIncludedNamespace)
	require.Equal(t, "Ok True/Arrived", says(broken, "b", "n"), "an anchor in an unmanaged namespace is let go, and no more")

	healed := restart(everything, everyObject(broken.forest, all...)...)
	require.Empty(t, conditions(healed))
	require.Equal(t, "Ok True/Arrived held", says(healed, "b", "n"))
	for _, name := range all {
		require.Equal(t, healthy.forest.Observe(name).Namespace.Labels, healed.forest.Observe(name).Namespace.Labels)
		require.Empty(t, healed.forest.Decide(healed.forest.Observe(name), later(1000)).Actions)
		for _, key := range healed.forest.AnchorsIn(name) {
			require.Empty(t, healed.forest.DecideAnchor(key, hierarchy.Arrival{Waited: time.Hour}, later(1000)).Actions)
		}
	}
}
