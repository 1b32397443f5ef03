// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import (
	"slices"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// anchorActions bring finalizer and state of each anchor in a namespace up to
// date, both in one write.
func (f *Forest) anchorActions(seen Observed) []Action {
	var actions []Action
	for _, anchor := range seen.Anchors {
		actions = append(actions, f.anchorAction(seen, anchor))
	}
	return actions
}

func (f *Forest) anchorAction(seen Observed, anchor *api.SubnamespaceAnchor) Action {
	after := anchor.DeepCopy()
	if !f.scope.Manages(seen.Name) {
		setFinalizer(after, api.FinalizerAnchor, false)
		return patch(anchor, after, "its namespace is not managed")
	}
	if seen.DeletingCRD && anchor.DeletionTimestamp == nil {
		return Action{}
	}
	outcome := f.outcome(anchor)
	after.Status.State = outcome.state
	// In a namespace that is going away, a finalizer would only be in the way.
	if !outcome.finalizer || !seen.terminating() {
		setFinalizer(after, api.FinalizerAnchor, outcome.finalizer && !seen.DeletingCRD)
	}
	return patch(anchor, after, "it does not tell the state of its namespace")
}

// outcome is what becomes of an anchor. It follows from the anchor and from the
// namespace that it names.
type outcome struct {
	state     api.AnchorState
	finalizer bool
}

func (f *Forest) outcome(anchor *api.SubnamespaceAnchor) outcome {
	if !f.mayBeSubnamespace(anchor.Name) {
		return outcome{api.Forbidden, false}
	}
	child := f.glance(anchor.Name)
	switch {
	case !child.exists():
		return outcome{api.Missing, anchor.DeletionTimestamp == nil}
	case child.annotatedParent() != anchor.Namespace:
		return outcome{api.Conflict, anchor.DeletionTimestamp == nil}
	}
	// The anchor of a subnamespace waits until that is gone, unless the
	// subnamespace stays.
	return outcome{api.Ok, anchor.DeletionTimestamp == nil || child.terminating() || f.mayGo(anchor.Name)}
}

// mustGo reports whether a namespace is to be deleted: its own anchor is being
// deleted, still waits for it, and nothing that hangs below forbids it. That an
// anchor is missing is never a reason.
func (f *Forest) mustGo(seen Observed) bool {
	owner := seen.annotatedParent()
	anchor := seen.claimOf(owner)
	return anchor != nil && anchor.DeletionTimestamp != nil &&
		slices.Contains(anchor.Finalizers, api.FinalizerAnchor) &&
		f.scope.Manages(owner) && f.scope.Manages(seen.Name) &&
		!seen.terminating() && !seen.DeletingCRD && f.mayGo(seen.Name)
}

// mayGo reports whether a subnamespace may be deleted with its anchor.
func (f *Forest) mayGo(namespace string) bool {
	return len(f.children[namespace]) == 0 || f.AllowsCascadingDeletion(namespace)
}
