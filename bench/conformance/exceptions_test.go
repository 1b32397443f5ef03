// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"slices"
	"strings"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// exceptions are the part of section 13.10 about what is not copied, or not to
// everywhere.
var exceptions = scenarios{
	"13.10.1":  exceptionsFromTheBeginning,
	"13.10.2":  exceptionsAddedLater,
	"13.10.3":  selectUserLabel,
	"13.10.6":  rootCertificates,
	"13.10.7":  helmReleases,
	"13.10.8":  excludedByLabel,
	"13.10.9":  excludedByLabelDespiteAll,
	"13.10.20": unpropagatedAnnotations,
	"13.10.21": unpropagatedLabels,
	"13.10.22": allowPropagate,
}

// exception is what annotations of a source in the parent of c1, c2 and c3 lead to.
type exception struct {
	annotations map[string]string
	want        string // the children that get it
}

// short keys of the annotations; $c1 in a value stands for the namespace's name.
const (
	sel  = api.AnnotationSelector
	tree = api.AnnotationTreeSelector
	none = api.AnnotationNoneSelector
	all  = api.AnnotationAllSelector
)

// is selects one namespace, by the label of its own depth.
func is(short string) string { return "$" + short + api.LabelTreeDepthSuffix }

var threeChildren = []string{"c1", "c2", "c3"}

func (s *scene) annotate(e exception) []change {
	names := strings.NewReplacer("$c1", s.name("c1"), "$c2", s.name("c2"))
	var changes []change
	for key, value := range e.annotations {
		changes = append(changes, annotated(key, names.Replace(value)))
	}
	return changes
}

// apart splits the children into those that get the object, and the others.
func (e exception) apart() (get, miss []string) {
	for _, child := range threeChildren {
		if slices.Contains(strings.Fields(e.want), child) {
			get = append(get, child)
		} else {
			miss = append(miss, child)
		}
	}
	return get, miss
}

func exceptionsFromTheBeginning(s *scene) {
	cases := map[string]exception{
		"select-not-1":        {map[string]string{sel: "!" + is("c1")}, "c2 c3"},
		"select-not-1-nor-2":  {map[string]string{sel: "!" + is("c1") + ", !" + is("c2")}, "c3"},
		"select-bad":          {map[string]string{sel: "$foo"}, ""},
		"tree-not-1":          {map[string]string{tree: "!$c1"}, "c2 c3"},
		"tree-not-1-nor-2":    {map[string]string{tree: "!$c1, !$c2"}, "c3"},
		"tree-bad":            {map[string]string{tree: "$foo"}, ""},
		"select-and-tree":     {map[string]string{sel: "!" + is("c1"), tree: "!$c2"}, "c3"},
		"select-against-tree": {map[string]string{sel: is("c1"), tree: "$c2"}, ""},
		"none":                {map[string]string{none: "true"}, ""},
		"none-false":          {map[string]string{none: "false"}, "c1 c2 c3"},
		"none-bad":            {map[string]string{none: "$foo"}, ""},
		"select-tree-none":    {map[string]string{sel: is("c1"), tree: "$c1, $c2", none: "true"}, ""},
		"all-bad-and-none":    {map[string]string{all: "all", none: "true"}, ""},
		"all-four":            {map[string]string{sel: is("c1"), tree: "$c1", none: "true", all: "true"}, ""},
	}
	s.tree("parent", "parent/c1", "parent/c2", "parent/c3")
	s.midway()
	for name, e := range cases {
		s.put(roles, "parent", name, s.annotate(e)...)
	}
	s.sentinel(roles, "parent", threeChildren...)
	for name, e := range cases {
		get, miss := e.apart()
		s.arrives(roles, "parent", name, get...)
		s.lacks(roles, name, miss...)
	}
}

func exceptionsAddedLater(s *scene) {
	cases := map[string]exception{
		"select": {map[string]string{sel: is("c1")}, "c1"},
		"tree":   {map[string]string{tree: "!$c1"}, "c2 c3"},
		"none":   {map[string]string{none: "true"}, ""},
		"all":    {map[string]string{all: "true"}, "c1 c2 c3"},
	}
	s.tree("parent", "parent/c1", "parent/c2", "parent/c3")
	before := map[string]any{}
	for name, e := range cases {
		s.put(roles, "parent", name)
		s.arrives(roles, "parent", name, threeChildren...)
		get, _ := e.apart()
		for _, child := range get {
			before[name+child] = s.read(roles, child, name).GetUID()
		}
	}
	s.midway()
	for name, e := range cases {
		s.alter(roles, "parent", name, s.annotate(e)...)
	}
	after := map[string]any{}
	for name, e := range cases {
		get, miss := e.apart()
		s.goes(roles, name, miss...)
		for _, child := range get {
			after[name+child] = s.read(roles, child, name).GetUID()
		}
	}
	if err := differs(before, after); err != nil {
		s.Fatalf("copies that are wanted still are not those from before: %v", err)
	}
	for name := range cases {
		s.alter(roles, "parent", name, unannotated)
		s.arrives(roles, "parent", name, threeChildren...)
	}
}

