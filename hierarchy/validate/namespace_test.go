// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

const included = api.LabelIncludedNamespace

func TestCreateNamespace(t *testing.T) {
	tests := map[string]struct {
		of    *foresttest.Namespace
		want  metav1.StatusReason
		words string
	}{
		"a managed one with the label":        {of: ns("n").Label(included, "true")},
		"a managed one without it":            {of: ns("n"), want: forbidden, words: "must have"},
		"a managed one with a wrong one":      {of: ns("n").Label(included, "false"), want: forbidden, words: "must have"},
		"an unmanaged one without it":         {of: ns("x")},
		"an unmanaged one with it":            {of: ns("x").Label(included, "true"), want: forbidden, words: "excluded"},
		"an unmanaged one with a wrong one":   {of: ns("x").Label(included, "false"), want: forbidden, words: "excluded"},
		"tree labels, as a backup has them":   {of: ns("n").Label(included, "true").Label("a.tree.hnc.x-k8s.io/depth", "1")},
		"a name in an external hierarchy":     {of: ns("foreign").Label(included, "true"), want: conflict, words: `"ext"`},
		"by the system that has it":           {of: ns("foreign").Label(included, "true").External()},
		"a name in a hierarchy of our own":    {of: ns("own").Label(included, "true")},
		"an external one that is there again": {of: ns("ext").Label(included, "true")},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := foresttest.CreateIn(scope(t), "-a",
				ns("ext").External().Label("foreign.tree.hnc.x-k8s.io/depth", "1").Obj(),
				ns("b").Label("own.tree.hnc.x-k8s.io/depth", "1").Obj())
			requireVerdict(t, validate.CreateNamespace(f, tc.of.Obj()), tc.want, tc.words)
		})
	}
}

func TestIncludedLabelChange(t *testing.T) {
	const absent, right, wrong, other = "", "true", "false", "no"
	label := func(name, value string) *foresttest.Namespace {
		if value == absent {
			return ns(name)
		}
		return ns(name).Label(included, value)
	}
	tests := map[string]struct {
		name     string
		from, to string
		want     metav1.StatusReason
	}{
		"managed: none to right":          {"n", absent, right, ok},
		"managed: none to wrong":          {"n", absent, wrong, forbidden},
		"managed: right to none":          {"n", right, absent, forbidden},
		"managed: right to wrong":         {"n", right, wrong, forbidden},
		"managed: wrong to right":         {"n", wrong, right, ok},
		"managed: wrong to another wrong": {"n", wrong, other, forbidden},
		"managed: none stays":             {"n", absent, absent, ok},
		"managed: right stays":            {"n", right, right, ok},
		"managed: wrong stays":            {"n", wrong, wrong, ok},
		"unmanaged: none to right":        {"x", absent, right, forbidden},
		"unmanaged: none to wrong":        {"x", absent, wrong, forbidden},
		"unmanaged: right to none":        {"x", right, absent, ok},
		"unmanaged: wrong to none":        {"x", wrong, absent, ok},
		"unmanaged: right to wrong":       {"x", right, wrong, forbidden},
		"unmanaged: right stays":          {"x", right, right, ok},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			requireVerdict(t, validate.UpdateNamespace(foresttest.CreateIn(scope(t), ""), label(tc.name, tc.from).Obj(), label(tc.name, tc.to).Obj()), tc.want)
		})
	}
}

func TestUpdateNamespace(t *testing.T) {
	const depth = "a.tree.hnc.x-k8s.io/depth"
	tests := map[string]struct {
		old, new *foresttest.Namespace
		want     metav1.StatusReason
		words    string
	}{
		"a plain label":                  {old: ns("a"), new: ns("a").Label("color", "red")},
		"a tree label is added":          {old: ns("a"), new: ns("a").Label(depth, "0"), want: forbidden, words: depth},
		"a tree label is removed":        {old: ns("a").Label(depth, "0"), new: ns("a"), want: forbidden, words: depth},
		"a tree label is changed":        {old: ns("a").Label(depth, "0"), new: ns("a").Label(depth, "1"), want: forbidden, words: depth},
		"a tree label stays":             {old: ns("a").Label(depth, "0"), new: ns("a").Label(depth, "0").Label("color", "red")},
		"also on an unmanaged one":       {old: ns("x"), new: ns("x").Label(depth, "0"), want: forbidden, words: depth},
		"a root becomes external":        {old: ns("a"), new: ns("a").External()},
		"a child becomes external":       {old: ns("b"), new: ns("b").External(), want: forbidden, words: `"a"`},
		"a child says that it is ours":   {old: ns("b"), new: ns("b").Annotation(api.AnnotationManagedBy, api.Group)},
		"an external one becomes ours":   {old: ns("b").External(), new: ns("b")},
		"the annotation may be set free": {old: ns("b").External(), new: ns("b").Annotation(api.AnnotationManagedBy, "")},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := foresttest.CreateIn(scope(t), "-a")
			requireVerdict(t, validate.UpdateNamespace(f, tc.old.Obj(), tc.new.Obj()), tc.want, tc.words)
		})
	}
}

func TestDeleteNamespace(t *testing.T) {
	tests := map[string]struct {
		layout string
		more   []hierarchy.Object
		of     *foresttest.Namespace
		want   metav1.StatusReason
		words  string
	}{
		"a root":                             {layout: "-", of: ns("a")},
		"a subnamespace":                     {layout: "-A", of: ns("b").SubnamespaceOf("a"), want: forbidden, words: "delete the anchor"},
		"one whose anchor is missing":        {layout: "-", of: ns("b").SubnamespaceOf("a")},
		"one whose parent is missing":        {of: ns("b").SubnamespaceOf("z")},
		"one that another's anchor is about": {layout: "-A-", of: ns("b").SubnamespaceOf("c")},
		"a parent of full namespaces":        {layout: "-aa", of: ns("a")},
		"a parent of a subnamespace":         {layout: "-aA", of: ns("a"), want: forbidden, words: `"c"`},
		"if a child allows, it counts not":   {layout: "-AA", more: objects(config("b").Parent("a").Cascading().Obj(), config("c").Parent("a").Cascading().Obj()), of: ns("a"), want: forbidden},
		"if itself allows":                   {layout: "-AA", more: objects(config("a").Cascading().Obj()), of: ns("a")},
		"if an ancestor allows":              {layout: "-aB", more: objects(config("a").Cascading().Obj()), of: ns("b")},
		"a grandparent of a subnamespace":    {layout: "-aB", of: ns("a")},
		"an unmanaged one":                   {layout: "-", of: ns("x")},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := foresttest.CreateIn(scope(t), tc.layout, tc.more...)
			requireVerdict(t, validate.DeleteNamespace(f, tc.of.Obj()), tc.want, tc.words)
		})
	}
}

func TestMissingLabels(t *testing.T) {
	require.Equal(t, map[string]string{included: "true"}, validate.MissingLabels(scope(t), ns("n").Obj()))
	require.Empty(t, validate.MissingLabels(scope(t), ns("n").Label(included, "wrong").Obj()), "a wrong one is not touched")
	require.Empty(t, validate.MissingLabels(scope(t), ns("x").Obj()), "an unmanaged namespace gets none")
}
