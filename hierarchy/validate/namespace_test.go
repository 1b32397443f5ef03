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
		"a new name":                          {of: ns("n")},
		"labels of ours, whatever they are":   {of: ns("n").Label(included, "false").Label("a.tree.hnc.x-k8s.io/depth", "1")},
		"an unmanaged one":                    {of: ns("x").Label(included, "true")},
		"a name in an external hierarchy":     {of: ns("foreign"), want: conflict, words: `"ext"`},
		"by the system that has it":           {of: ns("foreign").External()},
		"a name in a hierarchy of our own":    {of: ns("own")},
		"an external one that is there again": {of: ns("ext")},
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

func TestUpdateNamespace(t *testing.T) {
	tests := map[string]struct {
		old, new *foresttest.Namespace
		want     metav1.StatusReason
		words    string
	}{
		"a plain label":                     {old: ns("a"), new: ns("a").Label("color", "red")},
		"labels of ours, whatever they are": {old: ns("a"), new: ns("a").Label(included, "false").Label("a.tree.hnc.x-k8s.io/depth", "0")},
		"a root becomes external":           {old: ns("a"), new: ns("a").External()},
		"a child becomes external":          {old: ns("b"), new: ns("b").External(), want: forbidden, words: `"a"`},
		"a child says that it is ours":      {old: ns("b"), new: ns("b").Annotation(api.AnnotationManagedBy, api.Group)},
		"an external one becomes ours":      {old: ns("b").External(), new: ns("b")},
		"the annotation may be set free":    {old: ns("b").External(), new: ns("b").Annotation(api.AnnotationManagedBy, "")},
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
