// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import (
	corev1 "k8s.io/api/core/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Observed is one namespace as read, from the forest or live. Absence is a
// value.
type Observed struct {
	Name string

	// Namespace is nil if there is none.
	Namespace *corev1.Namespace

	// Configuration is nil if there is none.
	Configuration *api.HierarchyConfiguration

	// HasAnchors is true if there is any anchor in the namespace.
	HasAnchors bool

	// Claims are the anchors of this name in other namespaces, sorted by
	// namespace.
	Claims []*api.SubnamespaceAnchor

	// DeletingCRD is true while a definition that we depend upon goes away.
	DeletingCRD bool
}

// Observe returns a namespace as the forest knows it.
func (f *Forest) Observe(namespace string) Observed {
	return Observed{
		Name:          namespace,
		Namespace:     f.namespaces[namespace],
		Configuration: f.configurations[namespace],
		HasAnchors:    len(f.anchors[namespace]) > 0,
		Claims:        f.claims.list(namespace),
		DeletingCRD:   f.deletingCRD,
	}
}

func (o Observed) exists() bool { return o.Namespace != nil }

func (o Observed) terminating() bool { return o.exists() && o.Namespace.DeletionTimestamp != nil }

func (o Observed) external() bool {
	if !o.exists() {
		return false
	}
	by := o.Namespace.Annotations[api.AnnotationManagedBy]
	return by != "" && by != api.Group
}

// annotatedParent is what subnamespace-of says, whether or not it counts.
func (o Observed) annotatedParent() string {
	if !o.exists() {
		return ""
	}
	return o.Namespace.Annotations[api.AnnotationSubnamespaceOf]
}

// subnamespaceOf returns the namespace whose anchor this one belongs to. While
// the namespace terminates, the annotation does not count: then its parentage
// ends with its configuration, and its copies may go.
func (o Observed) subnamespaceOf(scope Scope) string {
	if o.terminating() || o.external() || !scope.Manages(o.Name) {
		return ""
	}
	return o.annotatedParent()
}

// parent returns the declared parent. It follows from the facts of this
// namespace alone.
func (o Observed) parent(scope Scope) string {
	if !o.exists() || o.external() || !scope.Manages(o.Name) {
		return ""
	}
	if owner := o.subnamespaceOf(scope); owner != "" {
		return owner
	}
	if o.Configuration == nil {
		return ""
	}
	return o.Configuration.Spec.Parent
}

// claimOf returns the claim that stands in the given namespace, or nil.
func (o Observed) claimOf(namespace string) *api.SubnamespaceAnchor {
	for _, claim := range o.Claims {
		if claim.Namespace == namespace && namespace != "" {
			return claim
		}
	}
	return nil
}

// asked returns the labels and annotations that users ask for on this
// namespace. The anchor of a subnamespace speaks for it; if it is missing, what
// it said last still stands in the configuration.
func (o Observed) asked(scope Scope) (labels, annotations []api.MetaKVP) {
	if anchor := o.claimOf(o.subnamespaceOf(scope)); anchor != nil {
		return anchor.Spec.Labels, anchor.Spec.Annotations
	}
	if o.Configuration != nil {
		return o.Configuration.Spec.Labels, o.Configuration.Spec.Annotations
	}
	return nil, nil
}
