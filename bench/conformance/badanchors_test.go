// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// badAnchors are the part of section 13.2 for which the webhooks are removed for a
// while. They begin alone, and go on together with all others.
var badAnchors = scenarios{
	"13.2.18": func(s *scene) { conflictedAnchorGoes(s, false) },
	"13.2.19": func(s *scene) { goodAnchorGoes(s, false) },
	"13.2.20": func(s *scene) { conflictedAnchorGoes(s, true) },
	"13.2.21": func(s *scene) { goodAnchorGoes(s, true) },
	"13.2.22": haltedNamespaceGoes,
}

// twoAnchors of one name, of which the webhook would have refused the second.
func (s *scene) twoAnchors(branch bool) {
	s.Helper()
	s.namespaces("good", "bad")
	s.subnamespaces("good", "child")
	if branch {
		s.subnamespaces("child", "below")
	}
	s.WithoutAdmission(func() { s.anchor("bad", "child") })
	s.anchored("bad", "child", api.Conflict)
	s.anchored("good", "child", api.Ok)
	s.put(roles, "child", "content")
	s.parallel()
}

func conflictedAnchorGoes(s *scene, branch bool) {
	s.twoAnchors(branch)
	s.midway()
	s.deleteAnchor("bad", "child")
	s.isSource(roles, "child", "content")
	s.stays("child")
	s.anchored("good", "child", api.Ok)
	if branch {
		s.stays("below")
	}
}

func goodAnchorGoes(s *scene, branch bool) {
	s.twoAnchors(branch)
	if branch {
		s.allowCascading("child")
	}
	s.midway()
	s.deleteAnchor("good", "child")
	s.lacks(roles, "content", "child")
	if branch {
		s.namespaceGone("below")
	}
}

func haltedNamespaceGoes(s *scene) {
	s.tree("p", "p/c")
	s.put(roles, "p", "role")
	s.arrives(roles, "p", "role", "c")
	s.WithoutAdmission(func() { s.setParent("c", "missing") })
	s.troubled("c", api.ReasonParentMissing)
	s.parallel()
	s.midway()
	s.deleteNamespace("c")
}
