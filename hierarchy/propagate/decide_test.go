// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// object builds a ConfigMap named s.
type object struct{ u *unstructured.Unstructured }

func source(namespace, content string) object {
	u := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"content": content}}}
	u.SetGroupVersionKind(configMaps)
	u.SetNamespace(namespace)
	u.SetName("s")
	return object{u}
}

// copyOf is the copy of what source returns.
func copyOf(namespace, from, content string) object {
	return object{propagate.Copy(source(from, content).u, namespace, propagate.Options{})}
}

func (o object) annotated(pairs ...string) object { o.u.SetAnnotations(exceptions(pairs...)); return o }
func (o object) finalized() object                { o.u.SetFinalizers([]string{"f"}); return o }
func (o object) terminating() object              { o.u.SetDeletionTimestamp(&foresttest.Time); return o }
func (o object) label(key, value string) object {
	labels := o.u.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[key] = value
	o.u.SetLabels(labels)
	return o
}

func observed(objects ...object) *propagate.Objects {
	return observedUnder(propagate.Options{}, objects...)
}

func observedUnder(options propagate.Options, objects ...object) *propagate.Objects {
	s := propagate.NewObjects(configMaps, options)
	for _, o := range objects {
		s.Set(propagate.Observe(o.u))
	}
	return s
}

