// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"github.com/stretchr/testify/require"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// contents are the part of section 13.10 about copies that follow their sources.
var contents = scenarios{
	"13.10.4":  copiesTwoLevelsDown,
	"13.10.5":  emptyObject,
	"13.10.10": copiesFollowTheTree,
	"13.10.11": editedCopy,
	"13.10.12": sourceGoes,
	"13.10.13": sourceChanges,
	"13.10.18": sourceGetsFinalizer,
}

// conflicts are the part of section 13.10 about two sources of one name.
var conflicts = scenarios{
	"13.10.14": topSourceWins,
	"13.10.15": nextSourceWins,
	"13.10.19": removeModeReplacesNothing,
}

// more rules for a Role, to tell one from another.
func granting(verbs ...any) change {
	return with("rules", []any{map[string]any{"apiGroups": []any{""}, "resources": []any{"pods"}, "verbs": verbs}})
}

func copiesTwoLevelsDown(s *scene) {
	s.tree("top", "top/middle", "middle/low")
	s.midway()
	s.put(roles, "top", "of-top")
	s.put(roles, "middle", "of-middle")
	s.arrives(roles, "top", "of-top", "middle", "low")
	s.arrives(roles, "middle", "of-middle", "low")
	s.lacks(roles, "of-middle", "top")
}

func emptyObject(s *scene) {
	s.tree("top", "top/middle", "middle/low")
	s.midway()
	s.put(configMaps, "top", "empty", with("data", nil))
	s.arrives(configMaps, "top", "empty", "middle", "low")
}

func copiesFollowTheTree(s *scene) {
	s.tree("one", "other", "one/middle", "middle/low")
	s.put(roles, "one", "of-one")
	s.put(roles, "other", "of-other")
	s.put(roles, "middle", "of-middle")
	s.arrives(roles, "one", "of-one", "middle", "low")
	s.arrives(roles, "middle", "of-middle", "low")
	s.midway()
	s.setParent("middle", "other")
	s.arrives(roles, "other", "of-other", "middle", "low")
	s.goes(roles, "of-one", "middle", "low")
	s.setParent("middle", "")
	s.goes(roles, "of-other", "middle", "low")
	s.setParent("low", "")
	s.goes(roles, "of-middle", "low")
	s.isSource(roles, "middle", "of-middle")
}

func editedCopy(s *scene) {
	s.tree("parent", "parent/child", "grandchild")
	s.put(roles, "parent", "role")
	s.arrives(roles, "parent", "role", "child")
	s.midway()
	s.alter(roles, "child", "role", granting("delete"))
	s.setParent("grandchild", "child")
	s.arrives(roles, "parent", "role", "grandchild", "child")
	require.Equal(s, roles.content, s.read(roles, "grandchild", "role").Object["rules"])
}

func sourceGoes(s *scene) {
	s.tree("top", "top/middle", "middle/low")
	s.put(roles, "top", "role")
	s.arrives(roles, "top", "role", "middle", "low")
	s.midway()
	s.remove(roles, "top", "role")
	s.goes(roles, "role", "middle", "low")
}

func sourceChanges(s *scene) {
	s.tree("top", "top/middle", "middle/low")
	s.put(roles, "top", "role")
	s.arrives(roles, "top", "role", "middle", "low")
	s.midway()
	s.alter(roles, "top", "role", granting("get", "list"), withLabel("new", "1"))
	s.arrives(roles, "top", "role", "middle", "low")
	for _, ns := range []string{"middle", "low"} {
		require.Equal(s, "1", s.read(roles, ns, "role").GetLabels()["new"])
	}
}

func sourceGetsFinalizer(s *scene) {
	s.tree("parent", "parent/child")
	s.put(roles, "parent", "role")
	s.arrives(roles, "parent", "role", "child")
	s.midway()
	s.alter(roles, "parent", "role", finalized)
	s.goes(roles, "role", "child")
	s.told(roles, "parent", "role", reasonCannotPropagateObject)
	s.alter(roles, "parent", "role", unfinalized)
	s.arrives(roles, "parent", "role", "child")
	require.Positive(s, s.eventsOn(roles, "parent", "role", reasonCannotPropagateObject), "the event remains")
}

func topSourceWins(s *scene) {
	s.tree("top", "top/middle", "middle/low")
	s.put(roles, "middle", "role")
	s.arrives(roles, "middle", "role", "low")
	s.midway()
	s.put(roles, "top", "role", granting("list"))
	s.arrives(roles, "top", "role", "middle", "low")
}

func nextSourceWins(s *scene) {
	s.tree("top", "top/middle", "middle/low")
	s.put(roles, "low", "role", granting("delete"))
	s.put(roles, "top", "role", granting("list"), finalized)
	s.misses(roles, "top", "role", "middle")
	s.isSource(roles, "low", "role")
	s.midway()
	s.put(roles, "middle", "role")
	s.arrives(roles, "middle", "role", "low")
	s.sentinel(roles, "top", "middle", "low")
	s.isSource(roles, "middle", "role")
}

func removeModeReplacesNothing(s *scene) {
	k := s.things()
	s.define(k)
	s.tree("parent", "parent/child")
	s.put(k, "child", "thing", with("spec", map[string]any{"foo": "mine"}))
	s.setMode(k, api.Remove)
	s.active(k, api.Remove)
	s.midway()
	s.put(k, "parent", "thing")
	// In this mode nothing arrives; what a copy by hand comes to shows that the
	// type is worked on.
	s.put(k, "child", "sentinel", withLabel(api.LabelInheritedFrom, s.name("parent")))
	s.goes(k, "sentinel", "child")
	s.isSource(k, "child", "thing")
	require.Equal(s, map[string]any{"foo": "mine"}, s.read(k, "child", "thing").Object["spec"])
}
