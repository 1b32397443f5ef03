// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

const badRequest = metav1.StatusReasonBadRequest

// change is one from one text to another; see secret.
func change(old, new string) validate.ObjectRequest {
	r := validate.ObjectRequest{Kind: secrets.GroupKind()}
	for _, side := range []struct {
		text string
		at   **unstructured.Unstructured
	}{{old, &r.Old}, {new, &r.New}} {
		if side.text != "" {
			u := secret(side.text)
			*side.at, r.Namespace = u, u.GetNamespace()
		}
	}
	return r
}

// TestObjectCopies: whatever is done to one, a policy in the API server judges.
// That of the last line would be in the way if it were a source.
func TestObjectCopies(t *testing.T) {
	const copied = "b:s from=a data=1"
	for name, tc := range map[string]struct{ old, new string }{
		"somebody makes one":           {new: copied},
		"an object becomes one":        {old: "b:s data=1", new: copied},
		"a copy is called a source":    {old: copied, new: "b:s data=1"},
		"it is edited":                 {old: copied, new: "b:s from=a data=2 select=$"},
		"it is deleted":                {old: copied},
		"it has the name of another":   {new: "a:s from=z"},
		"one below has the same name":  {old: "a:s from=z none=true", new: "a:s from=z"},
		"the label of none is removed": {old: "b:s from=", new: "b:s"},
	} {
		t.Run(name, func(t *testing.T) {
			got := validate.Object(foresttest.CreateIn(scope(t), "-aa"), track("", "c:s"), change(tc.old, tc.new))
			requireVerdict(t, got, ok)
			requireWarnings(t, got)
		})
	}
}

// TestObjectOfOtherTypes: what is not propagated is nobody's business here.
func TestObjectOfOtherTypes(t *testing.T) {
	f := foresttest.CreateIn(scope(t), "-a")
	r := change("", "b:s select=$")
	require.False(t, validate.Object(f, track(""), r).Allowed)
	for name, kind := range map[string]schema.GroupKind{
		"another kind":  {Kind: "ConfigMap"},
		"another group": {Group: "example.com", Kind: "Secret"},
	} {
		t.Run(name, func(t *testing.T) {
			r := r
			r.Kind = kind
			requireVerdict(t, validate.Object(f, track(""), r), ok)
			require.False(t, validate.Judges(f, track(""), kind, "b"))
		})
	}
	require.True(t, validate.Judges(f, track(""), secrets.GroupKind(), "b"))
	require.False(t, validate.Judges(f, track(""), secrets.GroupKind(), "x"))
	require.False(t, validate.Judges(f, track(api.Remove), secrets.GroupKind(), "b"))
}

// TestObjectSelect: the other annotations are judged by a policy.
func TestObjectSelect(t *testing.T) {
	for name, tc := range map[string]struct {
		old, new string
		want     metav1.StatusReason
		words    string
	}{
		"a plain annotation":       {new: "a:s annotation=x"},
		"select":                   {new: "a:s select=color"},
		"a bad select":             {new: "a:s select=$", want: badRequest, words: "select"},
		"select with a comparison": {new: "a:s select=a>1", want: badRequest, words: "correct the value"},
		"an empty select":          {new: "a:s select="},
		"a bad one is added":       {old: "a:s", new: "a:s select=$", want: badRequest},
		"a bad one stays":          {old: "a:s select=$", new: "a:s select=$ data=2"},
		"a bad one is corrected":   {old: "a:s select=$", new: "a:s select=color"},
		"a bad one is removed":     {old: "a:s select=$", new: "a:s"},
		"it goes with a bad one":   {old: "a:s select=$"},
	} {
		t.Run(name, func(t *testing.T) {
			got := validate.Object(foresttest.CreateIn(scope(t), "-a"), track(""), change(tc.old, tc.new))
			requireVerdict(t, got, tc.want, tc.words)
		})
	}
}

