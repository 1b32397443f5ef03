// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

func scopeOf(t testing.TB, options hierarchy.ScopeOptions) hierarchy.Scope {
	t.Helper()
	scope, err := hierarchy.NewScope(options)
	require.NoError(t, err)
	return scope
}

func TestStructure(t *testing.T) {
	tests := map[string]struct {
		layout          string
		of              string
		wantAncestors   string
		wantChildren    string
		wantDescendants string
	}{
		"a lone root":                            {layout: "-", of: "a"},
		"a root with a grandchild":               {layout: "-ab", of: "a", wantChildren: "b", wantDescendants: "b c"},
		"a leaf has the nearest first":           {layout: "-ab", of: "c", wantAncestors: "b a"},
		"children are sorted":                    {layout: "-aaab", of: "a", wantChildren: "b c d", wantDescendants: "b c d e"},
		"a missing parent has children":          {layout: "zz", of: "z", wantChildren: "a b", wantDescendants: "a b"},
		"a missing parent is an ancestor":        {layout: "z", of: "a", wantAncestors: "z"},
		"a self-parent is nobody's ancestor":     {layout: "a", of: "a", wantChildren: "a"},
		"in a cycle each is listed once":         {layout: "ca-b", of: "a", wantAncestors: "c", wantChildren: "b", wantDescendants: "b d"},
		"in a cycle of two":                      {layout: "ba", of: "a", wantAncestors: "b", wantChildren: "b", wantDescendants: "b"},
		"below a cycle each is listed once":      {layout: "bab", of: "c", wantAncestors: "b a"},
		"subnamespaces are children":             {layout: "-AB", of: "a", wantChildren: "b", wantDescendants: "b c"},
		"an unknown name has nothing around it":  {layout: "-a", of: "q"},
		"the second of two trees is not touched": {layout: "-a-c", of: "a", wantChildren: "b", wantDescendants: "b"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := foresttest.Create(tc.layout)
			require.Equal(t, tc.wantAncestors, strings.Join(f.Ancestors(tc.of), " "), "ancestors")
			require.Equal(t, tc.wantChildren, strings.Join(f.Children(tc.of), " "), "children")
			require.Equal(t, tc.wantDescendants, strings.Join(f.Descendants(tc.of), " "), "descendants")
		})
	}
}

func TestParent(t *testing.T) {
	tests := map[string]struct {
		objects []hierarchy.Object
		want    string
		wantSub bool
	}{
		"a configuration gives a parent": {
			objects: []hierarchy.Object{foresttest.MakeNamespace("n").Obj(), foresttest.MakeConfiguration("n").Parent("p").Obj()},
			want:    "p",
		},
		"a namespace that is not there has none": {
			objects: []hierarchy.Object{foresttest.MakeConfiguration("n").Parent("p").Obj()},
		},
		"the annotation outweighs the configuration": {
			objects: []hierarchy.Object{foresttest.MakeNamespace("n").SubnamespaceOf("q").Obj(), foresttest.MakeConfiguration("n").Parent("p").Obj()},
			want:    "q", wantSub: true,
		},
		"but not while the namespace terminates": {
			objects: []hierarchy.Object{foresttest.MakeNamespace("n").SubnamespaceOf("q").Terminating().Obj(), foresttest.MakeConfiguration("n").Parent("p").Obj()},
			want:    "p",
		},
		"a terminating subnamespace without a configuration is a root": {
			objects: []hierarchy.Object{foresttest.MakeNamespace("n").SubnamespaceOf("q").Terminating().Obj()},
		},
		"an external namespace is a root": {
			objects: []hierarchy.Object{foresttest.MakeNamespace("n").SubnamespaceOf("q").External().Obj(), foresttest.MakeConfiguration("n").Parent("p").Obj()},
		},
		"managed by ourselves is not external": {
			objects: []hierarchy.Object{foresttest.MakeNamespace("n").Annotation("hnc.x-k8s.io/managed-by", "hnc.x-k8s.io").Obj(), foresttest.MakeConfiguration("n").Parent("p").Obj()},
			want:    "p",
		},
		"a configuration by another name means nothing": {
			objects: []hierarchy.Object{foresttest.MakeNamespace("n").Obj(), misnamed(foresttest.MakeConfiguration("n").Parent("p").Obj())},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := foresttest.CreateIn(hierarchy.Scope{}, "", tc.objects...)
			require.Equal(t, tc.want, f.Parent("n"))
			require.Equal(t, tc.wantSub, f.IsSubnamespace("n"))
		})
	}
}

