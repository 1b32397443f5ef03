// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Object is what must be known of one object. It is what caches keep.
//
// Invariant: a copy is as large as its names, however large the object is that
// it stands for. There are as many copies as namespaces, for every source.
type Object struct {
	Namespace, Name string
	UID             types.UID
	ResourceVersion string

	// InheritedFrom is the namespace of the source; it is empty for sources.
	InheritedFrom string

	Terminating, HasFinalizers bool

	// Hash of what a source and its copies have in common: of a copy, as it is; of
	// a source, as its copies should be. The latter is known once the source has
	// been folded.
	Hash uint64

	// Source is the whole object. It is nil for copies.
	Source *unstructured.Unstructured
}

// SameSource reports whether two views of one object are the same for all of its
// descendants: both are sources, and nothing differs but what no copy depends
// upon, such as the status.
func SameSource(before, after *Object) bool {
	if before == nil || after == nil || before.IsCopy() || after.IsCopy() {
		return false
	}
	return before.UID == after.UID && before.Terminating == after.Terminating && before.HasFinalizers == after.HasFinalizers &&
		maps.Equal(before.Source.GetLabels(), after.Source.GetLabels()) &&
		maps.Equal(before.Source.GetAnnotations(), after.Source.GetAnnotations()) &&
		before.Hash == after.Hash
}

// IsCopy reports whether the object is a copy. All others belong to users.
func (o *Object) IsCopy() bool { return o.InheritedFrom != "" }

// Key returns the place of the object.
func (o *Object) Key() Key { return Key{o.Namespace, o.Name} }

// GetObjectMeta returns what a store needs to index the object.
func (o *Object) GetObjectMeta() metav1.Object {
	return &metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name, UID: o.UID, ResourceVersion: o.ResourceVersion}
}

var _ metav1.ObjectMetaAccessor = (*Object)(nil)

// Observe returns what must be known of an object. It keeps a source, which must
// not be mutated afterwards.
func Observe(u *unstructured.Unstructured) *Object {
	o := &Object{
		Namespace:       u.GetNamespace(),
		Name:            u.GetName(),
		UID:             u.GetUID(),
		ResourceVersion: u.GetResourceVersion(),
		InheritedFrom:   u.GetLabels()[api.LabelInheritedFrom],
		Terminating:     u.GetDeletionTimestamp() != nil,
		HasFinalizers:   len(u.GetFinalizers()) > 0,
	}
	if o.IsCopy() {
		o.Hash = Hash(u)
	} else {
		o.Source = withoutManagedFields(u)
	}
	return o
}

func withoutManagedFields(u *unstructured.Unstructured) *unstructured.Unstructured {
	metadata, ok := u.Object["metadata"].(map[string]any)
	if !ok || metadata["managedFields"] == nil {
		return u
	}
	trimmed := &unstructured.Unstructured{Object: maps.Clone(u.Object)}
	metadata = maps.Clone(metadata)
	delete(metadata, "managedFields")
	trimmed.Object["metadata"] = metadata
	return trimmed
}

// Key is the place of an object of a known type.
type Key struct{ Namespace, Name string }
