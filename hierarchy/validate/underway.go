// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Move is a change of parent, or of whether a namespace has a key of its own, that was
// granted, and of which nobody knows yet what became of it.
type Move struct {
	// ID is the UID of the request for admission.
	ID types.UID `json:"id"`

	// Namespace gets Parent, or none.
	Namespace string `json:"namespace"`
	Parent    string `json:"parent,omitempty"`

	// OwnKey: the namespace has a key of its own, after the move.
	OwnKey bool `json:"ownKey,omitempty"`

	// Stamp is the key that the namespace had, if it gets another one, or may; Tree is
	// that which it gets, or empty, if that may change itself.
	Stamp string `json:"stamp,omitempty"`
	Tree  string `json:"tree,omitempty"`

	// Over is the resourceVersion of the HierarchyConfiguration that is updated. It
	// is empty if one is created: then Creates is the UID of that.
	Over    string    `json:"over,omitempty"`
	Creates types.UID `json:"creates,omitempty"`
}

// IsMove reports whether a change of a HierarchyConfiguration may give its namespace
// another key: it has another parent, or has a key of its own and had none, or the
// reverse.
func IsMove(old, changed *api.HierarchyConfiguration) bool {
	return old.Spec.Parent != changed.Spec.Parent || hierarchy.AsksForOwnKey(old) != hierarchy.AsksForOwnKey(changed)
}

// MoveTo is the move to what a HierarchyConfiguration says.
func MoveTo(c *api.HierarchyConfiguration) Move {
	return Move{Namespace: c.Namespace, Parent: c.Spec.Parent, OwnKey: hierarchy.AsksForOwnKey(c)}
}

// settledBy reports whether a HierarchyConfiguration, as it was at any time, shows
// that the move has been written or never will be.
//
// Invariant: an update is written only over the version that admission was shown;
// an API server that tries again asks again. So any later version is proof. A
// creation is proved by its own UID only: another object under that name may be an
// earlier one, and go before the new one is written.
func (m Move) settledBy(seen *api.HierarchyConfiguration) bool {
	switch {
	case seen == nil:
		return false
	case m.Over == "":
		return m.Creates != "" && seen.UID == m.Creates
	}
	// Versions that cannot be compared prove nothing.
	return hierarchy.Newer(seen.ResourceVersion, m.Over) && !hierarchy.Newer(m.Over, seen.ResourceVersion)
}

// settledNow is settledBy for what was read after the move had been granted. Then
// absence is proof, too: there is nothing left to be updated.
func (m Move) settledNow(read *api.HierarchyConfiguration) bool {
	return m.settledBy(read) || read == nil && m.Over != ""
}

// same reports whether two moves have the same outcome, and the same proof of it.
func (m Move) same(other Move) bool {
	m.ID = other.ID
	return m == other
}

// Moves are those under way, in the order in which they were granted.
type Moves []Move

// Unsettled returns those of which the forest, however late it is, has not seen
// what became.
func (m Moves) Unsettled(f *hierarchy.Forest) Moves {
	return m.without(func(move Move) bool { return move.settledBy(f.Observe(move.Namespace).Configuration) })
}

// Without returns those that do not have one of these IDs.
func (m Moves) Without(ids map[types.UID]bool) Moves {
	return m.without(func(move Move) bool { return ids[move.ID] })
}

// With adds a move. One like it is replaced: the request of the new one is younger,
// and may outlive the other. One that differs stays, since either may be written.
func (m Moves) With(move Move) Moves {
	return append(m.without(move.same), move)
}

// Bounds of the record. A namespace that is asked to move again and again, and each
// time refused by somebody else, must not fill it.
const (
	mostOfOne = 16
	mostOfAll = 1000
)

// room says whether another move may be remembered.
func (m Moves) room(namespace string) Verdict {
	ofOne := len(m) - len(m.without(func(move Move) bool { return move.Namespace == namespace }))
	if ofOne >= mostOfOne || len(m) >= mostOfAll {
		return DenyUnavailable("%d changes of parents are under way, %d of them of namespace %q; try again in a minute", len(m), ofOne, namespace)
	}
	return Allow()
}

func (m Moves) without(unwanted func(Move) bool) Moves {
	return slices.DeleteFunc(slices.Clone(m), unwanted)
}