func misnamed(o hierarchy.Object) hierarchy.Object { o.SetName("other"); return o }

func TestCycleAndHalt(t *testing.T) {
	tests := map[string]struct {
		layout string
		of     string
		want   string // of Cycle
		halted string // of HaltedRoot
	}{
		"a healthy tree":                            {layout: "-ab", of: "c"},
		"a self-parent":                             {layout: "a", of: "a", want: "a <- a", halted: "a"},
		"two, seen from the first":                  {layout: "ba", of: "a", want: "a <- b <- a", halted: "a"},
		"two, seen from the second":                 {layout: "ba", of: "b", want: "a <- b <- a", halted: "b"},
		"three go from parent to child":             {layout: "cab", of: "b", want: "a <- b <- c <- a", halted: "b"},
		"three the other way round":                 {layout: "bca", of: "b", want: "a <- c <- b <- a", halted: "b"},
		"below a cycle there is none":               {layout: "bab", of: "c", halted: "b"},
		"two levels below a cycle":                  {layout: "babc", of: "d", halted: "b"},
		"the child of a missing parent is halted":   {layout: "z", of: "a", halted: "a"},
		"a grandchild names its ancestor":           {layout: "zab", of: "c", halted: "a"},
		"a missing namespace itself is not halted":  {layout: "z", of: "z"},
		"an unrelated tree is healthy":              {layout: "z-b", of: "c"},
		"the child of an unmanaged parent is, too":  {layout: "k", of: "a", halted: "a"},
		"below a namespace with an unmanaged":       {layout: "ka", of: "b", halted: "a"},
		"the parent of a halted one is not":         {layout: "-zb", of: "a"},
		"a cycle with a tail, from a member":        {layout: "-cdb", of: "d", want: "b <- d <- c <- b", halted: "d"},
		"the root beside a cycle":                   {layout: "-cb", of: "a"},
		"an unknown name is neither halted nor not": {layout: "-", of: "q"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := foresttest.CreateIn(scopeOf(t, hierarchy.ScopeOptions{ExcludedNamespaces: []string{"k"}}), tc.layout, foresttest.MakeNamespace("k").Obj())
			require.Equal(t, tc.want, strings.Join(f.Cycle(tc.of), " <- "))
			require.Equal(t, tc.halted, f.HaltedRoot(tc.of))
		})
	}
}

func TestDeletingCRDHaltsEverything(t *testing.T) {
	f := foresttest.Create("-a-")
	change := f.SetDeletingCRD(true)
	require.Equal(t, hierarchy.Change{Decide: []string{"a", "b", "c"}, Objects: []string{"a", "b", "c"}}, change)
	require.Equal(t, "b", f.HaltedRoot("b"))
	require.Empty(t, f.HaltedRoot("q"))
	require.True(t, f.SetDeletingCRD(true).Empty(), "nothing changed")
	f.SetDeletingCRD(false)
	require.Empty(t, f.HaltedRoot("b"))
}