func selectUserLabel(s *scene) {
	s.tree("parent", "parent/labelled", "parent/other", "adopted", "stranger")
	s.label("labelled", "team", "a")
	s.label("adopted", "team", "a")
	s.put(roles, "parent", "chosen", annotated(sel, "team=a"))
	s.arrives(roles, "parent", "chosen", "labelled")
	s.misses(roles, "parent", "chosen", "other")
	s.midway()

	s.label("other", "team", "a")
	s.arrives(roles, "parent", "chosen", "other")
	s.unlabel("other", "team")
	s.goes(roles, "chosen", "other")
	s.setParent("adopted", "parent")
	s.setParent("stranger", "parent")
	s.arrives(roles, "parent", "chosen", "adopted", "labelled")
	s.misses(roles, "parent", "chosen", "stranger")
}

func rootCertificates(s *scene) {
	s.tree("parent", "parent/child")
	s.midway()
	// The control plane itself puts kube-root-ca.crt into every namespace.
	s.Eventually("the control plane provides its certificate", s.Exists(configMaps.object("", ""), s.name("child"), "kube-root-ca.crt"))
	s.put(configMaps, "parent", "istio-ca-root-cert")
	s.put(configMaps, "parent", "other")
	s.arrives(configMaps, "parent", "other", "child")
	s.misses(configMaps, "parent", "istio-ca-root-cert", "child")
	s.isSource(configMaps, "child", "kube-root-ca.crt")
}

func helmReleases(s *scene) {
	s.tree("parent", "parent/child")
	s.midway()
	s.put(secrets, "parent", "release", with("type", "helm.sh/release.v1"))
	s.put(secrets, "parent", "opaque", with("type", "Opaque"))
	s.arrives(secrets, "parent", "opaque", "child")
	s.misses(secrets, "parent", "release", "child")
}

func excludedByLabel(s *scene) {
	s.tree("parent", "parent/child")
	s.midway()
	for _, k := range []kind{roles, configMaps} {
		s.put(k, "parent", "first", withLabel(noPropagation, "one"))
		s.put(k, "parent", "second", withLabel(noPropagation, "two"))
		s.put(k, "parent", "other-value", withLabel(noPropagation, "three"))
		s.put(k, "parent", "other-label", withLabel("conformance.example/other", "one"))
		s.arrives(k, "parent", "other-value", "child")
		s.arrives(k, "parent", "other-label", "child")
		s.misses(k, "parent", "first", "child")
		s.lacks(k, "second", "child")
	}
}

func excludedByLabelDespiteAll(s *scene) {
	s.tree("parent", "parent/child")
	s.midway()
	s.put(roles, "parent", "first", withLabel(noPropagation, "one"), annotated(all, "true"))
	s.put(roles, "parent", "second", withLabel(noPropagation, "two"), annotated(all, "true"))
	s.misses(roles, "parent", "first", "child")
	s.lacks(roles, "second", "child")
}

func unpropagatedAnnotations(s *scene) {
	s.tree("parent", "parent/child")
	s.midway()
	s.put(roles, "parent", "role", annotated(unpropagatedAnnotation, "1"), annotated("other", "1"))
	s.arrives(roles, "parent", "role", "child")
	if err := differs(map[string]string{"other": "1"}, s.read(roles, "child", "role").GetAnnotations()); err != nil {
		s.Fatal(err)
	}
}

func unpropagatedLabels(s *scene) {
	s.tree("parent", "parent/child")
	s.midway()
	s.put(roles, "parent", "role", withLabel(unpropagatedLabel, "1"), withLabel("other", "1"))
	s.arrives(roles, "parent", "role", "child")
	want := map[string]string{"other": "1", api.LabelInheritedFrom: s.name("parent"), api.LabelManagedByApps: api.Group}
	if err := differs(want, s.read(roles, "child", "role").GetLabels()); err != nil {
		s.Fatal(err)
	}
}

func allowPropagate(s *scene) {
	k := s.things()
	s.define(k)
	s.setMode(k, api.AllowPropagate)
	s.tree("parent", "parent/child")
	s.put(k, "parent", "thing")
	s.misses(k, "parent", "thing", "child")
	s.midway()
	s.alter(k, "parent", "thing", annotated(tree, s.name("child")))
	s.arrives(k, "parent", "thing", "child")
	s.alter(k, "parent", "thing", unannotated)
	s.goes(k, "thing", "child")
}
