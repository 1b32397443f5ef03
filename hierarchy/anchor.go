// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// AnchorKey is the place of an anchor.
type AnchorKey struct{ Namespace, Name string }

func (k AnchorKey) compare(other AnchorKey) int {
	return cmp.Or(cmp.Compare(k.Namespace, other.Namespace), cmp.Compare(k.Name, other.Name))
}

// patience is how long an anchor says nothing about what will most likely be
// over in a moment. It saves each new subnamespace two writes.
const patience = 2 * time.Second

// DecideAnchor says what must be written for one anchor, and when to look again
// though nothing changed. Siblings make no difference.
func (f *Forest) DecideAnchor(key AnchorKey, arrival Arrival, now metav1.Time) Plan {
	plan := Plan{Namespace: key.Namespace}
	anchor, home := f.anchors[key.Namespace][key.Name], f.Observe(key.Namespace)
	switch {
	case anchor == nil || !home.exists():
	case !f.scope.Manages(key.Namespace):
		plan.add(release(anchor, "its namespace is not managed"))
	case f.deletingCRD && anchor.DeletionTimestamp == nil:
	case f.deletingCRD:
		plan.add(release(anchor, "its definition is being deleted"))
	case anchor.DeletionTimestamp != nil:
		f.decideDeleted(&plan, anchor, now)
	case home.terminating():
		// It will be deleted in a moment. A finalizer that came now would only
		// be in the way.
	default:
		f.decideLiving(&plan, anchor, arrival, now)
	}
	return plan
}

// decideLiving keeps the finalizer on an anchor, and its word up to date, both
// in one write.
func (f *Forest) decideLiving(plan *Plan, anchor *api.SubnamespaceAnchor, arrival Arrival, now metav1.Time) {
	where := f.standing(anchor)
	held, holds := holdsAnchor(anchor), where.state != api.Forbidden
	want := where.word(anchor, arrival)

	// What is promised stays promised: copies that a new source sends for do
	// not make a namespace unusable, and would cost each of them two writes.
	if want.reason == api.ReasonObjectsAwaited && IsReady(anchor) {
		want = where.arrived(anchor)
	}
	passing := want.reason == api.ReasonNamespaceMissing || want.reason == api.ReasonObjectsAwaited
	if passing && held && !IsReady(anchor) && arrival.Waited < patience {
		plan.Again = patience - arrival.Waited
		return
	}
	plan.add(want.write(anchor, holds, now, "it does not tell the state of its namespace"))
	if want.reason == api.ReasonObjectsAwaited || want.reason == api.ReasonObjectsFailed {
		// The forest knows no copies, so no Change will tell that they came.
		plan.Again = patience
	}
}

// decideDeleted lets an anchor go once there is nothing to wait for. It waits
// for the end of its subnamespace, unless that stays or is stuck.
func (f *Forest) decideDeleted(plan *Plan, anchor *api.SubnamespaceAnchor, now metav1.Time) {
	where := f.standing(anchor)
	waits := where.state == api.Ok && holdsAnchor(anchor) && (where.terminating || where.goes)
	var note Note
	if waits && where.left != "" {
		if left := where.release(now); left > 0 {
			plan.Again = left
		} else {
			waits, note = false, where.stuck(anchor)
		}
	}
	action := where.lastWord(anchor).write(anchor, waits, now, "it is being deleted")
	action.Tell = note
	plan.add(action)
}

// release takes the finalizer off an anchor, and does no more.
func release(anchor *api.SubnamespaceAnchor, why string) Action {
	after := anchor.DeepCopy()
	setFinalizer(after, api.FinalizerAnchor, false)
	return patch(anchor, after, why)
}

func holdsAnchor(anchor *api.SubnamespaceAnchor) bool {
	return slices.Contains(anchor.Finalizers, api.FinalizerAnchor)
}

// mustGo reports whether a namespace is to be deleted: its own anchor is being
// deleted, still waits for it, and nothing that hangs below forbids it. That an
// anchor is missing is never a reason.
func (f *Forest) mustGo(seen Observed) bool {
	owner := seen.annotatedParent()
	anchor := seen.claimOf(owner)
	return anchor != nil && anchor.DeletionTimestamp != nil && holdsAnchor(anchor) &&
		f.scope.Manages(owner) && f.scope.Manages(seen.Name) &&
		!seen.terminating() && !seen.DeletingCRD && f.mayGo(seen.Name)
}

// mayGo reports whether a subnamespace may be deleted with its anchor.
func (f *Forest) mayGo(namespace string) bool {
	return len(f.children[namespace]) == 0 || f.AllowsCascadingDeletion(namespace)
}
