// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Ascent finds out whether a move may close a cycle, together with what is and with
// any of the moves that are under way. Each namespace has the parent that it has,
// and all that it may get; the ascent follows them all.
//
// It trusts no cache. The caller
//
//  1. reads the moves under way;
//  2. reads from the API server, and after that, what Next names, and tells Read,
//     until Next names nothing;
//  3. asks Verdict.
//
// Reason for the order: a move that is no longer among those under way has been
// settled before they were read, so that what is read after shows its outcome.
type Ascent struct {
	move     Move
	underway Moves
	guess    []string
	read     *hierarchy.Forest
	known    sets.Set[string]
}

// NewAscent begins one. The forest is only asked which names will be needed, so
// that they can be read together.
func NewAscent(f *hierarchy.Forest, underway Moves, move Move) *Ascent {
	return &Ascent{
		move: move, underway: underway, guess: f.Ancestors(move.Parent),
		read: hierarchy.NewForest(f.Scope()), known: sets.Set[string]{},
	}
}

// Next returns the namespaces that are to be read, sorted; none, if the verdict is
// certain.
func (a *Ascent) Next() []string {
	next := sets.New(a.guess...)
	a.guess = nil
	for name := range a.climb() {
		next.Insert(name)
	}
	return sets.List(next.Delete(a.move.Namespace).Difference(a.known))
}

// Read tells what the API server has of a namespace; nil, if there is none.
func (a *Ascent) Read(name string, namespace *corev1.Namespace, configuration *api.HierarchyConfiguration) {
	a.known.Insert(name)
	if namespace != nil {
		a.read.SetNamespace(namespace)
	}
	if configuration != nil {
		a.read.SetConfiguration(configuration)
	}
	a.underway = a.underway.without(func(m Move) bool { return m.Namespace == name && m.settledNow(configuration) })
}

// Underway are the moves that may still be written, as far as is known.
func (a *Ascent) Underway() Moves { return a.underway }

// Verdict judges the move. A cycle with what is, is one for good; one with what may
// come is worth another try.
func (a *Ascent) Verdict() Verdict {
	return first(
		func() Verdict { return noCycle(a.read, a.move.Namespace, a.move.Parent) },
		func() Verdict { return existingParent(a.read, a.move.Parent) },
		a.noCycleToCome,
		func() Verdict { return a.underway.room(a.move.Namespace) },
	)
}

func (a *Ascent) noCycleToCome() Verdict {
	below := a.climb()
	if _, reached := below[a.move.Namespace]; !reached {
		return Allow()
	}
	chain := []string{a.move.Namespace}
	for name := a.move.Namespace; name != a.move.Parent; {
		name = below[name]
		chain = append(chain, name)
	}
	chain = append(chain, a.move.Namespace)
	return DenyConflict("spec.parent", "illegal parent: namespace %q would be its own ancestor, if a move that is under way succeeds: %s; try again in a moment", a.move.Namespace, strings.Join(chain, " <- "))
}

// possible parents of a namespace: that which was read, and all that are under way.
func (a *Ascent) possible(name string) []string {
	var parents []string
	if parent := a.read.Parent(name); parent != "" {
		parents = append(parents, parent)
	}
	for _, m := range a.underway {
		if m.Namespace == name && !slices.Contains(parents, m.Parent) {
			parents = append(parents, m.Parent)
		}
	}
	return parents
}

// climb returns all namespaces that the parent has above it, itself included, each
// with the one from which it was reached. The moving namespace is the end.
func (a *Ascent) climb() map[string]string {
	from := map[string]string{a.move.Parent: ""}
	for queue := []string{a.move.Parent}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == a.move.Namespace {
			continue
		}
		for _, parent := range a.possible(queue[0]) {
			if _, visited := from[parent]; !visited {
				from[parent] = queue[0]
				queue = append(queue, parent)
			}
		}
	}
	return from
}
