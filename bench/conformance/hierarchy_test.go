// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"fmt"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/banyan-hns/banyan/bench/system"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// parents are the part of section 13.8 about who is below whom.
var parents = scenarios{
	"13.8.1":  childIsListed,
	"13.8.2":  parentIsExcluded,
	"13.8.3":  parentIsMissing,
	"13.8.4":  parentComesLater,
	"13.8.5":  grandparentIsMissing,
	"13.8.6":  grandparentComesLater,
	"13.8.7":  ownParent,
	"13.8.8":  cycleOfTwo,
	"13.8.16": excludedNamespaceIsNotIncluded,
	"13.8.17": managedNamespaceIsIncluded,
}

func childIsListed(s *scene) {
	s.namespaces("parent", "child")
	s.midway()
	s.setParent("child", "parent")
	s.children("parent", "child")
	s.troubled("child")
}

func parentIsExcluded(s *scene) {
	s.namespaces("child")
	s.midway()
	s.setParent("child", "kube-system")
	s.troubled("child", api.ReasonIllegalParent)
}

func parentIsMissing(s *scene) {
	s.namespaces("child")
	s.midway()
	s.setParent("child", "parent")
	s.troubled("child", api.ReasonParentMissing)
}

func parentComesLater(s *scene) {
	s.namespaces("child")
	s.setParent("child", "parent")
	s.troubled("child", api.ReasonParentMissing)
	s.midway()
	s.namespaces("parent")
	s.troubled("child")
	s.children("parent", "child")
}

func grandparentIsMissing(s *scene) {
	s.tree("parent", "parent/child")
	s.midway()
	s.setParent("parent", "grandparent")
	s.troubled("parent", api.ReasonParentMissing)
	s.haltedBy("child", "parent")
}

func grandparentComesLater(s *scene) {
	s.tree("parent", "parent/child")
	s.setParent("parent", "grandparent")
	s.haltedBy("child", "parent")
	s.midway()
	s.namespaces("grandparent")
	s.troubled("parent")
	s.troubled("child")
	s.children("grandparent", "parent")
}

func ownParent(s *scene) {
	s.namespaces("self")
	s.midway()
	s.setParent("self", "self")
	s.troubled("self", api.ReasonInCycle)
}

func cycleOfTwo(s *scene) {
	s.tree("one", "one/two")
	s.setParent("one", "two")
	s.troubled("one", api.ReasonInCycle)
	s.troubled("two", api.ReasonInCycle)
	s.midway()
	s.setParent("one", "")
	s.troubled("one")
	s.troubled("two")
	s.depths("two", map[string]int{"two": 0, "one": 1})
}

func excludedNamespaceIsNotIncluded(s *scene) {
	const excluded, other = "kube-node-lease", "other"
	s.label(excluded, other, "stays")
	s.midway()
	s.label(excluded, api.LabelIncludedNamespace, "true")
	ns := &corev1.Namespace{}
	s.Eventually("the label goes", func() error {
		if err := s.Exists(ns, "", excluded)(); err != nil {
			return err
		}
		if value, found := ns.Labels[api.LabelIncludedNamespace]; found {
			return fmt.Errorf("it is %q", value)
		}
		return nil
	})
	require.Equal(s, "stays", ns.Labels[other])
}

func managedNamespaceIsIncluded(s *scene) {
	s.Create(system.Namespace(s.name("plain")))
	s.labelled("plain", api.LabelIncludedNamespace, "true")
	s.midway()
	s.label("plain", api.LabelIncludedNamespace, "wrong")
	s.labelled("plain", api.LabelIncludedNamespace, "true")
}
