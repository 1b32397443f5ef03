// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

func keys(names ...string) []propagate.Key {
	var all []propagate.Key
	for _, name := range names {
		namespace, object, _ := strings.Cut(name, "/")
		all = append(all, propagate.Key{Namespace: namespace, Name: object})
	}
	return all
}

func TestAffected(t *testing.T) {
	f := foresttest.Create("-abb-")
	require.Equal(t, keys("b/s"), propagate.Affected(f, "b", "s", false), "a copy is examined alone")
	require.Equal(t, keys("b/s", "c/s", "d/s"), propagate.Affected(f, "b", "s", true))
	require.Equal(t, keys("q/s"), propagate.Affected(f, "q", "s", true))
}

func TestInNamespace(t *testing.T) {
	named := func(o object, name string) object { o.u.SetName(name); return o }
	objects := observed(
		named(source("a", "1"), "top"), named(source("b", "1"), "middle"), named(source("d", "1"), "elsewhere"),
		named(copyOf("b", "a", "1"), "top"), named(copyOf("b", "q", "1"), "stale"), named(copyOf("c", "q", "1"), "left"), named(source("c", "1"), "own"),
	)
	f := foresttest.Create("-ab-")
	require.Equal(t, keys("c/left", "c/middle", "c/own", "c/top"), propagate.InNamespace(f, objects, "c"))
	require.Equal(t, keys("d/elsewhere"), propagate.InNamespace(f, objects, "d"))
	require.Empty(t, propagate.InNamespace(f, objects, "q"))
}

func TestEverywhere(t *testing.T) {
	tests := map[string]struct {
		layout  string
		objects []object
		want    []propagate.Key
	}{
		"nothing":                                  {layout: "-ab"},
		"a source, and its place below":            {layout: "-ab-", objects: []object{source("a", "1")}, want: keys("a/s", "b/s", "c/s")},
		"not above it":                             {layout: "-ab-", objects: []object{source("c", "1")}, want: keys("c/s")},
		"a copy is examined alone":                 {layout: "-ab", objects: []object{copyOf("b", "a", "1")}, want: keys("b/s")},
		"each place once":                          {layout: "-ab", objects: []object{source("a", "1"), source("b", "1"), copyOf("c", "a", "1")}, want: keys("a/s", "b/s", "c/s")},
		"the children of a parent that is missing": {layout: "z-", objects: []object{source("z", "1")}, want: keys("a/s", "z/s")},
		"a cycle has an end":                       {layout: "cab", objects: []object{source("b", "1")}, want: keys("a/s", "b/s", "c/s")},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, propagate.Everywhere(foresttest.Create(tc.layout), observed(tc.objects...)))
		})
	}
}

// TestEverywhereIsTheSumOfAllNamespaces: the twin asks each namespace.
func TestEverywhereIsTheSumOfAllNamespaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawForest(t)
		objects := propagate.NewObjects(configMaps, propagate.Options{})
		for _, namespace := range f.Namespaces() {
			for _, name := range []string{"s", "t"} {
				o := source(namespace, "1")
				switch rapid.IntRange(0, 2).Draw(t, "what") {
				case 0:
					continue
				case 1:
					o = copyOf(namespace, "q", "1")
				}
				o.u.SetName(name)
				objects.Set(propagate.Observe(o.u))
			}
		}
		want := map[propagate.Key]bool{}
		for _, namespace := range f.Namespaces() {
			for _, key := range propagate.InNamespace(f, objects, namespace) {
				want[key] = true
			}
		}
		got := propagate.Everywhere(f, objects)
		require.ElementsMatch(t, slices.Collect(maps.Keys(want)), got)
	})
}

func drawForest(t *rapid.T) *hierarchy.Forest {
	return foresttest.Create(rapid.SampledFrom([]string{"-abb-e", "-aaaa-", "-abcde", "z-bbc-", "-abAdD", "bca-", "fabcde"}).Draw(t, "layout"))
}

func TestAwaited(t *testing.T) {
	tests := map[string]struct {
		layout  string
		mode    api.SynchronizationMode
		objects []object
		want    []propagate.Key
	}{
		"a copy that is missing":                {layout: "-a", objects: []object{source("a", "1")}, want: keys("b/s")},
		"a copy that differs":                   {layout: "-a", objects: []object{source("a", "2"), copyOf("b", "a", "1")}, want: keys("b/s")},
		"a user's object in its place":          {layout: "-a", objects: []object{source("a", "1"), source("b", "1")}, want: keys("b/s")},
		"not one that has arrived":              {layout: "-a", objects: []object{source("a", "1"), copyOf("b", "a", "1")}},
		"not one that must go":                  {layout: "-a", objects: []object{copyOf("b", "a", "1")}},
		"not what a user keeps":                 {layout: "-a", mode: api.AllowPropagate, objects: []object{source("a", "1").annotated("all=true"), source("b", "1")}},
		"not what may not come":                 {layout: "-a", objects: []object{source("a", "1").annotated("none=true")}},
		"not in a type that is ignored":         {layout: "-a", mode: api.Ignore, objects: []object{source("a", "1")}},
		"not in a type that is removed":         {layout: "-a", mode: api.Remove, objects: []object{source("a", "1")}},
		"nothing while the namespace is halted": {layout: "zab", objects: []object{source("a", "1")}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := propagate.Awaited(foresttest.Create(tc.layout), observed(tc.objects...), tc.mode, "b")
			if len(tc.want) == 0 {
				require.Empty(t, got)
				return
			}
			require.Equal(t, tc.want, got)
		})
	}
}
