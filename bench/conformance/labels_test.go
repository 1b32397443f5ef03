// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"maps"

	corev1 "k8s.io/api/core/v1"

	"github.com/banyan-hns/banyan/bench/system"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// treeLabels are the part of section 13.8 about the labels that tell depths.
var treeLabels = scenarios{
	"13.8.9":  depthsOfTwo,
	"13.8.10": externalRoot,
	"13.8.11": rootBecomesExternal,
	"13.8.12": rootBecomesInternal,
	"13.8.13": depthsFollowTheParent,
	"13.8.14": depthsWithoutParent,
	"13.8.15": depthsAroundACycle,
}

// managedMetadata are the part of section 13.8 about what administrators set.
var managedMetadata = scenarios{
	"13.8.18": func(s *scene) { metadataOfTree(s, managedLabels) },
	"13.8.19": func(s *scene) { metadataOfTree(s, managedAnnotations) },
}

func depthsOfTwo(s *scene) {
	s.namespaces("parent", "child")
	s.midway()
	s.setParent("child", "parent")
	s.depths("child", map[string]int{"child": 0, "parent": 1})
	s.depths("parent", map[string]int{"parent": 0})
}

// placeElsewhere makes a namespace part of another system's tree.
func (s *scene) placeElsewhere(ns *corev1.Namespace) {
	ns.Annotations = map[string]string{api.AnnotationManagedBy: "others.example"}
	if ns.Labels == nil {
		ns.Labels = map[string]string{}
	}
	ns.Labels[s.name("ext1")+api.LabelTreeDepthSuffix] = "1"
	ns.Labels[s.name("ext2")+api.LabelTreeDepthSuffix] = "2"
}

func (s *scene) depthsBelowExternalRoot() {
	s.Helper()
	s.depths("child", map[string]int{"child": 0, "root": 1, "ext1": 2, "ext2": 3})
	s.depths("root", map[string]int{"root": 0, "ext1": 1, "ext2": 2})
}

func externalRoot(s *scene) {
	s.namespaces("child")
	root := system.Namespace(s.name("root"))
	s.placeElsewhere(root)
	s.midway()
	s.Create(root)
	s.setParent("child", "root")
	s.depthsBelowExternalRoot()
}

func rootBecomesExternal(s *scene) {
	s.tree("root", "root/child")
	s.midway()
	s.editNamespace("root", s.placeElsewhere)
	s.depthsBelowExternalRoot()
}

func rootBecomesInternal(s *scene) {
	s.tree("root", "root/child")
	s.editNamespace("root", s.placeElsewhere)
	s.label("child", "mine", "1")
	s.depthsBelowExternalRoot()
	s.midway()
	s.editNamespace("root", func(ns *corev1.Namespace) {
		delete(ns.Annotations, api.AnnotationManagedBy)
		ns.Labels["mine"] = "2"
	})
	s.depths("child", map[string]int{"child": 0, "root": 1})
	s.depths("root", map[string]int{"root": 0})
	s.labelled("child", "mine", "1")
	s.labelled("root", "mine", "2")
}

func depthsFollowTheParent(s *scene) {
	s.tree("parent", "parent/child", "other")
	s.label("child", "mine", "1")
	s.midway()
	s.setParent("child", "other")
	s.depths("child", map[string]int{"child": 0, "other": 1})
	s.labelled("child", "mine", "1")
}

func depthsWithoutParent(s *scene) {
	s.tree("parent", "parent/child")
	s.label("child", "mine", "1")
	s.midway()
	s.setParent("child", "")
	s.depths("child", map[string]int{"child": 0})
	s.labelled("child", "mine", "1")
}

func depthsAroundACycle(s *scene) {
	healthy := map[string]map[string]int{
		"a": {"a": 0},
		"b": {"b": 0, "a": 1}, "c": {"c": 0, "a": 1}, "d": {"d": 0, "a": 1},
		"e": {"e": 0, "b": 1, "a": 2}, "f": {"f": 0, "d": 1, "a": 2},
	}
	broken := maps.Clone(healthy)
	broken["d"], broken["f"] = map[string]int{"d": 0}, map[string]int{"f": 0, "d": 1}
	see := func(all map[string]map[string]int) {
		for name, depths := range all {
			s.depths(name, depths)
		}
	}
	s.tree("a", "a/b", "a/c", "a/d", "b/e", "d/f")
	see(healthy)
	s.setParent("a", "d")
	see(broken)
	s.midway()
	s.setParent("a", "")
	see(healthy)
}

func metadataOfTree(s *scene, m managed) {
	set := func(all ...string) {
		s.configure("parent", func(spec *api.HierarchyConfigurationSpec) { *m.ofTree(spec) = pairs(all...) })
	}
	s.namespaces("parent", "child")
	set(legal, "v1", illegal, "v1")
	s.carries(m, "v1", "parent")
	s.troubled("parent", m.reason)
	set(legal, "v1")
	s.troubled("parent")
	s.midway()

	s.setParent("child", "parent")
	s.carries(m, "v1", "child")
	set(legal, "v2")
	s.carries(m, "v2", "parent", "child")
	s.setParent("child", "")
	s.carries(m, "", "child")
	s.carries(m, "v2", "parent")
}
