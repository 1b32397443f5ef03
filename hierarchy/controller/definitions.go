// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// definitions are the CustomResourceDefinitions without which the forest says
// nothing: while one of them goes away, the API server deletes every object of it,
// and none of these deletions is anybody's wish.
var definitions = []string{
	"hierarchyconfigurations." + api.Group,
	"subnamespaceanchors." + api.Group,
}

// definition returns an empty object that a definition is read into. Its metadata
// is all that counts.
func definition() *metav1.PartialObjectMetadata {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
	return object
}

// SetDefinition folds whether a definition stays. Those of others do not count.
func (l *Live) SetDefinition(crd *metav1.PartialObjectMetadata) {
	l.foldDefinition(crd.Name, crd.DeletionTimestamp != nil)
}

// RemoveDefinition folds the end of a definition.
func (l *Live) RemoveDefinition(crd *metav1.PartialObjectMetadata) { l.foldDefinition(crd.Name, true) }

func (l *Live) foldDefinition(name string, vanishing bool) {
	l.fold(func(f *hierarchy.Forest) hierarchy.Change {
		gone := false
		for _, known := range definitions {
			if known == name {
				l.vanishing[known] = vanishing
			}
			gone = gone || l.vanishing[known]
		}
		return f.SetDeletingCRD(gone)
	})
}

// confirmDefinitions asks the API server itself.
//
// Invariant: nothing is deleted while a definition goes away. Reason: the deletion
// of a definition, and those of its objects that follow from it, arrive by
// different watches, in any order; but the former came first.
func (l *Live) confirmDefinitions(ctx context.Context, reader client.Reader) error {
	for _, name := range definitions {
		crd := definition()
		err := reader.Get(ctx, types.NamespacedName{Name: name}, crd)
		switch {
		case apierrors.IsNotFound(err):
			l.foldDefinition(name, true)
		case err != nil:
			return fmt.Errorf("reading the definition %s: %w", name, err)
		default:
			l.SetDefinition(crd)
		}
	}
	return nil
}
