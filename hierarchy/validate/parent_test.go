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

func TestConfiguration(t *testing.T) {
	tests := map[string]struct {
		layout string
		more   []hierarchy.Object
		of     *foresttest.Configuration
		want   metav1.StatusReason
		words  string
	}{
		"a root under another root":                {layout: "-a-", of: config("a").Parent("c")},
		"a root stays one":                         {layout: "-", of: config("a")},
		"a child becomes a root":                   {layout: "-a", of: config("b")},
		"a parent that is not there":               {layout: "-", of: config("a").Parent("z"), want: forbidden, words: "does not exist"},
		"itself":                                   {layout: "-", of: config("a").Parent("a"), want: conflict, words: "illegal parent"},
		"its child":                                {layout: "-a", of: config("a").Parent("b"), want: conflict, words: "a <- b <- a"},
		"its grandchild":                           {layout: "-ab", of: config("a").Parent("c"), want: conflict, words: "a <- b <- c <- a"},
		"an unmanaged parent":                      {layout: "-", more: objects(ns("x").Obj()), of: config("a").Parent("x"), want: forbidden, words: "excluded"},
		"an unmanaged parent, unchanged":           {layout: "x", of: config("a").Parent("x"), want: forbidden, words: "excluded"},
		"an unmanaged child":                       {layout: "-", more: objects(ns("x").Obj()), of: config("x").Parent("a"), want: forbidden, words: "excluded"},
		"an unmanaged child without a parent":      {more: objects(ns("x").Obj()), of: config("x"), want: forbidden, words: "excluded"},
		"a namespace not seen yet":                 {layout: "-", of: config("q").Parent("a"), want: unavailable, words: `HNC has not reconciled namespace "q" yet`},
		"a subnamespace to another parent":         {layout: "-A-", of: config("b").Parent("c"), want: conflict, words: "illegal parent"},
		"a subnamespace to none":                   {layout: "-A", of: config("b"), want: conflict, words: "illegal parent"},
		"a subnamespace where it is":               {layout: "-A", of: config("b").Parent("a").Cascading()},
		"a missing parent that stays":              {layout: "z", of: config("a").Parent("z").Cascading()},
		"an orphan finds a new parent":             {layout: "z-", of: config("a").Parent("b")},
		"an orphan becomes a root":                 {layout: "z", of: config("a")},
		"below an orphan nothing moves":            {layout: "za-", of: config("b").Parent("c"), want: forbidden, words: `"a"`},
		"below an orphan the rest may be edited":   {layout: "za", of: config("b").Parent("a").Cascading()},
		"a member of a cycle gets out":             {layout: "ba-", of: config("a").Parent("c")},
		"a member of a cycle stays in":             {layout: "ba", of: config("a").Parent("b").Cascading()},
		"below a cycle nothing moves":              {layout: "bab-", of: config("c").Parent("d"), want: forbidden, words: `"b"`},
		"a child of an unmanaged one gets away":    {layout: "x-", of: config("a").Parent("b")},
		"an internal one under an external root":   {layout: "--", more: objects(ns("b").External().Obj()), of: config("a").Parent("b")},
		"an external root under another":           {layout: "--", more: objects(ns("b").External().Obj()), of: config("b").Parent("a"), want: forbidden, words: "another system"},
		"an external one whose parent was left":    {layout: "-", more: objects(ns("b").External().Obj(), config("b").Parent("a").Obj()), of: config("b").Parent("a"), want: forbidden, words: "another system"},
		"an external one drops it":                 {layout: "-", more: objects(ns("b").External().Obj(), config("b").Parent("a").Obj()), of: config("b")},
		"a key of its own":                         {layout: "-a", of: config("b").Parent("a").OwnKey()},
		"a key for an orphan":                      {layout: "z", of: config("a").Parent("z").OwnKey(), want: forbidden, words: api.AnnotationOwnKey},
		"a key below an orphan":                    {layout: "za", of: config("b").Parent("a").OwnKey(), want: forbidden, words: `"a" is halted`},
		"a key and a parent for an orphan":         {layout: "z-", of: config("a").Parent("b").OwnKey()},
		"a key that an orphan keeps":               {layout: "z", more: objects(config("a").Parent("z").OwnKey().Obj()), of: config("a").Parent("z").OwnKey().Cascading()},
		"an illegal label comes before the parent": {layout: "-", of: config("a").Parent("z").Label("hnc.x-k8s.io/k", "v"), want: invalid, words: "spec.labels"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := foresttest.CreateIn(scope(t), tc.layout, tc.more...)
			requireVerdict(t, validate.Configuration(f, tc.of.Obj()), tc.want, tc.words)
		})
	}
}