func TestKey(t *testing.T) {
	claim := func(namespace, name string, created int) hierarchy.Object {
		return foresttest.MakeAnchor(namespace, name).Created(created).Obj()
	}
	tests := map[string]struct {
		layout string
		more   []hierarchy.Object
		of     string
		want   string
	}{
		"a root is its own":                            {layout: "-", of: "a", want: "a"},
		"a descendant has that of its root":            {layout: "-ab", of: "c", want: "a"},
		"an orphan has that of its missing parent":     {layout: "z", of: "a", want: "z"},
		"so has what hangs below it":                   {layout: "za", of: "b", want: "z"},
		"a missing parent keeps it when it comes":      {layout: "z", more: []hierarchy.Object{foresttest.MakeNamespace("z").Obj()}, of: "a", want: "z"},
		"a member of a cycle has the smallest":         {layout: "-cdb", of: "d", want: "b"},
		"so has what hangs below a cycle":              {layout: "bab", of: "c", want: "a"},
		"an unknown name is its own":                   {layout: "-", of: "q", want: "q"},
		"a wanted namespace has that of its anchor":    {layout: "-a", more: []hierarchy.Object{claim("b", "n", 1)}, of: "n", want: "a"},
		"the oldest anchor counts":                     {layout: "-a-c", more: []hierarchy.Object{claim("b", "n", 2), claim("d", "n", 1)}, of: "n", want: "c"},
		"then the first by name":                       {layout: "-a-c", more: []hierarchy.Object{claim("d", "n", 1), claim("b", "n", 1)}, of: "n", want: "a"},
		"an orphan of a wanted namespace goes with it": {layout: "-n", more: []hierarchy.Object{claim("a", "n", 1)}, of: "b", want: "a"},
		"an anchor that goes away wants nothing":       {layout: "-", more: []hierarchy.Object{foresttest.MakeAnchor("a", "n").Terminating().Obj()}, of: "n", want: "n"},
		"an anchor without a namespace wants nothing":  {layout: "-", more: []hierarchy.Object{claim("z", "n", 1)}, of: "n", want: "n"},
		"wanted by its own orphan":                     {layout: "n", more: []hierarchy.Object{claim("a", "n", 1)}, of: "n", want: "a"},
		"an anchor cannot want an existing namespace":  {layout: "--", more: []hierarchy.Object{claim("a", "b", 1)}, of: "b", want: "b"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, foresttest.CreateIn(hierarchy.Scope{}, tc.layout, tc.more...).Key(tc.of))
		})
	}
}

// TestCreationMovesNothing follows a subnamespace from wish to existence.
func TestCreationMovesNothing(t *testing.T) {
	f := foresttest.Create("-a")
	require.Empty(t, f.SetAnchor(foresttest.MakeAnchor("b", "n").Obj()).Strayed)
	require.Equal(t, "a", f.Key("n"))
	f.SetAnchor(foresttest.MakeAnchor("b", "n").Finalizer().Obj())
	plan := f.Decide(f.Observe("n"), foresttest.Time)
	require.Len(t, plan.Actions, 1)
	require.Empty(t, foresttest.Fold(f, plan.Actions[0].After).Strayed)
	require.Equal(t, "a", f.Key("n"))
}

// TestStampedMove follows a move whose stamp says under which key nobody writes any
// more before the new one counts.
func TestStampedMove(t *testing.T) {
	f := foresttest.Create("-ab-")
	change := f.SetConfiguration(foresttest.MakeConfiguration("b").Parent("d").Stamp("a").Obj())
	require.Empty(t, change.Moved, "nobody else may write yet")
	require.Empty(t, change.Strayed)
	require.Equal(t, []string{"b", "c"}, change.Objects)
	require.Equal(t, []string{"a", "b", "c", "d"}, change.Decide, "and both parents list their children")
	for _, name := range []string{"b", "c"} {
		require.Equal(t, "a", f.Key(name))
		require.Equal(t, "d", f.Root(name))
		require.Equal(t, "b", f.Moving(name))
	}
	require.Empty(t, f.Moving("d"), "only what moves")

	plan := f.Decide(f.Observe("b"), foresttest.Time)
	require.True(t, plan.Acknowledges())
	require.NotContains(t, plan.Actions[0].After.GetAnnotations(), api.AnnotationPreviousKey)
	change = foresttest.Fold(f, plan.Actions[0].After)
	require.Equal(t, []string{"b", "c"}, change.Moved, "the whole subtree has its new key")
	require.Empty(t, change.Strayed)
	require.Equal(t, "d", f.Key("c"))
	require.False(t, f.Decide(f.Observe("b"), foresttest.Time).Acknowledges())
}

