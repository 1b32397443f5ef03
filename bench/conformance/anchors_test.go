// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"fmt"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// anchors are section 13.7.
var anchors = scenarios{
	"13.7.1": anchorMakesNamespace,
	"13.7.2": anchorInExcludedNamespace,
	"13.7.3": anchorOfExcludedName,
	"13.7.4": anchorOfTakenName,
	"13.7.5": subnamespaceKeepsItsParent,
	"13.7.6": func(s *scene) { metadataOfAnchor(s, managedLabels) },
	"13.7.7": func(s *scene) { metadataOfAnchor(s, managedAnnotations) },
}

func anchorMakesNamespace(s *scene) {
	s.namespaces("foo")
	s.midway()
	s.anchor("foo", "bar")
	s.claimed("bar", "foo")
	s.children("foo", "bar")
	s.parent("bar", "foo")
	s.anchored("foo", "bar", api.Ok)
}

// In HNC's own test nothing is looked at; its code leaves such an anchor alone.
func anchorInExcludedNamespace(s *scene) {
	s.namespaces("foo")
	s.anchor("kube-system", "bar")
	s.midway()
	s.subnamespaces("foo", "sentinel")
	s.namespaceGone("bar")
	anchor := &api.SubnamespaceAnchor{}
	require.NoError(s, s.Exists(anchor, "kube-system", s.name("bar"))())
	require.Empty(s, anchor.Status.State)
	require.Empty(s, anchor.Finalizers)
}

func anchorOfExcludedName(s *scene) {
	s.namespaces("foo")
	s.midway()
	s.anchor("foo", "kube-public")
	s.anchored("foo", "kube-public", api.Forbidden)
}

func anchorOfTakenName(s *scene) {
	s.namespaces("foo", "bar")
	s.midway()
	s.anchor("foo", "bar")
	s.anchored("foo", "bar", api.Conflict)
	s.claimed("bar", "")
}

func subnamespaceKeepsItsParent(s *scene) {
	s.namespaces("foo", "elsewhere")
	s.subnamespaces("foo", "bar")
	s.midway()
	s.configure("bar", func(spec *api.HierarchyConfigurationSpec) {
		spec.Parent, spec.AllowCascadingDeletion = s.name("elsewhere"), true
	})
	s.configured("bar", "its parent is foo, cascading", func(hc *api.HierarchyConfiguration) bool {
		return hc.Spec.Parent == s.name("foo") && hc.Spec.AllowCascadingDeletion
	})
	s.children("foo", "bar")
	s.children("elsewhere")
}

// managed is labels or annotations, which are managed alike.
type managed struct {
	reason   string // of the condition about an illegal key
	ofAnchor func(*api.SubnamespaceAnchorSpec) *[]api.MetaKVP
	ofTree   func(*api.HierarchyConfigurationSpec) *[]api.MetaKVP
	ofObject func(*corev1.Namespace) map[string]string
}

var (
	managedLabels = managed{
		reason:   api.ReasonIllegalManagedLabel,
		ofAnchor: func(spec *api.SubnamespaceAnchorSpec) *[]api.MetaKVP { return &spec.Labels },
		ofTree:   func(spec *api.HierarchyConfigurationSpec) *[]api.MetaKVP { return &spec.Labels },
		ofObject: func(ns *corev1.Namespace) map[string]string { return ns.Labels },
	}
	managedAnnotations = managed{
		reason:   api.ReasonIllegalManagedAnnotation,
		ofAnchor: func(spec *api.SubnamespaceAnchorSpec) *[]api.MetaKVP { return &spec.Annotations },
		ofTree:   func(spec *api.HierarchyConfigurationSpec) *[]api.MetaKVP { return &spec.Annotations },
		ofObject: func(ns *corev1.Namespace) map[string]string { return ns.Annotations },
	}
)

func pairs(keysAndValues ...string) []api.MetaKVP {
	var all []api.MetaKVP
	for i := 0; i < len(keysAndValues); i += 2 {
		all = append(all, api.MetaKVP{Key: keysAndValues[i], Value: keysAndValues[i+1]})
	}
	return all
}

// carries waits until namespaces have the legal key, with this value; an empty one
// means that they do not have it. They must never have the illegal one.
func (s *scene) carries(m managed, want string, shorts ...string) {
	s.Helper()
	for _, short := range shorts {
		ns := &corev1.Namespace{}
		s.Eventually(fmt.Sprintf("%s has the value %q", short, want), func() error {
			if err := s.Exists(ns, "", s.name(short))(); err != nil {
				return err
			}
			return differs(want, m.ofObject(ns)[legal])
		})
		require.NotContains(s, m.ofObject(ns), illegal)
	}
}

func metadataOfAnchor(s *scene, m managed) {
	setOnAnchor := func(all ...string) {
		s.editAnchor("foo", "bar", func(spec *api.SubnamespaceAnchorSpec) { *m.ofAnchor(spec) = pairs(all...) })
	}
	setOnNamespace := func(all ...string) {
		s.configure("bar", func(spec *api.HierarchyConfigurationSpec) { *m.ofTree(spec) = pairs(all...) })
	}
	s.namespaces("foo")
	s.anchor("foo", "bar", func(spec *api.SubnamespaceAnchorSpec) { *m.ofAnchor(spec) = pairs(legal, "v1", illegal, "v1") })
	s.carries(m, "v1", "bar")
	s.troubled("bar", m.reason)
	s.subnamespaces("bar", "baz")
	s.carries(m, "v1", "baz")
	setOnAnchor(legal, "v1")
	s.troubled("bar")
	s.midway()

	setOnAnchor(legal, "v2")
	s.carries(m, "v2", "bar", "baz")
	setOnNamespace()
	s.configured("bar", "its anchor prevails", func(hc *api.HierarchyConfiguration) bool { return len(*m.ofTree(&hc.Spec)) == 1 })
	s.carries(m, "v2", "bar", "baz")

	s.claim("bar", "")
	s.anchored("foo", "bar", api.Conflict)
	s.deleteAnchor("foo", "bar")
	s.carries(m, "v2", "bar", "baz")
	setOnNamespace()
	s.carries(m, "", "bar", "baz")
	s.stays("bar", "baz")
}
