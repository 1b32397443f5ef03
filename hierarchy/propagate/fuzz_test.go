// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// FuzzDecide states what holds for every forest, every object and every mode.
func FuzzDecide(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(checkDecide))
}

// TestDecideAnything runs the same without a corpus.
func TestDecideAnything(t *testing.T) { rapid.Check(t, checkDecide) }

func checkDecide(t *rapid.T) {
	forest := foresttest.Create(drawLayout(t))
	objects := observedUnder(drawOptions(t))
	for _, namespace := range forest.Namespaces() {
		if o, ok := drawObject(t, namespace); ok {
			objects.Set(propagate.Observe(o.u))
		}
	}
	mode := rapid.SampledFrom([]api.SynchronizationMode{"", api.Propagate, api.AllowPropagate, api.Remove, api.Ignore, "Other"}).Draw(t, "mode")
	key := propagate.Key{Namespace: rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "q"}).Draw(t, "namespace"), Name: "s"}

	action := propagate.Decide(forest, objects, mode, key)
	requireConsistent(t, action, objects, key.Namespace)
	here, present := objects.Get(key.Namespace, key.Name)
	if present && !here.IsCopy() && action.Verb != propagate.None {
		require.Equal(t, propagate.Replace, action.Verb, "a user's object is never deleted")
		require.Equal(t, api.Propagate, propagate.Mode(mode), "and replaced in mode Propagate only")
	}
	if action.Verb != propagate.None {
		require.Empty(t, forest.HaltedRoot(key.Namespace), "nothing is written below a halt")
	}

	perform(action, objects, key)
	require.Equal(t, propagate.None, propagate.Decide(forest, objects, mode, key).Verb, "once it is done there is nothing to do")
	require.NotContains(t, propagate.Awaited(forest, objects, mode, key.Namespace), key)
}

// perform does to the objects what the API server would.
func perform(action propagate.Action, objects *propagate.Objects, key propagate.Key) {
	switch action.Verb {
	case propagate.None:
	case propagate.Delete:
		objects.Remove(key.Namespace, key.Name)
	default:
		objects.Set(propagate.Observe(action.After))
	}
}

func drawLayout(t *rapid.T) string {
	var layout strings.Builder
	for range rapid.IntRange(1, 6).Draw(t, "namespaces") {
		layout.WriteRune(rapid.SampledFrom([]rune("--abcdefzABCDEF")).Draw(t, "parent"))
	}
	return layout.String()
}

// drawObject makes a source or a copy with anything that Decide looks at.
func drawObject(t *rapid.T, namespace string) (object, bool) {
	content := rapid.SampledFrom([]string{"1", "2"}).Draw(t, "content")
	var o object
	switch rapid.IntRange(0, 3).Draw(t, "what") {
	case 0:
		return object{}, false
	case 1:
		o = copyOf(namespace, rapid.SampledFrom([]string{"a", "b", "c", namespace, "q"}).Draw(t, "from"), content)
	default:
		o = source(namespace, content)
	}
	o.annotated(rapid.SliceOfN(rapid.SampledFrom([]string{
		"none=true", "none=no", "all=true", "all=", "treeSelect=c", "treeSelect=!c", "treeSelect=,", "select=$", "select=color", "select=!color",
	}), 0, 3).Draw(t, "exceptions")...)
	if rapid.Bool().Draw(t, "labelled") {
		o.label(rapid.SampledFrom([]string{"owner", "gone", "gone.example.com/a", api.LabelManagedByApps, api.LabelInheritedFrom, "any" + api.LabelTreeDepthSuffix}).Draw(t, "label"),
			rapid.SampledFrom([]string{"", "a", "x"}).Draw(t, "value"))
	}
	switch rapid.IntRange(0, 8).Draw(t, "state") {
	case 0:
		o.finalized()
	case 1:
		o.terminating()
	}
	return o, true
}

func drawOptions(t *rapid.T) propagate.Options {
	return rapid.SampledFrom([]propagate.Options{
		{},
		{UnpropagatedLabels: []string{"gone", ".example.com/", api.LabelManagedByApps}, UnpropagatedAnnotations: []string{"gone"}},
		{NoPropagationLabels: []propagate.Label{{Key: "owner", Value: "x"}}},
		{NoPropagationNames: []propagate.NamePattern{{Kind: "ConfigMap", Glob: "s"}}},
		{NoPropagationNames: []propagate.NamePattern{{Glob: "["}}},
	}).Draw(t, "options")
}

// FuzzTreeSelect compares the parser with the rule in words: the entries are
// names of namespaces, each may be negated, and one at most is not.
func FuzzTreeSelect(f *testing.F) {
	for _, value := range []string{"", " ", "a", "a,", ",", "!", "!a", "a, !b", "a,b", "!a,!a", " a ", "! a", "!!a", "a.b", "A", "\x00", "a,!a"} {
		f.Add(value, "a")
	}
	f.Fuzz(func(t *testing.T, value, ancestor string) {
		annotations := map[string]string{api.AnnotationTreeSelector: value}
		labels := map[string]string{hierarchy.TreeLabel(ancestor): "1"}
		got, err := propagate.Selects(api.Propagate, annotations, labels)
		want, ok := treeSelects(value, ancestor)
		require.Equal(t, ok, err == nil, "%q: %v", value, err)
		require.Equal(t, want, got, value)
	})
}

func treeSelects(value, ancestor string) (selects, ok bool) {
	if value == "" {
		return true, true
	}
	selects, ok = true, true
	positive := 0
	for _, entry := range strings.Split(value, ",") {
		entry = strings.TrimSpace(entry)
		negated := strings.HasPrefix(entry, "!")
		name := strings.TrimPrefix(entry, "!")
		if !negated {
			positive++
		}
		ok = ok && len(validation.IsDNS1123Label(name)) == 0
		selects = selects && (name == ancestor) != negated
	}
	ok = ok && positive <= 1
	return selects && ok, ok
}