// TestOwnKeys: the nearest namespace that has one counts, wherever it stands. Trees,
// and with them the rights of their roots, are as they were.
func TestOwnKeys(t *testing.T) {
	for name, tc := range map[string]struct {
		layout string
		keys   string
		of     string
		want   string
		root   string
	}{
		"of its own":                     {layout: "-abc", keys: "b", of: "b", want: "b", root: "a"},
		"of what is above":               {layout: "-abc", keys: "b", of: "d", want: "b", root: "a"},
		"not of what is below":           {layout: "-abc", keys: "c", of: "b", want: "a", root: "a"},
		"one within another":             {layout: "-abc", keys: "b c", of: "d", want: "c", root: "a"},
		"above that":                     {layout: "-abc", keys: "b d", of: "c", want: "b", root: "a"},
		"of a root, which has one":       {layout: "-ab", keys: "a", of: "c", want: "a", root: "a"},
		"of an orphan":                   {layout: "za", keys: "a", of: "b", want: "a", root: "z"},
		"of a member of a cycle":         {layout: "bca", keys: "b", of: "b", want: "b", root: "a"},
		"of those that come by it":       {layout: "bca", keys: "c", of: "a", want: "c", root: "a"},
		"of what hangs below a cycle":    {layout: "bab", keys: "c", of: "c", want: "c", root: "a"},
		"of a namespace that is missing": {layout: "z", keys: "z", of: "a", want: "z", root: "z"},
	} {
		t.Run(name, func(t *testing.T) {
			f := foresttest.Create(tc.layout)
			for _, name := range strings.Fields(tc.keys) {
				f.SetConfiguration(foresttest.MakeConfiguration(name).Parent(f.Parent(name)).OwnKey().Obj())
			}
			require.Equal(t, tc.want, f.Key(tc.of))
			require.Equal(t, tc.root, f.Root(tc.of))
		})
	}
}

// TestOwnKeyIsGivenAndTaken like a move: the owner before acknowledges, whoever is the
// next one. What has a key of its own below does not move.
func TestOwnKeyIsGivenAndTaken(t *testing.T) {
	f := foresttest.Create("-abc")
	f.SetConfiguration(foresttest.MakeConfiguration("d").Parent("c").OwnKey().Obj())
	acknowledged := func() hierarchy.Change {
		plan := f.Decide(f.Observe("b"), foresttest.Time)
		require.True(t, plan.Acknowledges())
		require.Equal(t, f.HasOwnKey("b"), hierarchy.AsksForOwnKey(plan.Actions[0].After.(*api.HierarchyConfiguration)), "it stays")
		return foresttest.Fold(f, plan.Actions[0].After)
	}
	for _, tc := range []struct {
		to            *foresttest.Configuration
		before, after string
	}{
		{foresttest.MakeConfiguration("b").Parent("a").OwnKey().Stamp("a"), "a", "b"},
		{foresttest.MakeConfiguration("b").Parent("a").Stamp("b"), "b", "a"},
	} {
		change := f.SetConfiguration(tc.to.Obj())
		require.Empty(t, change.Strayed)
		require.Empty(t, change.Moved)
		require.Empty(t, change.Objects, "nothing else is inherited")
		require.Equal(t, tc.before, f.Key("c"))
		require.Equal(t, "b", f.Moving("c"))
		require.Empty(t, f.Moving("d"))
		require.Equal(t, "d", f.Key("d"))
		change = acknowledged()
		require.Equal(t, []string{"b", "c"}, change.Moved)
		require.Empty(t, change.Strayed)
		require.Equal(t, tc.after, f.Key("c"))
	}
	require.Equal(t, map[string]string{"b": "a", "c": "a"}, f.SetConfiguration(foresttest.MakeConfiguration("b").Parent("a").OwnKey().Obj()).Strayed, "without a stamp")
	require.Empty(t, f.SetConfiguration(foresttest.MakeConfiguration("b").OwnKey().Obj()).Strayed, "it moves, and keeps its key")
	require.Equal(t, "b", f.Key("c"))
}

