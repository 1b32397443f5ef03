// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/banyan-hns/banyan/hierarchy"
)

// Stamp returns the key that a namespace has before a move, if that changes it, or
// may. It is not known while the namespace is still being handed over from the key
// before.
//
// The forest may be late. Ascent finds out if the stamp is right.
func Stamp(f *hierarchy.Forest, m Move) (stamp string, known bool) {
	if f.Moving(m.Namespace) != "" {
		return "", false
	}
	if before := f.Key(m.Namespace); before != m.keyAfter(f) || !m.keepsItsKey() && f.Moving(m.Parent) != "" {
		return before, true
	}
	return "", true
}

// keepsItsKey reports whether the namespace is a key by itself after the move, and so
// whatever becomes of others.
func (m Move) keepsItsKey() bool { return m.OwnKey || m.Parent == "" }

// keyAfter is the key that the namespace has after the move.
func (m Move) keyAfter(f *hierarchy.Forest) string {
	if m.keepsItsKey() {
		return m.Namespace
	}
	return f.KeyAtRest(m.Parent)
}

// StampMissing is what is said of a move that must have a stamp and has none: the API
// server passed over the webhook that sets it, as it does if that gives no answer.
const StampMissing = "the webhook that prepares for this has not been asked"

// handedOver says whether the stamp of the move is right.
//
// Invariant: when a move is written, its stamp names the key that the namespace has
// at that moment, and whose owner therefore is the only one that may be writing into
// it. Reason:
//
//  1. Everything above the namespace is read after the record of moves, and nothing
//     there is being handed over, or may be by a move that is under way.
//  2. Whatever is granted later and would give the namespace another key waits for
//     this move, since this one is in the record, and the ascent from it reaches what
//     moves.
//
// A namespace that gets a key of its own, or loses it, is one that moves: the same
// holds for it, with the parent that it has.
func (a *Ascent) handedOver() Verdict {
	if name := a.awaited(); name != "" {
		return DenyUnavailable("namespace %q is changing its tree; try again in a moment", name)
	}
	before := a.read.KeyAtRest(a.move.Namespace)
	switch {
	case a.move.Stamp == before:
		return Allow()
	case a.move.Stamp != "":
		return DenyUnavailable("namespace %q has come from the key %q to %q just now; try again in a moment", a.move.Namespace, a.move.Stamp, before)
	case a.tree() == before:
		return Allow()
	}
	return DenyUnavailable("namespace %q changes its key, and %s; try again in a moment", a.move.Namespace, StampMissing)
}

// Soon reports whether the verdict waits for what ends by itself in a moment.
func (a *Ascent) Soon() bool { return a.awaited() != "" }

// awaited returns a namespace that must have changed its key before, or none.
func (a *Ascent) awaited() string {
	here := a.move.Namespace
	if name := a.read.Moving(here); name != "" {
		return name
	}
	for _, name := range sets.List(a.above(here)) {
		if name != here && a.mayLeave(name) {
			return name
		}
	}
	for _, m := range a.belowUs() {
		if a.above(m.Namespace).Has(here) {
			return m.Namespace
		}
	}
	return ""
}

// tree returns the key that the namespace will have, or nothing, if another move may
// make it a different one before this one is written.
func (a *Ascent) tree() string {
	if a.move.keepsItsKey() {
		return a.move.Namespace
	}
	if a.read.Moving(a.move.Parent) != "" || slices.ContainsFunc(slices.Collect(maps.Keys(a.climb())), a.mayLeave) {
		return ""
	}
	return a.move.keyAfter(a.read)
}

// mayLeave reports whether a move that is under way gives the namespace another key.
func (a *Ascent) mayLeave(name string) bool {
	return slices.ContainsFunc(a.underway, func(m Move) bool { return m.Namespace == name && m.Stamp != "" })
}

// belowUs are the moves under way that may begin or end below the namespace, if it
// gives them another key.
func (a *Ascent) belowUs() Moves {
	if a.move.Stamp == "" {
		return nil
	}
	here := a.read.KeyAtRest(a.move.Namespace)
	return a.underway.without(func(m Move) bool {
		return m.Namespace == a.move.Namespace || m.Stamp != here && m.Tree != here && m.Tree != ""
	})
}

// above returns the namespace and all that it has above it, or may have.
func (a *Ascent) above(name string) sets.Set[string] {
	found := sets.New(name)
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		for _, parent := range a.possible(queue[0]) {
			if !found.Has(parent) {
				found.Insert(parent)
				queue = append(queue, parent)
			}
		}
	}
	return found
}