// TestObjectConflicts: b, c and d hang below a in one line, and e beside b. The
// namespace c has the label home.
func TestObjectConflicts(t *testing.T) {
	for name, tc := range map[string]struct {
		mode     api.SynchronizationMode
		there    []string
		more     []hierarchy.Object
		old, new string
		want     metav1.StatusReason
		words    []string
		warnings []string
	}{
		"nobody else has the name":                 {there: []string{"b:other"}, new: "a:s"},
		"a child has":                              {there: []string{"b:s"}, new: "a:s", want: conflict, words: []string{`namespace "b"`, "choose another name"}},
		"a grandchild has":                         {there: []string{"c:s"}, new: "a:s", want: conflict, words: []string{`namespace "c"`}},
		"several have":                             {there: []string{"c:s", "e:s"}, new: "a:s", want: conflict, words: []string{`namespace "c"`, `namespace "e"`}},
		"a sibling has":                            {there: []string{"e:s"}, new: "b:s"},
		"a child has a copy":                       {there: []string{"b:s from=a"}, new: "a:s"},
		"none":                                     {there: []string{"b:s"}, new: "a:s none=true"},
		"treeSelect leaves it out":                 {there: []string{"b:s"}, new: "a:s treeSelect=!b"},
		"treeSelect is about another":              {there: []string{"b:s"}, new: "a:s treeSelect=e"},
		"treeSelect has it":                        {there: []string{"c:s"}, new: "a:s treeSelect=b", want: conflict},
		"select by the label of the destination":   {there: []string{"c:s", "d:s"}, new: "a:s select=home", want: conflict, words: []string{`namespace "c"`}},
		"select leaves it out by that":             {there: []string{"c:s"}, new: "a:s select=!home"},
		"a finalizer keeps it from being copied":   {there: []string{"b:s"}, new: "a:s finalizer=f"},
		"until it goes":                            {there: []string{"b:s"}, old: "a:s finalizer=f", new: "a:s", want: conflict},
		"an exception is dropped":                  {there: []string{"b:s"}, old: "a:s none=true", new: "a:s", want: conflict},
		"what clashes already may be edited":       {there: []string{"a:s", "b:s"}, old: "a:s", new: "a:s label=x"},
		"and its selection narrowed":               {there: []string{"a:s", "b:s", "e:s"}, old: "a:s", new: "a:s treeSelect=!b"},
		"but not widened":                          {there: []string{"a:s treeSelect=b", "b:s", "e:s"}, old: "a:s treeSelect=b", new: "a:s", want: conflict, words: []string{`namespace "e"`}},
		"the cache is behind":                      {there: []string{"b:s"}, old: "a:s", new: "a:s label=x"},
		"its content alone never matters":          {there: []string{"b:s"}, old: "a:s", new: "a:s data=2"},
		"an update has the version that is known":  {there: []string{"a:s none=true version=7", "b:s"}, old: "a:s none=true version=7", new: "a:s version=7", want: conflict},
		"the cache is ahead":                       {there: []string{"a:s none=true version=9", "b:s"}, old: "a:s none=true version=7", new: "a:s version=7", want: conflict},
		"it is there again before it is gone":      {there: []string{"a:s version=7", "b:s"}, new: "a:s", want: conflict},
		"it is deleted":                            {there: []string{"a:s", "b:s"}, old: "a:s"},
		"a name that is yet to be generated":       {there: []string{"b:s"}, new: "a:"},
		"the descendant is going away":             {there: []string{"b:s"}, more: objects(ns("b").Terminating().Obj()), new: "a:s"},
		"a cycle does not hang it":                 {there: []string{"b:s"}, more: objects(config("a").Parent("d").Obj()), new: "a:s"},
		"an ancestor has it":                       {there: []string{"a:s"}, new: "c:s", warnings: []string{`will be replaced by that of the ancestor "a"`}},
		"an ancestor has it for others":            {there: []string{"a:s treeSelect=e"}, new: "c:s"},
		"AllowPropagate: nobody asked for copies":  {mode: api.AllowPropagate, there: []string{"b:s"}, new: "a:s"},
		"AllowPropagate: the descendant's stays":   {mode: api.AllowPropagate, there: []string{"b:s"}, new: "a:s all=true", warnings: []string{`namespace "b" keeps its own Secret "s"`}},
		"AllowPropagate: an ancestor has it":       {mode: api.AllowPropagate, there: []string{"a:s all=true"}, new: "c:s", warnings: []string{`namespace "c" keeps its own Secret "s"`}},
		"Remove: nothing is copied":                {mode: api.Remove, there: []string{"b:s"}, new: "a:s"},
		"what an ancestor replaces gives nothing":  {there: []string{"a:s", "c:s"}, new: "b:s", warnings: []string{"will be replaced"}},
		"an ancestor's is for others, this is not": {there: []string{"a:s treeSelect=e", "c:s"}, new: "b:s", want: conflict, words: []string{`by that of "b"`}},
	} {
		t.Run(name, func(t *testing.T) {
			more := append(objects(ns("c").Label("home", "red").Obj()), tc.more...)
			f := foresttest.CreateIn(scope(t), "-abca", more...)
			tracked := track(tc.mode, tc.there...)
			before := tracked[0].Objects.Counts()
			got := validate.Object(f, tracked, change(tc.old, tc.new))
			requireVerdict(t, got, tc.want, tc.words...)
			requireWarnings(t, got, tc.warnings...)
			require.Equal(t, before, tracked[0].Objects.Counts(), "only looked at")
		})
	}
}
