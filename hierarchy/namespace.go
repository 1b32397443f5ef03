// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// creation makes a namespace that an anchor asks for, complete with all that it
// inherits, so that it costs one write.
//
// It waits for the anchor's finalizer: without it, the anchor could vanish and
// leave a namespace that nobody asked for. It also waits until the anchor does
// not call the namespace ready, as one that was restored may do; later nobody
// could tell that from the truth.
func (f *Forest) creation(seen Observed) Action {
	claim := f.winner(seen)
	if claim == nil || seen.DeletingCRD || !holdsAnchor(claim) || IsReady(claim) {
		return Action{}
	}
	after := f.newborn(seen, claim).Namespace
	return Action{Verb: Create, After: after, Why: "its anchor asks for it"}
}

// newborn is a namespace as it will be right after its creation.
func (f *Forest) newborn(seen Observed, claim *api.SubnamespaceAnchor) Observed {
	seen.Namespace = &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name:        seen.Name,
		Annotations: map[string]string{api.AnnotationSubnamespaceOf: claim.Namespace},
	}}
	// A configuration without a namespace is a leftover in somebody's cache.
	seen.Configuration = nil
	labels, annotations := f.labels(seen), f.annotations(seen)
	seen.Namespace.Labels, seen.Namespace.Annotations = labels, annotations
	return seen
}

// winner returns the claim that gets an absent namespace, or nil: the oldest,
// then the one in the namespace that comes first. A finalizer makes no
// difference, so that a slow oldest claim is waited for, not overtaken.
func (f *Forest) winner(seen Observed) *api.SubnamespaceAnchor {
	if seen.exists() || !f.mayBeSubnamespace(seen.Name) {
		return nil
	}
	var winner *api.SubnamespaceAnchor
	for _, claim := range seen.Claims {
		if !f.mayClaim(claim) {
			continue
		}
		if winner == nil || claim.CreationTimestamp.Before(&winner.CreationTimestamp) ||
			claim.CreationTimestamp.Equal(&winner.CreationTimestamp) && claim.Namespace < winner.Namespace {
			winner = claim
		}
	}
	return winner
}

// mayBeSubnamespace reports whether a namespace of that name could be made at
// all. Names of anchors are less restricted than those of namespaces.
func (f *Forest) mayBeSubnamespace(name string) bool {
	return f.scope.Manages(name) && len(validation.IsDNS1123Label(name)) == 0
}

func (f *Forest) mayClaim(claim *api.SubnamespaceAnchor) bool {
	return claim.DeletionTimestamp == nil && f.scope.Manages(claim.Namespace) &&
		f.Exists(claim.Namespace) && !f.IsTerminating(claim.Namespace)
}

// namespaceAction corrects the labels and annotations that Banyan owns. A
// namespace that is going away is left in peace.
func (f *Forest) namespaceAction(seen Observed) Action {
	if seen.terminating() {
		return Action{}
	}
	after := seen.Namespace.DeepCopy()
	after.Labels, after.Annotations = f.labels(seen), f.annotations(seen)
	return patch(seen.Namespace, after, "its labels or annotations do not fit its place in the tree")
}

func abandonNamespace(seen Observed) Action {
	after := seen.Namespace.DeepCopy()
	after.Labels = withoutIncluded(after.Labels)
	return patch(seen.Namespace, after, "it is not managed")
}
