// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"fmt"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// modes are the part of section 13.9 about what modes do.
var modes = scenarios{
	"13.9.13": unlistedType,
	"13.9.14": propagateCopies,
	"13.9.15": propagateThenIgnore,
	"13.9.16": ignoreThenPropagate,
	"13.9.17": propagateThenRemove,
	"13.9.18": removeThenPropagate,
	"13.9.19": propagateThenUnlisted,
}

// counters are the part of section 13.9 about numbers in the status.
var counters = scenarios{
	"13.9.22": copiesAreCounted,
	"13.9.23": removedCopiesAreCounted,
	"13.9.24": func(s *scene) { sourcesAreCounted(s, api.Propagate) },
	"13.9.25": func(s *scene) { sourcesAreCounted(s, "") },
	"13.9.26": deletedSourcesAreCounted,
	"13.9.27": sourcesAreNotCounted,
}

// ownType defines the type of a scenario, and a parent with a child.
func (s *scene) ownType() kind {
	s.Helper()
	k := s.things()
	s.define(k)
	s.tree("parent", "parent/child")
	return k
}

func unlistedType(s *scene) {
	k := s.ownType()
	s.put(k, "parent", "thing")
	s.midway()
	s.sentinel(roles, "parent", "child")
	s.lacks(k, "thing", "child")
	s.setMode(k, api.Propagate)
	s.arrives(k, "parent", "thing", "child")
}

func propagateCopies(s *scene) {
	k := s.ownType()
	s.setMode(k, api.Propagate)
	s.midway()
	s.put(k, "parent", "thing")
	s.arrives(k, "parent", "thing", "child")
}

func propagateThenIgnore(s *scene) {
	k := s.ownType()
	s.setMode(k, api.Propagate)
	s.put(k, "parent", "thing")
	s.arrives(k, "parent", "thing", "child")
	s.setMode(k, api.Ignore)
	s.active(k, api.Ignore)
	s.midway()
	s.tree("parent/late")
	s.sentinel(roles, "parent", "child", "late")
	s.lacks(k, "thing", "late")
	s.read(k, "child", "thing") // frozen, not removed
}

func ignoreThenPropagate(s *scene) {
	k := s.ownType()
	s.setMode(k, api.Ignore)
	s.active(k, api.Ignore)
	s.put(k, "parent", "thing")
	s.sentinel(roles, "parent", "child")
	s.lacks(k, "thing", "child")
	s.midway()
	s.setMode(k, api.Propagate)
	s.arrives(k, "parent", "thing", "child")
}

func propagateThenRemove(s *scene) {
	k := s.ownType()
	s.setMode(k, api.Propagate)
	s.put(k, "parent", "thing")
	s.arrives(k, "parent", "thing", "child")
	s.midway()
	s.setMode(k, api.Remove)
	s.goes(k, "thing", "child")
	s.isSource(k, "parent", "thing")
}

func removeThenPropagate(s *scene) {
	k := s.ownType()
	s.setMode(k, api.Remove)
	s.active(k, api.Remove)
	s.put(k, "parent", "thing")
	s.midway()
	s.setMode(k, api.Propagate)
	s.arrives(k, "parent", "thing", "child")
}

func propagateThenUnlisted(s *scene) {
	k := s.ownType()
	s.setMode(k, api.Propagate)
	s.put(k, "parent", "thing")
	s.arrives(k, "parent", "thing", "child")
	s.midway()
	s.drop(k.entry(api.Propagate))
	s.inactive(k)
	s.put(k, "parent", "late")
	s.sentinel(roles, "parent", "child")
	s.lacks(k, "late", "child")
	s.read(k, "child", "thing") // frozen, not removed
}

// counted waits until the status has these numbers; -1 stands for none.
func (s *scene) counted(k kind, copies, sources int) {
	s.Helper()
	s.reports(fmt.Sprintf("%s has %d copies, %d sources", k.resource, copies, sources), func(config *api.HNCConfiguration) error {
		got := status(config, k.entry(""))
		if got == nil {
			return fmt.Errorf("it does not tell")
		}
		return differs([]int{copies, sources}, []int{number(got.NumPropagatedObjects), number(got.NumSourceObjects)})
	})
}

func number(n *int) int {
	if n == nil {
		return -1
	}
	return *n
}

func copiesAreCounted(s *scene) {
	k := s.ownType()
	s.setMode(k, api.Propagate)
	s.put(k, "parent", "thing")
	s.counted(k, 1, 1)
	s.midway()
	s.remove(k, "parent", "thing")
	s.counted(k, 0, 0)
}

func removedCopiesAreCounted(s *scene) {
	k := s.ownType()
	s.setMode(k, api.Propagate)
	s.put(k, "parent", "thing")
	s.counted(k, 1, 1)
	s.midway()
	s.setMode(k, api.Remove)
	s.counted(k, 0, -1)
}

func sourcesAreCounted(s *scene, mode api.SynchronizationMode) {
	k := s.ownType()
	s.setMode(k, mode)
	s.active(k, api.Propagate)
	s.counted(k, 0, 0)
	s.midway()
	s.put(k, "parent", "thing")
	s.counted(k, 1, 1)
}

func deletedSourcesAreCounted(s *scene) {
	k := s.ownType()
	s.setMode(k, api.Propagate)
	s.put(k, "child", "thing")
	s.counted(k, 0, 1)
	s.midway()
	s.remove(k, "child", "thing")
	s.counted(k, 0, 0)
}

func sourcesAreNotCounted(s *scene) {
	k := s.ownType()
	s.setMode(k, api.Remove)
	s.midway()
	s.put(k, "parent", "thing")
	s.sentinel(roles, "parent", "child")
	s.counted(k, 0, -1)
}