// TestStamps: what they mean in odd places.
func TestStamps(t *testing.T) {
	for name, tc := range map[string]struct {
		layout  string
		stamped string
		of      string
		wantKey string
	}{
		"the nearest one counts":                   {layout: "-abc", stamped: "b c", of: "d", wantKey: "was-c"},
		"one above counts":                         {layout: "-abc", stamped: "b", of: "d", wantKey: "was-b"},
		"one below does not":                       {layout: "-abc", stamped: "d", of: "c", wantKey: "a"},
		"one of a member of a cycle counts for it": {layout: "bca", stamped: "b", of: "b", wantKey: "was-b"},
		"and for those that come by it":            {layout: "bca", stamped: "b", of: "a", wantKey: "was-b"},
	} {
		t.Run(name, func(t *testing.T) {
			f := foresttest.Create(tc.layout)
			for _, stamped := range strings.Fields(tc.stamped) {
				b := foresttest.MakeConfiguration(stamped).Parent(f.Parent(stamped)).Stamp("was-" + stamped)
				f.SetConfiguration(b.Obj())
			}
			require.Equal(t, tc.wantKey, f.Key(tc.of))
		})
	}
}

// TestStrayed: what changes its key without a stamp may still be written by whoever
// had it before.
func TestStrayed(t *testing.T) {
	f := foresttest.Create("-ab-")
	require.Equal(t, map[string]string{"b": "a", "c": "a"}, f.SetConfiguration(foresttest.MakeConfiguration("b").Parent("d").Obj()).Strayed)
	wrong := f.SetConfiguration(foresttest.MakeConfiguration("b").Parent("a").Stamp("x").Obj())
	require.Equal(t, map[string]string{"b": "d", "c": "d"}, wrong.Strayed, "a stamp that is wrong proves nothing")
	require.Equal(t, map[string]string{"c": "a"}, foresttest.Create("-ab").RemoveNamespace("b").Strayed)
}

func TestNamespacesByKey(t *testing.T) {
	f := foresttest.CreateIn(hierarchy.Scope{}, "c-b-", foresttest.MakeAnchor("a", "n").Obj())
	require.Equal(t, []string{"b", "c", "a", "n"}, f.NamespacesByKey(func(_, key string) bool { return key == "b" }))
	all := f.NamespacesByKey(func(string, string) bool { return true })
	for _, name := range all {
		if parent := f.Parent(name); parent != "" {
			require.Less(t, slices.Index(all, parent), slices.Index(all, name), "%s comes before %s", parent, name)
		}
	}
}

func TestAllowsCascadingDeletion(t *testing.T) {
	f := foresttest.CreateIn(hierarchy.Scope{}, "-abb", foresttest.MakeConfiguration("b").Parent("a").Cascading().Obj())
	require.False(t, f.AllowsCascadingDeletion("a"), "not upwards")
	require.True(t, f.AllowsCascadingDeletion("b"))
	require.True(t, f.AllowsCascadingDeletion("d"), "a far ancestor")
	cycle := foresttest.Create("bab")
	require.False(t, cycle.AllowsCascadingDeletion("c"))
}

func TestReadingCreatesNothing(t *testing.T) {
	f := foresttest.Create("-")
	f.Key("q")
	f.Children("q")
	f.Decide(f.Observe("q"), foresttest.Time)
	require.Equal(t, []string{"a"}, f.Namespaces())
	require.Nil(t, f.Labels("q"))
}

