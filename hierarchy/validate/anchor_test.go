// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

func TestCreateAnchor(t *testing.T) {
	tests := map[string]struct {
		more  []hierarchy.Object
		of    *foresttest.Anchor
		want  metav1.StatusReason
		words string
	}{
		"a free name":                              {of: anchor("a", "new")},
		"a free name in a subnamespace":            {of: anchor("b", "new")},
		"in an unmanaged namespace":                {of: anchor("x", "new"), want: forbidden, words: "excluded"},
		"an unmanaged name":                        {of: anchor("a", "x"), want: forbidden, words: "excluded"},
		"the subnamespace of another":              {of: anchor("c", "b"), want: conflict, words: "exists already"},
		"a root":                                   {of: anchor("c", "a"), want: conflict, words: "exists already"},
		"a full child":                             {of: anchor("a", "c"), want: conflict, words: "exists already"},
		"the same again":                           {of: anchor("a", "b")},
		"a subnamespace that lost its anchor":      {more: objects(ns("l").SubnamespaceOf("a").Obj()), of: anchor("a", "l")},
		"one that is going away":                   {more: objects(ns("l").SubnamespaceOf("a").Terminating().Obj()), of: anchor("a", "l"), want: conflict},
		"a label that is managed":                  {of: anchor("a", "new").Label("env", "dev")},
		"a label that is not":                      {of: anchor("a", "new").Label("home", "v"), want: invalid, words: "spec.labels"},
		"an annotation that is not":                {of: anchor("a", "new").Annotation("home", "v"), want: invalid, words: "spec.annotations"},
		"a name that only a missing one would use": {more: objects(config("a").Parent("gone").Obj()), of: anchor("b", "gone")},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := foresttest.CreateIn(scope(t), "-Aa", tc.more...) // a; below it the subnamespace b and the full c
			requireVerdict(t, validate.CreateAnchor(f, tc.of.Obj()), tc.want, tc.words)
		})
	}
}

func TestUpdateAnchor(t *testing.T) {
	withdrawn := func() *foresttest.Anchor { return anchor("a", "n").Label("home", "v").Annotation("home", "v") }
	tests := map[string]struct {
		old, new *foresttest.Anchor
		want     metav1.StatusReason
	}{
		"a finalizer":                         {old: anchor("a", "n"), new: anchor("a", "n").Finalizer()},
		"a managed label":                     {old: anchor("a", "n"), new: anchor("a", "n").Label("env", "v")},
		"a label that is not managed":         {old: anchor("a", "n"), new: anchor("a", "n").Label("home", "v"), want: invalid},
		"one that is not managed any more":    {old: withdrawn(), new: withdrawn().Finalizer()},
		"such a label with another beside":    {old: withdrawn(), new: withdrawn().Label("env", "v"), want: invalid},
		"getting rid of it":                   {old: withdrawn(), new: anchor("a", "n")},
		"in a namespace not managed any more": {old: anchor("x", "n"), new: anchor("x", "n").Finalizer()},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			requireVerdict(t, validate.UpdateAnchor(foresttest.CreateIn(scope(t), "-"), tc.old.Obj(), tc.new.Obj()), tc.want)
		})
	}
}

func TestDeleteAnchor(t *testing.T) {
	// a <- b <- C <- D <- E
	const tree = "-aBCD"
	cascading := func(name, parent string) hierarchy.Object {
		return config(name).Parent(parent).Cascading().Obj()
	}
	tests := map[string]struct {
		more []hierarchy.Object
		of   *foresttest.Anchor
		want metav1.StatusReason
	}{
		"a leaf":                              {of: anchor("d", "e").State("Ok")},
		"one that is no leaf":                 {of: anchor("c", "d").State("Ok"), want: forbidden},
		"cascading on itself":                 {more: objects(cascading("d", "c")), of: anchor("c", "d").State("Ok")},
		"cascading on its parent":             {more: objects(cascading("c", "b")), of: anchor("c", "d").State("Ok")},
		"cascading on a far full one":         {more: objects(cascading("a", "")), of: anchor("c", "d").State("Ok")},
		"cascading on a child does not count": {more: objects(cascading("e", "d")), of: anchor("c", "d").State("Ok"), want: forbidden},
		"the anchor of another's":             {of: anchor("a", "d").State("Conflict")},
		"that of a full one":                  {of: anchor("a", "b").State("Conflict")},
		"one that says what is not true":      {of: anchor("c", "d").State("Conflict"), want: forbidden},
		"one that is still missing":           {of: anchor("c", "q").State("Missing")},
		"a full child counts":                 {more: objects(ns("f").Obj(), config("f").Parent("e").Obj()), of: anchor("d", "e").State("Ok"), want: forbidden},
		"one that goes away already":          {more: objects(ns("d").SubnamespaceOf("c").Terminating().Obj()), of: anchor("c", "d").State("Ok")},
		"labels are not looked at":            {of: anchor("d", "e").State("Ok").Label("home", "v")},
		"a name that is too long":             {of: anchor("a", strings.Repeat("n", 64))},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			requireVerdict(t, validate.DeleteAnchor(foresttest.CreateIn(scope(t), tree, tc.more...), tc.of.Obj()), tc.want)
		})
	}
}

func TestMissingFinalizers(t *testing.T) {
	for name, tc := range map[string]struct {
		anchor *foresttest.Anchor
		want   []string
	}{
		"a new anchor gets it":                             {foresttest.MakeAnchor("a", "new"), []string{api.FinalizerAnchor}},
		"one that has it does not get it twice":            {foresttest.MakeAnchor("a", "new").Finalizer(), nil},
		"one that is going away gets none":                 {foresttest.MakeAnchor("a", "new").Terminating(), nil},
		"one in a namespace that is not managed gets none": {foresttest.MakeAnchor("x", "new"), nil},
		"one whose namespace would not be, gets none":      {foresttest.MakeAnchor("a", "x"), nil},
		"one whose name no namespace can have gets none":   {foresttest.MakeAnchor("a", "not.a.label"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, validate.MissingFinalizers(scope(t), tc.anchor.Obj()))
		})
	}
}
