// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate

import (
	"maps"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Object is what must be known of one object.
type Object struct {
	Namespace, Name string
	UID             types.UID
	ResourceVersion string

	// InheritedFrom is the namespace of the source; it is empty for sources.
	InheritedFrom string

	Terminating, HasFinalizers bool

	// Hash of a copy. It is 0 for sources.
	Hash uint64

	// Source is the whole object. It is nil for copies.
	Source *unstructured.Unstructured
}

// IsCopy reports whether the object is a copy. All others belong to users.
func (o *Object) IsCopy() bool { return o.InheritedFrom != "" }

// Key returns the place of the object.
func (o *Object) Key() Key { return Key{o.Namespace, o.Name} }

// hashAnnotation keeps the hash of a trimmed copy. It exists only in caches.
const hashAnnotation = "cache." + api.Group + "/hash"

// Trim returns the object as it is worth keeping in a cache: a copy is reduced
// to its identity and its hash, a source loses its managed fields. The result
// must not be written to the API. It is u itself if there is nothing to trim.
func Trim(u *unstructured.Unstructured) *unstructured.Unstructured {
	if isTrimmed(u) {
		return u
	}
	if u.GetLabels()[api.LabelInheritedFrom] == "" {
		return withoutManagedFields(u)
	}
	trimmed := &unstructured.Unstructured{Object: map[string]any{}}
	trimmed.SetGroupVersionKind(u.GroupVersionKind())
	trimmed.SetNamespace(u.GetNamespace())
	trimmed.SetName(u.GetName())
	trimmed.SetUID(u.GetUID())
	trimmed.SetResourceVersion(u.GetResourceVersion())
	trimmed.SetDeletionTimestamp(u.GetDeletionTimestamp())
	trimmed.SetFinalizers(u.GetFinalizers())
	trimmed.SetLabels(map[string]string{api.LabelInheritedFrom: u.GetLabels()[api.LabelInheritedFrom]})
	trimmed.SetAnnotations(map[string]string{hashAnnotation: strconv.FormatUint(Hash(u), 16)})
	return trimmed
}

// isTrimmed recognizes the results of Trim. The annotation alone proves
// nothing, since anybody may write it; but the API server puts a creation time
// on everything, and Trim takes it away.
func isTrimmed(u *unstructured.Unstructured) bool {
	_, err := trimmedHash(u)
	return err == nil && u.GetCreationTimestamp() == metav1.Time{} && len(u.Object) <= len([]string{"apiVersion", "kind", "metadata"})
}

func trimmedHash(u *unstructured.Unstructured) (uint64, error) {
	return strconv.ParseUint(u.GetAnnotations()[hashAnnotation], 16, 64)
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

// Observe returns what must be known of an object, trimmed or not. It keeps a
// source, which must not be mutated afterwards.
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
	switch {
	case !o.IsCopy():
		o.Source = withoutManagedFields(u)
	case isTrimmed(u):
		o.Hash, _ = trimmedHash(u)
	default:
		o.Hash = Hash(u)
	}
	return o
}

// Key is the place of an object of a known type.
type Key struct{ Namespace, Name string }