// TestSmallChangesStaySmall is the other half of TestChange: nothing more than
// what changed is looked at again.
func TestSmallChangesStaySmall(t *testing.T) {
	scope := scopeOf(t, hierarchy.ScopeOptions{ManagedNamespaceLabels: []string{"env"}})
	tests := map[string]struct {
		more []hierarchy.Object
		fold hierarchy.Object
		want hierarchy.Change
	}{
		"a status write": {
			fold: foresttest.MakeConfiguration("a").Children("b").Obj(),
			want: hierarchy.Change{Decide: []string{"a"}},
		},
		"a plain label": {
			fold: foresttest.MakeNamespace("a").Label("color", "red").Obj(),
			want: hierarchy.Change{Decide: []string{"a"}, Objects: []string{"a"}},
		},
		"a write of our own": {
			fold: foresttest.MakeNamespace("a").Label("hnc.x-k8s.io/included-namespace", "true").Label("a.tree.hnc.x-k8s.io/depth", "0").Obj(),
			want: hierarchy.Change{Decide: []string{"a"}},
		},
		"somebody tampers with a label of ours": {
			fold: foresttest.MakeNamespace("a").Label("b.tree.hnc.x-k8s.io/depth", "3").Label("env", "mine").Obj(),
			want: hierarchy.Change{Decide: []string{"a"}},
		},
		"a finalizer on an anchor": {
			fold: foresttest.MakeAnchor("b", "c").Finalizer().State("Other").Obj(),
			want: hierarchy.Change{Anchors: []hierarchy.AnchorKey{{"b", "c"}}},
		},
		"the first anchor in a namespace": {
			fold: foresttest.MakeAnchor("d", "n").Obj(),
			want: hierarchy.Change{Decide: []string{"d", "n"}, Anchors: []hierarchy.AnchorKey{{"d", "n"}}},
		},
		"one more anchor in a namespace": {
			fold: foresttest.MakeAnchor("b", "n").Obj(),
			want: hierarchy.Change{Decide: []string{"n"}, Anchors: []hierarchy.AnchorKey{{"b", "n"}}},
		},
		"a subnamespace gets its configuration": {
			fold: foresttest.MakeConfiguration("c").Parent("other").Obj(),
			want: hierarchy.Change{Decide: []string{"c"}, Anchors: []hierarchy.AnchorKey{{"b", "c"}}},
		},
		"a managed label reaches the subtree": {
			fold: foresttest.MakeConfiguration("b").Parent("a").Label("env", "dev").Obj(),
			want: hierarchy.Change{Decide: []string{"b", "c", "d"}, Objects: []string{"b", "c", "d"}},
		},
		"an illegal label only its namespace": {
			fold: foresttest.MakeConfiguration("b").Parent("a").Label("other", "dev").Obj(),
			want: hierarchy.Change{Decide: []string{"b"}},
		},
		"a new leaf concerns its parent": {
			fold: foresttest.MakeNamespace("l").SubnamespaceOf("a").Obj(),
			want: hierarchy.Change{Decide: []string{"a", "l"}, Objects: []string{"l"}},
		},
		"a namespace that begins to go is told to its own anchor and to those in it": {
			fold: foresttest.MakeNamespace("c").SubnamespaceOf("b").Terminating().Obj(),
			more: []hierarchy.Object{foresttest.MakeNamespace("n").Obj(), foresttest.MakeAnchor("c", "n").Obj()},
			want: hierarchy.Change{Decide: []string{"c"}, Anchors: []hierarchy.AnchorKey{{"b", "c"}, {"c", "n"}}},
		},
		"cascading concerns only those that wait for it": {
			fold: foresttest.MakeConfiguration("a").Cascading().Obj(),
			want: hierarchy.Change{Decide: []string{"a"}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := foresttest.CreateIn(scope, "-aBb", tc.more...)
			got := foresttest.Fold(f, tc.fold)
			require.Equal(t, tc.want.Decide, orNil(got.Decide), "decide")
			require.Equal(t, tc.want.Anchors, orNil(got.Anchors), "anchors")
			require.Equal(t, tc.want.Objects, orNil(got.Objects), "objects")
			require.Empty(t, got.Moved)
			require.Empty(t, got.Strayed)
		})
	}
}

