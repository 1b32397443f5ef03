// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// forest builds facts from lines such as "root a/child b/child": each namespace
// with the parent that its configuration names.
func forest(text string) Facts {
	f := Facts{
		Rules:      Rules{Excluded: []string{"x"}, ManagedLabels: []string{"env", "team"}},
		Namespaces: map[string]Namespace{}, Configurations: map[string]Configuration{},
		Anchors: map[Place]Anchor{}, Modes: map[string]api.SynchronizationMode{},
	}
	for _, place := range strings.Fields(text) {
		parent, name, below := strings.Cut(place, "/")
		if !below {
			parent, name = "", place
		}
		f.Namespaces[name] = Namespace{}
		if below {
			f.Configurations[name] = Configuration{Parent: parent}
		}
	}
	return f
}

// sub makes a namespace the subnamespace of an anchor.
func (f Facts) sub(owner, name string) Facts {
	f.Anchors[Place{owner, name}] = Anchor{}
	f.Namespaces[name] = Namespace{Annotations: map[string]string{api.AnnotationSubnamespaceOf: owner}}
	return f
}

func TestSelects(t *testing.T) { // Table A.1.
	const match, other, bad = "color=red", "color=blue", "$"
	key := map[string]string{"select": api.AnnotationSelector, "treeSelect": api.AnnotationTreeSelector, "none": api.AnnotationNoneSelector, "all": api.AnnotationAllSelector}
	for name, tc := range map[string]struct {
		annotations       []string
		want, wantAllowed bool
	}{
		"without annotations, it goes everywhere unless one must ask": {nil, true, false},
		"a match of select is a wish":                                 {[]string{"select", match}, true, true},
		"no match of select is a no":                                  {[]string{"select", other, "all", "true"}, false, false},
		"a match of treeSelect is a wish":                             {[]string{"treeSelect", "r"}, true, true},
		"select and treeSelect must both match":                       {[]string{"select", match, "treeSelect", "!r"}, false, false},
		"none beats all":                                              {[]string{"none", "true", "all", "true"}, false, false},
		"none that is false says nothing":                             {[]string{"none", "false"}, true, false},
		"none that is empty says nothing":                             {[]string{"none", ""}, true, false},
		"all is a wish":                                               {[]string{"all", "true"}, true, true},
		"all that is false says nothing":                              {[]string{"all", "false"}, true, false},
		"all that is false is no veto":                                {[]string{"select", match, "all", "false"}, true, true},
		"an empty select says nothing":                                {[]string{"select", ""}, true, false},
		"a select that cannot be parsed is a no":                      {[]string{"select", bad}, false, false},
		"a none that cannot be parsed is a no":                        {[]string{"none", "maybe"}, false, false},
		"an all that cannot be parsed is a no":                        {[]string{"all", "always"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			annotations := map[string]string{}
			for pair := range slices.Chunk(tc.annotations, 2) {
				annotations[key[pair[0]]] = pair[1]
			}
			of := map[string]string{"color": "red", "r" + treeSuffix: "1"}
			require.Equal(t, tc.want, selects(api.Propagate, annotations, of))
			require.Equal(t, tc.wantAllowed, selects(api.AllowPropagate, annotations, of))
		})
	}
}

func TestTreeSelect(t *testing.T) { // Table A.2.
	for text, want := range map[string]string{
		"a": "a a1", "a1": "a1", "!a": "b", "!a, !b": "", "a, !a1": "a", "a, b": "", "root": "a a1 b", "nosuch": "", "!nosuch": "a a1 b",
		"a,": "", " ": "",
	} {
		t.Run("treeSelect "+text, func(t *testing.T) {
			f := forest("root root/a a/a1 root/b")
			f.Objects = []Object{{Kind: "Role", Namespace: "root", Name: "role", Annotations: map[string]string{api.AnnotationTreeSelector: text}}}
			require.Equal(t, want, copiesIn(f))
		})
	}
}

// copiesIn lists the namespaces with copies of the Role "role".
func copiesIn(f Facts) string {
	var found []string
	for subject, what := range f.Says() {
		if subject.What == "Role role" && strings.HasPrefix(what, "copy") {
			found = append(found, subject.Namespace)
		}
	}
	slices.Sort(found)
	return strings.Join(found, " ")
}

func TestTreeLabelsAndConditions(t *testing.T) { // Table A.3.
	for name, tc := range map[string]struct {
		forest           string
		want, conditions map[string]string
	}{
		"a healthy chain": {"r r/p p/c c/g",
			map[string]string{"r": "r:0", "p": "p:0 r:1", "c": "c:0 p:1 r:2", "g": "c:1 g:0 p:2 r:3"},
			map[string]string{}},
		"the root is gone": {"r/p p/c c/g",
			map[string]string{"p": "p:0", "c": "c:0 p:1", "g": "c:1 g:0 p:2"},
			map[string]string{"p": "ParentMissing", "c": "AncestorHaltActivities", "g": "AncestorHaltActivities"}},
		"two are parents of each other": {"r c/p p/c c/g",
			map[string]string{"r": "r:0", "p": "p:0", "c": "c:0", "g": "c:1 g:0"},
			map[string]string{"p": "InCycle", "c": "InCycle", "g": "AncestorHaltActivities"}},
		"one is its own parent": {"a/a",
			map[string]string{"a": "a:0"}, map[string]string{"a": "InCycle"}},
		"a parent is not managed": {"r r/p x x/c c/g",
			map[string]string{"r": "r:0", "p": "p:0 r:1", "x": "", "c": "c:0", "g": "c:1 g:0"},
			map[string]string{"c": "IllegalParent", "g": "AncestorHaltActivities"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := forest(tc.forest)
			got, conditions := map[string]string{}, map[string]string{}
			for name := range f.Namespaces {
				var depths []string
				for key, value := range f.labels(name) {
					if n, isTree := strings.CutSuffix(key, treeSuffix); isTree {
						depths = append(depths, n+":"+value)
					}
				}
				slices.Sort(depths)
				got[name] = strings.Join(depths, " ")
				if reason, ok := f.conditions(name)[api.ConditionActivitiesHalted]; ok {
					conditions[name] = reason
				}
			}
			require.Empty(t, cmp.Diff(tc.want, got))
			require.Empty(t, cmp.Diff(tc.conditions, conditions))
		})
	}
}

func TestManagedLabels(t *testing.T) { // Table A.4.
	f := forest("r r/p p/c")
	f.Configurations["r"] = Configuration{Labels: []api.MetaKVP{{Key: "env", Value: "prod"}}}
	f.Configurations["p"] = Configuration{Parent: "r", Labels: []api.MetaKVP{{Key: "env", Value: "dev"}, {Key: "team", Value: "x"}}}
	f.Configurations["c"] = Configuration{Parent: "p", Labels: []api.MetaKVP{{Key: "team", Value: "y"}}}
	got := map[string]string{}
	for name := range f.Namespaces {
		got[name] = "env=" + f.labels(name)["env"] + " team=" + f.labels(name)["team"]
	}
	require.Empty(t, cmp.Diff(map[string]string{"r": "env=prod team=", "p": "env=prod team=x", "c": "env=prod team=x"}, got))
	require.Equal(t, map[string]string{api.ConditionBadConfiguration: api.ReasonOverriddenManagedLabel}, f.conditions("p"))
	require.Empty(t, f.conditions("r"))
}
