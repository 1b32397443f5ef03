// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/banyan-hns/banyan/bench/system"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// anchor creates the anchor of a subnamespace.
func (s *scene) anchor(parent, child string, change ...func(*api.SubnamespaceAnchorSpec)) {
	s.Helper()
	anchor := system.Anchor(s.name(parent), s.name(child))
	for _, c := range change {
		c(&anchor.Spec)
	}
	s.Admit(anchor)
}

// subnamespaces creates anchors, and waits until their namespaces are in the tree.
func (s *scene) subnamespaces(parent string, children ...string) {
	s.Helper()
	for _, child := range children {
		s.anchor(parent, child)
	}
	for _, child := range children {
		s.anchored(parent, child, api.Ok)
		s.labelled(child, s.name(parent)+api.LabelTreeDepthSuffix, "1")
	}
}

// anchored waits until an anchor has a state.
func (s *scene) anchored(parent, child string, want api.AnchorState) {
	s.Helper()
	s.Eventually(fmt.Sprintf("anchor %s in %s is %s", child, parent, want), func() error {
		anchor := &api.SubnamespaceAnchor{}
		if err := s.Exists(anchor, s.name(parent), s.name(child))(); err != nil {
			return err
		}
		if anchor.Status.State != want {
			return fmt.Errorf("it is %q", anchor.Status.State)
		}
		return nil
	})
}

func (s *scene) editAnchor(parent, child string, change func(*api.SubnamespaceAnchorSpec)) {
	s.Helper()
	anchor := system.Anchor(s.name(parent), s.name(child))
	s.Edit(anchor, false, func() { change(&anchor.Spec) })
}

// deleteAnchor and wait until it is gone.
func (s *scene) deleteAnchor(parent, child string) {
	s.Helper()
	s.Remove(system.Anchor(s.name(parent), s.name(child)))
	s.Eventually(fmt.Sprintf("anchor %s in %s goes", child, parent), s.Gone(&api.SubnamespaceAnchor{}, s.name(parent), s.name(child)))
}

// claim makes a namespace a subnamespace; an empty parent makes it a full one.
func (s *scene) claim(child, parent string) {
	s.Helper()
	s.editNamespace(child, func(ns *corev1.Namespace) {
		ns.Annotations[api.AnnotationSubnamespaceOf] = s.name(parent)
		if parent == "" {
			delete(ns.Annotations, api.AnnotationSubnamespaceOf)
		}
	})
}

// claimed waits until a namespace says whose subnamespace it is.
func (s *scene) claimed(child, parent string) {
	s.Helper()
	s.Eventually(child+" belongs to "+parent, func() error {
		ns := &corev1.Namespace{}
		if err := s.Exists(ns, "", s.name(child))(); err != nil {
			return err
		}
		return differs(s.name(parent), ns.Annotations[api.AnnotationSubnamespaceOf])
	})
}