// TestChangeReachesThoseWhoWait has the cases that chance seldom finds.
func TestChangeReachesThoseWhoWait(t *testing.T) {
	scope := scopeOf(t, hierarchy.ScopeOptions{ManagedNamespaceLabels: []string{"env"}})
	waiting := func(namespace, name string) hierarchy.Object {
		return foresttest.MakeAnchor(namespace, name).Finalizer().Terminating().Obj()
	}
	tests := map[string]struct {
		layout string
		more   []hierarchy.Object
		fold   hierarchy.Object
		want   []string // all of these are decided upon; "a/n" is an anchor
	}{
		"the anchor of a leaf is deleted": {
			layout: "-A", fold: waiting("a", "b"), want: []string{"a/b", "b"},
		},
		"the last child leaves a subnamespace that waits to go": {
			layout: "-Ab-", more: []hierarchy.Object{waiting("a", "b")}, fold: foresttest.MakeConfiguration("c").Parent("d").Obj(), want: []string{"a/b", "b", "c", "d"},
		},
		"cascading is allowed above a subnamespace that waits to go": {
			layout: "-aBc", more: []hierarchy.Object{waiting("b", "c")}, fold: foresttest.MakeConfiguration("a").Cascading().Obj(), want: []string{"a", "b/c", "c"},
		},
		"an anchor asks for a label that an ancestor overrides": {
			layout: "-A", more: []hierarchy.Object{foresttest.MakeConfiguration("a").Label("env", "prod").Obj()},
			fold: foresttest.MakeAnchor("a", "b").Finalizer().Label("env", "dev").Obj(), want: []string{"a/b", "b"},
		},
		"an anchor gets its finalizer, and its namespace may be made": {
			layout: "-", more: []hierarchy.Object{foresttest.MakeAnchor("a", "n").Obj()}, fold: foresttest.MakeAnchor("a", "n").Finalizer().Obj(), want: []string{"a/n", "n"},
		},
		"the namespace of a conflict is gone, and the other anchor wins": {
			layout: "--", more: []hierarchy.Object{
				foresttest.MakeAnchor("a", "n").Created(1).Finalizer().Obj(), foresttest.MakeAnchor("b", "n").Created(2).Finalizer().Obj(),
			}, fold: foresttest.MakeNamespace("a").Terminating().Obj(), want: []string{"a", "a/n", "n"},
		},
		"the namespace of an anchor comes after it": {
			more: []hierarchy.Object{foresttest.MakeAnchor("a", "n").Finalizer().Terminating().Obj()},
			fold: foresttest.MakeNamespace("a").Obj(), want: []string{"a", "a/n"},
		},
		"Kubernetes says what is left in a dying subnamespace": {
			layout: "-", more: []hierarchy.Object{waiting("a", "n"), foresttest.MakeNamespace("n").SubnamespaceOf("a").Terminating().Obj()},
			fold: foresttest.MakeNamespace("n").SubnamespaceOf("a").Terminating().Condition("NamespaceContentRemaining", "pods", 0).Obj(), want: []string{"a/n", "n"},
		},
		"a namespace of somebody else stands in the way of two": {
			layout: "--", more: []hierarchy.Object{foresttest.MakeAnchor("a", "n").Obj(), foresttest.MakeAnchor("b", "n").Obj()},
			fold: foresttest.MakeNamespace("n").Obj(), want: []string{"a/n", "b/n", "n"},
		},
		"an ancestor sets a label that a far descendant asks for": {
			layout: "-ab", more: []hierarchy.Object{foresttest.MakeConfiguration("c").Parent("b").Label("env", "dev").Obj()},
			fold: foresttest.MakeConfiguration("a").Label("env", "prod").Obj(), want: []string{"a", "b", "c"},
		},
		"a parent is halted, and so are the subnamespaces below": {
			layout: "-aB", fold: foresttest.MakeConfiguration("a").Parent("z").Obj(), want: []string{"a", "b", "b/c", "c"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := foresttest.CreateIn(scope, tc.layout, tc.more...)
			change := foresttest.Fold(f, tc.fold)
			got := change.Decide
			for _, key := range change.Anchors {
				got = append(got, key.Namespace+"/"+key.Name)
			}
			require.Subset(t, got, tc.want)
		})
	}
}

func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

func TestChangeMerge(t *testing.T) {
	a := hierarchy.Change{Decide: []string{"a", "c"}, Moved: []string{"x"}, Anchors: []hierarchy.AnchorKey{{"b", "a"}}, Strayed: map[string]string{"a": "first"}}
	b := hierarchy.Change{Decide: []string{"b", "c"}, Objects: []string{"o"}, Anchors: []hierarchy.AnchorKey{{"a", "z"}, {"b", "a"}}, Strayed: map[string]string{"a": "second", "b": "other"}}
	require.Equal(t, hierarchy.Change{
		Decide: []string{"a", "b", "c"}, Objects: []string{"o"}, Moved: []string{"x"}, Anchors: []hierarchy.AnchorKey{{"a", "z"}, {"b", "a"}},
		Strayed: map[string]string{"a": "first", "b": "other"},
	}, a.Merge(b))
	require.False(t, hierarchy.Change{Anchors: []hierarchy.AnchorKey{{"a", "z"}}}.Empty())
	require.True(t, hierarchy.Change{}.Empty())
	require.False(t, b.Empty())
}
