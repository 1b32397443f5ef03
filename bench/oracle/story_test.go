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

func TestLifeOfASubnamespace(t *testing.T) { // Section A.5.
	f := forest("p")
	f.Anchors[Place{"p", "c"}] = Anchor{}
	require.Equal(t, "exists", f.Says()[Subject{"c", whatNamespace}], "an anchor makes its namespace")

	f = f.sub("p", "c")
	want := Statements{
		{"p", whatConfiguration}: `parent="" cascading=false labels=[] annotations=[] children=[c] conditions=map[] held`,
		{"c", whatConfiguration}: `parent="p" cascading=false labels=[] annotations=[] children=[] conditions=map[]`,
		{"p", whatAnchor + "c"}:  "Ok True/Arrived held",
	}
	for subject, text := range want {
		require.Equal(t, text, f.Says()[subject], subject.String())
	}
	require.Equal(t, []string{"c"}, f.FallOfAnchor(Place{"p", "c"}), "a leaf goes with its anchor")

	delete(f.Anchors, Place{"p", "c"})
	require.Equal(t, api.ReasonAnchorMissing, f.conditions("c")[api.ConditionBadConfiguration])
}

func TestStatesOfAnchors(t *testing.T) {
	f := forest("p q full x").sub("p", "mine").sub("q", "theirs").sub("p", "external").sub("gone", "orphan")
	for _, name := range []string{"full", "theirs", "x", "with.dots"} {
		f.Anchors[Place{"p", name}] = Anchor{}
	}
	f.Namespaces["external"].Annotations[api.AnnotationManagedBy] = "others"
	delete(f.Anchors, Place{"gone", "orphan"})
	got := map[string]string{}
	for place := range f.Anchors {
		got[place.Name+" of "+place.Namespace], _ = f.anchor(place)
	}
	require.Empty(t, cmp.Diff(map[string]string{
		"mine of p": "Ok True/Arrived held", "theirs of q": "Ok True/Arrived held", "external of p": "Ok False/NamespaceConflict held",
		"full of p": "Conflict False/NamespaceConflict held", "theirs of p": "Conflict False/NamespaceConflict held",
		"x of p": "Forbidden False/NameForbidden", "with.dots of p": "Forbidden False/NameForbidden",
	}, got))
}

func TestFall(t *testing.T) {
	chain := func() Facts { return forest("p").sub("p", "c").sub("c", "g").sub("g", "h") }
	for name, tc := range map[string]struct {
		facts      Facts
		cascading  string
		delete     string // an anchor "p/c", or a namespace
		wantFallen []string
	}{
		"the anchor of one with children falls alone":           {chain(), "", "p/c", nil},
		"the anchor of a leaf takes it along":                   {chain(), "", "g/h", []string{"h"}},
		"with leave from above, all go":                         {chain(), "p", "p/c", []string{"c", "g", "h"}},
		"a namespace goes, and its child has children":          {chain(), "", "c", []string{"c"}},
		"a namespace goes, and its child is a leaf":             {chain(), "", "g", []string{"g", "h"}},
		"a namespace that allows it goes with all":              {chain(), "c", "c", []string{"c", "g", "h"}},
		"full children stay":                                    {forest("p c/full").sub("p", "c"), "p", "p/c", []string{"c"}},
		"an anchor in conflict takes nothing":                   {func() Facts { f := forest("p q").sub("q", "c"); f.Anchors[Place{"p", "c"}] = Anchor{}; return f }(), "p", "p/c", nil},
		"the anchors of a namespace that goes go without their": {forest("p").sub("p", "c").sub("c", "g").sub("g", "h"), "g", "p/c", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.cascading != "" {
				c := tc.facts.Configurations[tc.cascading]
				c.Cascading = true
				tc.facts.Configurations[tc.cascading] = c
			}
			fallen := tc.facts.FallOfNamespace(tc.delete)
			if home, name, isAnchor := strings.Cut(tc.delete, "/"); isAnchor {
				fallen = tc.facts.FallOfAnchor(Place{home, name})
			}
			slices.Sort(fallen)
			require.Empty(t, cmp.Diff(tc.wantFallen, fallen))
		})
	}
}

func TestMend(t *testing.T) {
	defer func(names []string) { Roots = names }(Roots)
	Roots = []string{"p", "a", "b", "c", "d", "e", "f"}
	f := forest("p p/a b/b c/d d/c gone/e x x/f").sub("gone", "s")
	for _, o := range f.Mend() {
		if o.Verb == "set parent" {
			f.Configurations[o.Namespace] = Configuration{}
		} else {
			delete(f.Namespaces[o.Namespace].Annotations, o.Name)
		}
	}
	for name := range f.Namespaces {
		require.False(t, f.halted(name), name)
	}
	require.Equal(t, "p", f.parent("a"), "what is well stays as it is")
}

func TestWhoseObjectStands(t *testing.T) {
	role := func(namespace, content string) Object {
		return Object{Kind: "Role", Namespace: namespace, Name: "role", Content: content}
	}
	binding := func(namespace, ref string) Object {
		return Object{Kind: "RoleBinding", Namespace: namespace, Name: "role", Content: ref, Fixed: ref}
	}
	secret := func(namespace string) Object {
		return Object{Kind: "Secret", Namespace: namespace, Name: "role", Annotations: map[string]string{api.AnnotationAllSelector: "true"}}
	}
	held := role("r", "1")
	held.HasFinalizers = true
	except := func(namespace string) Object {
		o := role("r", "1")
		o.Annotations = map[string]string{api.AnnotationTreeSelector: "!" + namespace}
		return o
	}
	for name, tc := range map[string]struct {
		objects []Object
		mode    api.SynchronizationMode // of Secrets
		want    string                  // in p and c of r <- p <- c
	}{
		"a source is copied to all below":                       {[]Object{role("r", "1")}, "", "r r"},
		"the farthest ancestor wins, over users' objects too":   {[]Object{role("r", "1"), role("p", "2")}, "", "r r"},
		"what has finalizers is not copied":                     {[]Object{held, role("p", "2")}, "", "own p"},
		"one that is not let in is passed over":                 {[]Object{except("p"), role("p", "2"), role("c", "3")}, "", "own p"},
		"one that must give way gives nothing to those below":   {[]Object{except("c"), role("p", "2")}, "", "r -"},
		"a RoleBinding to another Role cannot be replaced":      {[]Object{binding("r", "1"), binding("p", "2")}, "", "own r"},
		"where one must ask, a user's object stays, and counts": {[]Object{secret("r"), secret("p")}, api.AllowPropagate, "own r"},
		"in Remove mode there are no copies":                    {[]Object{secret("r")}, api.Remove, "- -"},
		"of ignored types nothing is said":                      {[]Object{secret("r"), secret("p")}, api.Ignore, "- -"},
	} {
		t.Run(name, func(t *testing.T) {
			f := forest("r r/p p/c")
			f.Objects, f.Modes["Secret"] = tc.objects, tc.mode
			var got []string
			for _, namespace := range []string{"p", "c"} {
				text, ok := f.Says()[Subject{namespace, tc.objects[0].Kind + " role"}]
				switch from, isCopy := strings.CutPrefix(text, "copy from "); {
				case isCopy:
					text, _, _ = strings.Cut(from, ":")
				case ok:
					text = "own"
				default:
					text = "-"
				}
				got = append(got, text)
			}
			require.Equal(t, tc.want, strings.Join(got, " "))
		})
	}
}
