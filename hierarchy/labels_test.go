// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
)

// short writes labels as "a:0 b:1 env=prod", tree labels first.
func short(labels map[string]string) string {
	var tree, others []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		switch node, ok := strings.CutSuffix(key, ".tree.hnc.x-k8s.io/depth"); {
		case ok:
			tree = append(tree, node+":"+labels[key])
		case key != "hnc.x-k8s.io/included-namespace":
			others = append(others, key+"="+labels[key])
		}
	}
	slices.SortStableFunc(tree, func(a, b string) int { return strings.Compare(a[strings.Index(a, ":"):], b[strings.Index(b, ":"):]) })
	return strings.Join(append(tree, others...), " ")
}

func TestTreeLabels(t *testing.T) {
	tests := map[string]struct {
		layout string
		more   objects
		want   map[string]string
	}{
		"a healthy chain":                          {layout: "-abc", want: map[string]string{"a": "a:0", "b": "b:0 a:1", "c": "c:0 b:1 a:2", "d": "d:0 c:1 b:2 a:3"}},
		"an orphan keeps its own, and so on below": {layout: "zab", want: map[string]string{"a": "a:0", "b": "b:0 a:1", "c": "c:0 b:1 a:2"}},
		"a cycle never shows":                      {layout: "-cbc", want: map[string]string{"a": "a:0", "b": "b:0", "c": "c:0", "d": "d:0 c:1"}},
		"an unmanaged parent neither":              {layout: "-axc", want: map[string]string{"b": "b:0 a:1", "c": "c:0", "d": "d:0 c:1"}},
		"six namespaces, of which four form two cycles' worth of trouble": {
			layout: "daaabd", want: map[string]string{"a": "a:0", "d": "d:0", "b": "b:0 a:1", "c": "c:0 a:1", "e": "e:0 b:1 a:2", "f": "f:0 d:1"},
		},
		"an external root lends its foreign labels": {
			layout: "-ab", more: objects{ns("a").External().Label("one.tree.hnc.x-k8s.io/depth", "1").Label("two.tree.hnc.x-k8s.io/depth", "2").Obj()},
			want: map[string]string{"a": "a:0 one:1 two:2", "b": "b:0 a:1 one:2 two:3", "c": "c:0 b:1 a:2 one:3 two:4"},
		},
		"foreign depths that are no numbers count as none": {
			layout: "-a", more: objects{ns("a").External().Label("one.tree.hnc.x-k8s.io/depth", "far").Obj()},
			want: map[string]string{"a": "a:0 one:far", "b": "b:0 a:1 one:1"},
		},
		"foreign labels cannot misplace our own": {
			layout: "-a", more: objects{ns("a").External().Label("b.tree.hnc.x-k8s.io/depth", "7").Obj()},
			want: map[string]string{"b": "b:0 a:1"},
		},
		"back in our care, foreign labels vanish": {
			layout: "-a", more: objects{ns("a").Label("one.tree.hnc.x-k8s.io/depth", "1").Obj()},
			want: map[string]string{"a": "a:0", "b": "b:0 a:1"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := foresttest.CreateIn(decideScope(t), tc.layout, append(tc.more, ns("x").Obj())...)
			for n, want := range tc.want {
				require.Equal(t, want, short(f.Labels(n)), n)
			}
		})
	}
}

func TestManagedMetadata(t *testing.T) {
	const e = "env"
	tests := map[string]struct {
		layout string
		more   objects
		want   map[string]string // of the managed keys only
	}{
		"the farthest ancestor wins everywhere": {
			layout: "-ab", more: objects{config("a").Label(e, "prod").Obj(), config("b").Parent("a").Label(e, "dev").Label("team", "x").Obj(), config("c").Parent("b").Label("team", "y").Obj()},
			want: map[string]string{"a": "env=prod", "b": "env=prod team=x", "c": "env=prod team=x"},
		},
		"the last of a repeated key counts": {
			more: objects{ns("a").Obj(), config("a").Label(e, "one").Label(e, "two").Obj()}, want: map[string]string{"a": "env=two"},
		},
		"an empty value is a value": {
			more: objects{ns("a").Obj(), config("a").Label(e, "").Obj()}, want: map[string]string{"a": "env="},
		},
		"the anchor speaks for a subnamespace": {
			layout: "-A", more: objects{anchor("a", "b").Label(e, "anchor").Obj(), config("b").Parent("a").Label(e, "mine").Obj()}, want: map[string]string{"b": "env=anchor"},
		},
		"also if it has nothing to say": {
			layout: "-A", more: objects{config("b").Parent("a").Label(e, "mine").Obj()}, want: map[string]string{"b": ""},
		},
		"a halt cuts inheritance, and what is own stays": {
			layout: "-cb", more: objects{config("b").Parent("c").Label(e, "b").Obj(), config("c").Parent("b").Label("team", "c").Obj()}, want: map[string]string{"b": "env=b", "c": "team=c"},
		},
		"below a halt the halted one still gives": {
			layout: "zab", more: objects{config("a").Parent("z").Label(e, "a").Obj()}, want: map[string]string{"a": "env=a", "b": "env=a", "c": "env=a"},
		},
		"labels found on an external root come first, and are passed on": {
			layout: "-a", more: objects{ns("a").External().Label(e, "theirs").Obj(), config("a").Label(e, "ours").Label("team", "ours").Obj()},
			want: map[string]string{"a": "env=theirs team=ours", "b": "env=theirs team=ours"},
		},
		"what is set directly does not count": {
			layout: "-a", more: objects{ns("a").Label(e, "direct").Obj()}, want: map[string]string{"a": "", "b": ""},
		},
	}
	scope := scopeOf(t, hierarchy.ScopeOptions{ManagedNamespaceLabels: []string{"env|team"}})
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := foresttest.CreateIn(scope, tc.layout, tc.more...)
			for n, want := range tc.want {
				labels := f.Labels(n)
				maps.DeleteFunc(labels, func(key, _ string) bool { return key != "env" && key != "team" })
				require.Equal(t, want, short(labels), n)
			}
		})
	}
}

// TestAnnotationsOfExternalNamespaces: they are inherited, but not written on
// the external namespace.
func TestAnnotationsOfExternalNamespaces(t *testing.T) {
	f := foresttest.CreateIn(decideScope(t), "-a", ns("a").External().Obj(), config("a").Annotation("note", "ours").Obj())
	require.NotContains(t, f.Decide(f.Observe("a"), foresttest.Time).String(), "note")
	require.Contains(t, f.Decide(f.Observe("b"), foresttest.Time).String(), "+ metadata.annotations.note=ours")
}

func TestLabelsOfUnmanagedNamespaces(t *testing.T) {
	f := foresttest.CreateIn(decideScope(t), "", labelled("x").Label("env", "mine").Obj())
	require.Equal(t, "x:0 env=mine", short(f.Labels("x")))
	require.NotContains(t, f.Labels("x"), "hnc.x-k8s.io/included-namespace")
}

func TestInDomain(t *testing.T) {
	for key, want := range map[string]bool{
		"hnc.x-k8s.io/inherited-from":    true,
		"propagate.hnc.x-k8s.io/none":    true,
		"a.tree.hnc.x-k8s.io/depth":      true,
		"hnc.x-k8s.io":                   true,
		"nothnc.x-k8s.io/key":            false,
		"example.com/hnc.x-k8s.io":       false,
		"app.kubernetes.io/managed-by":   false,
		"hnc.x-k8s.io.example.com/depth": false,
	} {
		require.Equal(t, want, hierarchy.InDomain(key), fmt.Sprint(key))
	}
}
