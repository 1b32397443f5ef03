// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/bench/system"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// subnamespaces are section 13.1.
var subnamespaces = scenarios{
	"13.1.1": plainNamespace,
	"13.1.3": newNamespaceIsIncluded,
	"13.1.6": parentIsDeleted,
	"13.1.7": subnamespaceLivesAndDies,
}

func plainNamespace(s *scene) {
	s.midway()
	s.namespaces("plain")
	s.deleteNamespace("plain")
}

// The webhook does so at once, whoever of the replicas is alive.
func newNamespaceIsIncluded(s *scene) {
	s.midway()
	s.Eventually("a replica admits it", func() error {
		created := system.Namespace(s.name("plain"))
		if err := s.Client.Create(s.Context(), created); err != nil {
			return err
		}
		require.Equal(s, "true", created.Labels[api.LabelIncludedNamespace])
		return nil
	})
}

func parentIsDeleted(s *scene) {
	s.tree("a", "a/b")
	s.midway()
	s.deleteNamespace("a")
	s.troubled("b", api.ReasonParentMissing)
}

func subnamespaceLivesAndDies(s *scene) {
	s.namespaces("a")
	s.anchor("a", "b")
	s.claimed("b", "a")
	s.midway()
	s.deleteAnchor("a", "b")
	s.namespaceGone("b")
	s.children("a")
}