func TestDecide(t *testing.T) {
	anchored := func(namespace string) hierarchy.Object {
		return foresttest.MakeNamespace(namespace).Terminating().Obj()
	}
	tests := map[string]struct {
		layout  string
		more    []hierarchy.Object
		objects []object
		mode    api.SynchronizationMode
		of      string
		want    string // verb, and the namespace that it is from
		problem string // reason
	}{
		"a source is copied to its child":                 {layout: "-a", objects: []object{source("a", "1")}, of: "b", want: "Create from a"},
		"and to its grandchild":                           {layout: "-ab", objects: []object{source("a", "1")}, of: "c", want: "Create from a"},
		"not to its parent":                               {layout: "-a", objects: []object{source("b", "1")}, of: "a"},
		"not to its sibling":                              {layout: "-aa", objects: []object{source("b", "1")}, of: "c"},
		"itself it stays as it is":                        {layout: "-a", objects: []object{source("a", "1")}, of: "a"},
		"a copy that is right stays":                      {layout: "-a", objects: []object{source("a", "1"), copyOf("b", "a", "1")}, of: "b"},
		"a copy that differs is replaced":                 {layout: "-a", objects: []object{source("a", "2"), copyOf("b", "a", "1")}, of: "b", want: "Replace from a"},
		"a copy that was labelled is replaced":            {layout: "-a", objects: []object{source("a", "1"), copyOf("b", "a", "1").label("foreign", "x")}, of: "b", want: "Replace from a"},
		"finalizers on a copy are no difference":          {layout: "-a", objects: []object{source("a", "1"), copyOf("b", "a", "1").finalized()}, of: "b"},
		"a copy without a source is deleted":              {layout: "-a", objects: []object{copyOf("b", "a", "1")}, of: "b", want: "Delete"},
		"also in a root":                                  {layout: "-", objects: []object{copyOf("a", "z", "1")}, of: "a", want: "Delete"},
		"a copy is no source":                             {layout: "-ab", objects: []object{copyOf("b", "a", "1")}, of: "c"},
		"a copy of a lower source follows the upper one":  {layout: "-ab", objects: []object{source("a", "1"), source("b", "1"), copyOf("c", "b", "1")}, of: "c", want: "Replace from a"},
		"the topmost source counts":                       {layout: "-ab", objects: []object{source("a", "1"), source("b", "2")}, of: "c", want: "Create from a"},
		"unless it may not propagate":                     {layout: "-ab", objects: []object{source("a", "1").annotated("none=true"), source("b", "2")}, of: "c", want: "Create from b"},
		"or not to there":                                 {layout: "-ab", objects: []object{source("a", "1").annotated("treeSelect=!b"), source("b", "2")}, of: "c", want: "Create from b"},
		"one that is about to be replaced gives nothing":  {layout: "-ab", objects: []object{source("a", "1").annotated("treeSelect=!c"), source("b", "2")}, of: "c"},
		"so a user's object below it stays":               {layout: "-ab", objects: []object{source("a", "1").annotated("treeSelect=!c"), source("b", "2"), source("c", "3")}, of: "c"},
		"in AllowPropagate it is not replaced, and gives": {layout: "-ab", mode: api.AllowPropagate, objects: []object{source("a", "1").annotated("treeSelect=!c"), source("b", "2").annotated("all=true")}, of: "c", want: "Create from b"},
		"or has finalizers":                               {layout: "-ab", objects: []object{source("a", "1").finalized(), source("b", "2")}, of: "c", want: "Create from b"},
		"or goes away":                                    {layout: "-ab", objects: []object{source("a", "1").terminating(), source("b", "2")}, of: "c", want: "Create from b"},
		"what becomes excepted loses its copies":          {layout: "-a", objects: []object{source("a", "1").annotated("none=true"), copyOf("b", "a", "1")}, of: "b", want: "Delete"},
		"an annotation that cannot be read blocks":        {layout: "-a", objects: []object{source("a", "1").annotated("treeSelect=,"), copyOf("b", "a", "1")}, of: "b", want: "Delete", problem: "CannotParseSelector"},
		"and lets a lower source through":                 {layout: "-ab", objects: []object{source("a", "1").annotated("select=$"), source("b", "2")}, of: "c", want: "Create from b", problem: "CannotParseSelector"},
		"a source with finalizers is told":                {layout: "-", objects: []object{source("a", "1").finalized()}, of: "a", problem: "CannotPropagateObject"},

		"select by a user's label": {
			layout: "-a", more: []hierarchy.Object{foresttest.MakeNamespace("b").Label("color", "red").Obj()},
			objects: []object{source("a", "1").annotated("select=color=red")}, of: "b", want: "Create from a",
		},
		"select by a label that is about to be corrected": {
			layout: "-a", more: []hierarchy.Object{foresttest.MakeNamespace("b").Label("z.tree.hnc.x-k8s.io/depth", "1").Obj()},
			objects: []object{source("a", "1").annotated("treeSelect=z")}, of: "b",
		},

		"a user's object is replaced in Propagate":           {layout: "-a", objects: []object{source("a", "1"), source("b", "2")}, of: "b", want: "Replace from a", problem: "ObjectReplaced"},
		"even if it is equal, since it has no label":         {layout: "-a", objects: []object{source("a", "1"), source("b", "1")}, of: "b", want: "Replace from a", problem: "ObjectReplaced"},
		"a copy that lost its label is one":                  {layout: "-a", objects: []object{source("a", "1"), copyOf("b", "a", "1").label("hnc.x-k8s.io/inherited-from", "")}, of: "b", want: "Replace from a", problem: "ObjectReplaced"},
		"an empty label makes no copy that could be deleted": {layout: "-a", objects: []object{source("b", "1").label("hnc.x-k8s.io/inherited-from", "")}, of: "b"},
		"a user's object stays in AllowPropagate":            {layout: "-a", mode: api.AllowPropagate, objects: []object{source("a", "1").annotated("all=true"), source("b", "2")}, of: "b", problem: "ObjectInTheWay"},
		"and so does one that goes away":                     {layout: "-a", objects: []object{source("a", "1"), source("b", "2").terminating()}, of: "b"},

		"AllowPropagate copies nothing unasked":       {layout: "-a", mode: api.AllowPropagate, objects: []object{source("a", "1")}, of: "b"},
		"AllowPropagate copies what asks":             {layout: "-a", mode: api.AllowPropagate, objects: []object{source("a", "1").annotated("treeSelect=b")}, of: "b", want: "Create from a"},
		"AllowPropagate deletes what asks no more":    {layout: "-a", mode: api.AllowPropagate, objects: []object{source("a", "1"), copyOf("b", "a", "1")}, of: "b", want: "Delete"},
		"Remove deletes copies":                       {layout: "-a", mode: api.Remove, objects: []object{source("a", "1"), copyOf("b", "a", "1")}, of: "b", want: "Delete"},
		"Remove makes none":                           {layout: "-a", mode: api.Remove, objects: []object{source("a", "1")}, of: "b"},
		"Remove leaves sources of one name":           {layout: "-a", mode: api.Remove, objects: []object{source("a", "1"), source("b", "2")}, of: "b"},
		"Remove tells of finalizers, too":             {layout: "-", mode: api.Remove, objects: []object{source("a", "1").finalized()}, of: "a", problem: "CannotPropagateObject"},
		"Ignore does nothing":                         {layout: "-a", mode: api.Ignore, objects: []object{copyOf("b", "a", "1")}, of: "b"},
		"an unknown mode does nothing":                {layout: "-a", mode: "Other", objects: []object{source("a", "1")}, of: "b"},
		"no mode is Propagate":                        {layout: "-a", mode: "", objects: []object{source("a", "1")}, of: "b", want: "Create from a"},
		"a halted namespace gets nothing":             {layout: "za", objects: []object{source("a", "1")}, of: "b"},
		"and loses nothing":                           {layout: "za", objects: []object{copyOf("b", "a", "1")}, of: "b"},
		"nor does an orphan":                          {layout: "z", objects: []object{copyOf("a", "z", "1")}, of: "a"},
		"nor the members of a cycle":                  {layout: "ba", objects: []object{copyOf("b", "a", "1")}, of: "b"},
		"a terminating namespace is left alone":       {layout: "-a", more: []hierarchy.Object{anchored("b")}, objects: []object{copyOf("b", "a", "1")}, of: "b"},
		"nothing is written to one that is not there": {layout: "-", objects: []object{source("a", "1")}, of: "q"},
		"nothing is written to an unmanaged one":      {more: []hierarchy.Object{foresttest.MakeNamespace("x").Obj()}, objects: []object{copyOf("x", "a", "1")}, of: "x"},
		"a terminating copy is left alone":            {layout: "-a", objects: []object{source("a", "2"), copyOf("b", "a", "1").terminating()}, of: "b"},
	}
	scope, err := hierarchy.NewScope(hierarchy.ScopeOptions{ExcludedNamespaces: []string{"x"}})
	require.NoError(t, err)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := foresttest.CreateIn(scope, tc.layout, tc.more...)
			objects := observed(tc.objects...)
			action := propagate.Decide(f, objects, tc.mode, propagate.Key{Namespace: tc.of, Name: "s"})

			require.Equal(t, tc.want, describe(action))
			requireConsistent(t, action, objects, tc.of)
			var reasons []string
			for _, p := range action.Problems {
				reasons = append(reasons, p.Reason)
				require.Contains(t, p.Message, cmp.Or(map[string]string{propagate.ReasonObjectReplaced: "."}[p.Reason], ";"), "the message says what helps")
			}
			require.Equal(t, tc.problem, strings.Join(reasons, " "))
		})
	}
}