func objects(o ...hierarchy.Object) []hierarchy.Object { return o }

// TestParentNeverMakesACycle tries every move in every small forest: whatever is
// allowed leaves no more cycles than there were.
func TestParentNeverMakesACycle(t *testing.T) {
	const names = "abcd"
	for n := range 5 * 5 * 5 * 5 {
		layout := ""
		for i := n; len(layout) < 4; i /= 5 {
			layout += string("-abcd"[i%5])
		}
		f := foresttest.Create(layout)
		for _, child := range names {
			for _, parent := range names {
				name, old := string(child), f.Parent(string(child))
				if !validate.Parent(f, name, string(parent)).Allowed {
					continue
				}
				member := f.Cycle(name) != nil
				f.SetConfiguration(config(name).Parent(string(parent)).Obj())
				if !member && f.Cycle(name) != nil {
					t.Fatalf("in %q, %c may move under %c, which closes %v", layout, child, parent, f.Cycle(name))
				}
				f.SetConfiguration(config(name).Parent(old).Obj())
			}
		}
	}
}

func TestRightsNeeded(t *testing.T) {
	update := func(namespaces ...string) validate.Rights { return validate.Rights{Update: namespaces} }
	// a <- b <- c ; d <- e ; f
	const trees = "-ab-d-"
	tests := map[string]struct {
		layout    string
		namespace string
		parent    string
		want      validate.Rights
		denied    metav1.StatusReason
	}{
		"no change takes no rights":                       {layout: trees, namespace: "c", parent: "b", want: validate.Rights{}},
		"no parent, still":                                {layout: trees, namespace: "f", parent: "", want: validate.Rights{}},
		"a root takes those of the new parent":            {layout: trees, namespace: "f", parent: "e", want: update("e")},
		"upwards in a tree, of the new parent":            {layout: "-abc", namespace: "d", parent: "b", want: update("b")},
		"downwards in a tree, of the current one":         {layout: "-abb", namespace: "d", parent: "c", want: update("b")},
		"across a tree, of the nearest that both have":    {layout: "-abaad", namespace: "c", parent: "f", want: update("a")},
		"from tree to tree, of the old root and the new":  {layout: trees, namespace: "c", parent: "e", want: update("a", "e")},
		"out of a tree, of its root":                      {layout: trees, namespace: "c", parent: "", want: update("a")},
		"an orphan takes those of the new parent":         {layout: "z-", namespace: "a", parent: "b", want: validate.Rights{Update: []string{"b"}, Absent: "z"}},
		"an orphan becomes a root":                        {layout: "z", namespace: "a", parent: "", want: validate.Rights{Update: []string{}, Absent: "z"}},
		"from an unmanaged parent, those of the new":      {layout: "x-", namespace: "a", parent: "b", want: update("b")},
		"out of a cycle, of its smallest member":          {layout: "-cb", namespace: "c", parent: "a", want: update("b", "a")},
		"a broken ancestry is refused":                    {layout: "za-", namespace: "b", parent: "c", denied: forbidden},
		"below a cycle it is refused":                     {layout: "bab-", namespace: "c", parent: "d", denied: forbidden},
		"to a tree whose own root is missing, its parent": {layout: "-azc", namespace: "b", parent: "d", want: update("a", "d")},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := foresttest.CreateIn(scope(t), tc.layout)
			got, verdict := validate.RightsNeeded(f, tc.namespace, tc.parent)
			requireVerdict(t, verdict, tc.denied)
			require.Equal(t, tc.want, got)
			for _, name := range f.Namespaces() {
				f.SetConfiguration(config(name).Parent(f.Parent(name)).OwnKey().Obj())
			}
			got, _ = validate.RightsNeeded(f, tc.namespace, tc.parent)
			require.Equal(t, tc.want, got, "whatever has a key of its own")
		})
	}
}

// TestNewParentIsAlwaysChecked: nobody gets at what a namespace passes on
// without a right in it, or in an ancestor in common.
func TestNewParentIsAlwaysChecked(t *testing.T) {
	for _, layout := range []string{"-", "z", "x", "-a", "ba", "zb", "-A"} {
		f := foresttest.CreateIn(scope(t), layout, ns("n").Obj())
		for _, name := range f.Namespaces() {
			if name == "n" {
				continue
			}
			rights, verdict := validate.RightsNeeded(f, name, "n")
			if verdict.Allowed {
				require.Contains(t, rights.Update, "n", "%s in %q", name, layout)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	requireVerdict(t, validate.NoRights("ann", "team"), unauthorized, "ann", "team")
	requireVerdict(t, validate.NotSynced("team"), unavailable, `HNC has not reconciled namespace "team" yet`)
}
