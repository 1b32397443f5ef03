// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"cmp"
	"maps"
	"slices"
)

// Lines is how many lines of the log were of one sort.
type Lines struct {
	Sort  string
	Count int
}

// sorts counts lines.
type sorts map[string]int

func (s sorts) lines() []Lines {
	var lines []Lines
	for _, sort := range slices.Sorted(maps.Keys(s)) {
		lines = append(lines, Lines{sort, s[sort]})
	}
	slices.SortStableFunc(lines, func(a, b Lines) int { return cmp.Compare(b.Count, a.Count) })
	return lines
}

// sortOf says what sort of write it is.
func (w *world) sortOf(e *event) string {
	_, _, isMember, isShard := w.ours(e.ref)
	switch {
	case e.outcome == unanswered:
		return "without an answer"
	case !w.isReplica(e.writer) && shapesForest(e.ref):
		return "users: what shapes trees"
	case !w.isReplica(e.writer):
		return "users: others"
	case isMember:
		return "replicas: heartbeats"
	case isShard:
		return "replicas: Leases of shards"
	case e.ref.resource == "events":
		return "replicas: Events"
	case e.ref.namespace == w.cfg.Namespace:
		return "replicas: into their own namespace"
	case shapesForest(e.ref):
		return "replicas: what shapes trees"
	case e.ref.namespace == "":
		return "replicas: of what has no namespace"
	}
	return "replicas: objects in namespaces"
}