func describe(a propagate.Action) string {
	if a.After == nil {
		return string(a.Verb)
	}
	return fmt.Sprintf("%s from %s", a.Verb, a.After.GetLabels()[api.LabelInheritedFrom])
}

// requireConsistent states what holds for every action.
func requireConsistent(t require.TestingT, a propagate.Action, objects *propagate.Objects, namespace string) {
	here, _ := objects.Get(namespace, "s")
	switch a.Verb {
	case propagate.None:
		require.Nil(t, a.Before)
		require.Nil(t, a.After)
		return
	case propagate.Create:
		require.Nil(t, here)
	case propagate.Delete:
		require.Nil(t, a.After)
		require.True(t, a.Before.IsCopy(), "only copies are deleted")
		fallthrough
	default:
		require.Same(t, here, a.Before)
	}
	require.NotEmpty(t, a.Why)
	if a.After != nil {
		require.Equal(t, namespace, a.After.GetNamespace())
		require.Equal(t, "s", a.After.GetName())
	}
}

// TestConflictsNameBoth: an event goes to the object that was there, and to the
// one that took its place.
func TestConflictsNameBoth(t *testing.T) {
	action := propagate.Decide(foresttest.Create("-a"), observed(source("a", "1"), source("b", "2")), api.Propagate, propagate.Key{Namespace: "b", Name: "s"})
	require.Equal(t, []propagate.Key{{Namespace: "b", Name: "s"}, {Namespace: "a", Name: "s"}}, action.Problems[0].Objects)
	require.Contains(t, action.Why, "replaces")
}

