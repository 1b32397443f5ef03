// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"fmt"
	"slices"

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
var definitions = []string{hierarchiesDefinition, "subnamespaceanchors." + api.Group}

const hierarchiesDefinition = "hierarchyconfigurations." + api.Group

// configurationDefinition is that of the HNCConfiguration. Without it, only the
// enforced types are propagated.
const configurationDefinition = "hncconfigurations." + api.Group

// definition returns an empty object that a definition is read into. Its metadata
// is all that counts.
func definition() *metav1.PartialObjectMetadata {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
	return object
}

// SetDefinition folds whether a definition stays. That of another type may be
// propagated, or become so.
func (l *Live) SetDefinition(crd *metav1.PartialObjectMetadata) {
	l.foldDefinition(crd.Name, crd.DeletionTimestamp != nil)
	l.doubtKinds()
}

// RemoveDefinition folds the end of a definition.
func (l *Live) RemoveDefinition(crd *metav1.PartialObjectMetadata) {
	l.foldDefinition(crd.Name, true)
	l.doubtKinds()
}

// readDefinition folds whether a definition is absent or going away, and returns it.
func (l *Live) readDefinition(ctx context.Context, reader client.Reader, name string) (vanishing bool, err error) {
	crd := definition()
	err = reader.Get(ctx, types.NamespacedName{Name: name}, crd)
	if err != nil && !apierrors.IsNotFound(err) {
		return false, fmt.Errorf("reading the definition %s: %w", name, err)
	}
	vanishing = err != nil || crd.DeletionTimestamp != nil
	l.foldDefinition(name, vanishing)
	return vanishing, nil
}

func (l *Live) foldDefinition(name string, vanishing bool) {
	if name != configurationDefinition && !slices.Contains(definitions, name) {
		return
	}
	l.fold(func(f *hierarchy.Forest) hierarchy.Change {
		l.vanishing[name] = vanishing
		return f.SetDeletingCRD(slices.ContainsFunc(definitions, func(d string) bool { return l.vanishing[d] }))
	})
}
