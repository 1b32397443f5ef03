// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"github.com/stretchr/testify/require"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// halted are the part of section 13.10 about trees in which nothing may happen.
var halted = scenarios{
	"13.10.16": sourceGoesWhileHalted,
	"13.10.17": haltedTree,
}

func sourceGoesWhileHalted(s *scene) {
	s.tree("parent", "parent/child", "elsewhere", "elsewhere/below")
	s.put(roles, "parent", "role")
	s.arrives(roles, "parent", "role", "child")
	before := s.read(roles, "child", "role").GetUID()
	s.setParent("parent", "missing")
	s.haltedBy("child", "parent")
	s.midway()
	s.remove(roles, "parent", "role")
	s.sentinel(roles, "elsewhere", "below") // nothing can arrive in a halted tree
	require.Equal(s, before, s.read(roles, "child", "role").GetUID())
	s.setParent("parent", "")
	s.goes(roles, "role", "child")
}

func haltedTree(s *scene) {
	s.tree("top", "top/middle", "middle/low", "elsewhere", "elsewhere/below")
	s.put(roles, "top", "old")
	s.arrives(roles, "top", "old", "middle", "low")
	s.setParent("top", "missing")
	s.troubled("top", api.ReasonParentMissing)
	s.haltedBy("low", "top")
	s.midway()

	s.remove(roles, "top", "old")
	s.put(roles, "middle", "new")
	s.sentinel(roles, "elsewhere", "below") // nothing can arrive in a halted tree
	s.lacks(roles, "new", "low")
	require.NotNil(s, s.read(roles, "middle", "old"))
	require.NotNil(s, s.read(roles, "low", "old"))

	s.namespaces("missing")
	s.put(roles, "missing", "of-missing")
	s.arrives(roles, "missing", "of-missing", "top", "middle", "low")
	s.arrives(roles, "middle", "new", "low")
	s.goes(roles, "old", "middle", "low")
	s.troubled("low")
}