// TestConverges carries out actions in a random order, and states what HNC
// promises of the result: every namespace has the copy of its topmost source
// that may propagate there, and no other copy. The twin works it out from the
// root down, as one would explain it to a user.
func TestConverges(t *testing.T) {
	layouts := []string{"-abb-e", "-aaaa-", "-abcde", "z-bbc-", "-abAdD"}
	rapid.Check(t, func(t *rapid.T) {
		f := foresttest.Create(rapid.SampledFrom(layouts).Draw(t, "layout"))
		mode := rapid.SampledFrom([]api.SynchronizationMode{"", api.Propagate, api.AllowPropagate, api.Remove}).Draw(t, "mode")
		objects := observed()
		for _, namespace := range f.Namespaces() {
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				o := source(namespace, namespace)
				if rapid.Bool().Draw(t, "limited") {
					o.annotated(rapid.SampledFrom([]string{"none=true", "all=true", "treeSelect=c", "treeSelect=!c", "select=$"}).Draw(t, "exception"))
				}
				objects.Set(propagate.Observe(o.u))
			case 1:
				objects.Set(propagate.Observe(copyOf(namespace, rapid.SampledFrom(f.Namespaces()).Draw(t, "from"), "old").u))
			}
		}
		original := map[string]*propagate.Object{}
		for _, namespace := range f.Namespaces() {
			original[namespace], _ = objects.Get(namespace, "s")
		}
		want := map[string]string{}
		for _, namespace := range f.Namespaces() {
			want[namespace] = expected(f, original, mode, namespace)
		}

		for round := 0; ; round++ {
			if round > 10 {
				t.Fatal("the objects do not come to rest")
			}
			busy := false
			for _, namespace := range rapid.Permutation(f.Namespaces()).Draw(t, "order") {
				action := propagate.Decide(f, objects, mode, propagate.Key{Namespace: namespace, Name: "s"})
				requireConsistent(t, action, objects, namespace)
				switch action.Verb {
				case propagate.None:
					continue
				case propagate.Delete:
					objects.Remove(namespace, "s")
				default:
					action.After.SetResourceVersion("")
					objects.Set(propagate.Observe(action.After))
				}
				busy = true
			}
			if !busy {
				break
			}
		}
		got := map[string]string{}
		for _, namespace := range f.Namespaces() {
			got[namespace] = "nothing"
			if o, ok := objects.Get(namespace, "s"); ok {
				got[namespace] = cmp.Or(o.InheritedFrom, "own")
				if o.IsCopy() && f.HaltedRoot(namespace) == "" {
					require.Equal(t, propagate.Hash(copyOf(namespace, o.InheritedFrom, o.InheritedFrom).u), o.Hash)
				}
			}
		}
		require.Equal(t, want, got)
	})
}

// expected is what stands in a namespace in the end.
func expected(f *hierarchy.Forest, original map[string]*propagate.Object, mode api.SynchronizationMode, namespace string) string {
	here := original[namespace]
	own := here != nil && !here.IsCopy()
	if f.HaltedRoot(namespace) != "" {
		switch {
		case here == nil:
			return "nothing"
		case own:
			return "own"
		}
		return here.InheritedFrom
	}
	downwards := f.Ancestors(namespace)
	slices.Reverse(downwards)
	for _, ancestor := range downwards {
		o := original[ancestor]
		if o == nil || o.IsCopy() || mode == api.Remove || own && mode == api.AllowPropagate {
			continue
		}
		if expected(f, original, mode, ancestor) != "own" {
			continue // it will be replaced itself
		}
		annotations := slices.Collect(maps.Values(o.Source.GetAnnotations()))
		selector := strings.Join(annotations, "")
		below := namespace == "c" || slices.Contains(f.Ancestors(namespace), "c")
		_, all := o.Source.GetAnnotations()[api.AnnotationAllSelector]
		yes := map[string]bool{"": mode != api.AllowPropagate, "c": below, "!c": !below}[selector] || all
		if yes {
			return ancestor
		}
	}
	if own {
		return "own"
	}
	return "nothing"
}
