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
	state, finalizer := anchor.Status.State, slices.Contains(anchor.Finalizers, api.FinalizerAnchor)
	want := f.outcome(anchor)
	why := "it does not tell the state of its namespace"
	switch {
	case !f.scope.Manages(seen.Name):
		want = outcome{state, false}
		why = "its namespace is not managed"
	case seen.DeletingCRD && anchor.DeletionTimestamp == nil:
		want = outcome{state, finalizer}
	case seen.DeletingCRD:
		want.finalizer = false
	case seen.terminating() || anchor.DeletionTimestamp != nil:
		// None is added to what is going away: it would be in the way, or be
		// refused.
		want.finalizer = want.finalizer && finalizer
	}
	// There may be thousands of anchors, nearly all of them as they should be.
	if want == (outcome{state, finalizer}) {
		return Action{}
	}
	after := anchor.DeepCopy()
	after.Status.State = want.state
	setFinalizer(after, api.FinalizerAnchor, want.finalizer)
	return patch(anchor, after, why)
}

// outcome is what becomes of an anchor. It follows from the anchor and from the
// namespace that it names.
type outcome struct {
	state     api.AnchorState
	finalizer bool
}

func (f *Forest) outcome(anchor *api.SubnamespaceAnchor) outcome {
	child, living := f.namespaces[anchor.Name], anchor.DeletionTimestamp == nil
	switch {
	case !f.scope.Manages(anchor.Name), child == nil && !f.mayBeSubnamespace(anchor.Name):
		return outcome{api.Forbidden, false}
	case child == nil:
		return outcome{api.Missing, living}
	case child.Annotations[api.AnnotationSubnamespaceOf] != anchor.Namespace:
		return outcome{api.Conflict, living}
	}
	// The anchor of a subnamespace waits until that is gone, unless the
	// subnamespace stays.
	return outcome{api.Ok, living || child.DeletionTimestamp != nil || f.mayGo(anchor.Name)}
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
