// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// HoldsData reports whether an object of a kind is more than what is written in
// it: to delete a claim and make it again would lose what it stands for.
func HoldsData(kind schema.GroupKind) bool {
	return kind == schema.GroupKind{Kind: "PersistentVolumeClaim"}
}

// Assigns reports whether the cluster assigns values to objects of a kind that
// an update would take away. Before one of these is replaced, it must be read,
// and given to KeepAssigned.
func Assigns(kind schema.GroupKind) bool {
	a, ok := assignments[kind]
	return ok && !a.kept
}

// KeepAssigned returns the copy with what the cluster assigned to the object
// that it is about to replace. Some of these fields cannot be changed: without
// them, the API server would refuse the update.
func KeepAssigned(live, after *unstructured.Unstructured) *unstructured.Unstructured {
	kind := live.GroupVersionKind().GroupKind()
	if !Assigns(kind) {
		return after
	}
	kept := after.DeepCopy()
	for _, f := range assignments[kind].fields {
		f.keep(live, kept)
	}
	annotations := kept.GetAnnotations()
	for key, value := range live.GetAnnotations() {
		if fits(assignments[kind].annotations, key) {
			if annotations == nil {
				annotations = map[string]string{}
			}
			annotations[key] = value
		}
	}
	kept.SetAnnotations(annotations)
	return kept
}

// keep puts the assigned part of a field into an object, beside what users
// wrote there.
func (f field) keep(live, kept *unstructured.Unstructured) {
	value, ok, err := unstructured.NestedFieldNoCopy(live.Object, f.path...)
	if err != nil || !ok {
		return
	}
	if f.split != nil {
		_, value = f.split(live.GetName(), live.Object, value)
	}
	if value == nil {
		return
	}
	if there, ok, _ := unstructured.NestedFieldNoCopy(kept.Object, f.path...); ok {
		users, _ := there.([]any)
		generated, isList := value.([]any)
		if !isList {
			return
		}
		value = slices.Concat(users, generated)
	}
	// It fails only where a parent is no map, and then there is no such field.
	_ = unstructured.SetNestedField(kept.Object, value, f.path...)
}
