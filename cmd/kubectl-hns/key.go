// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// keyOf follows the parents of a namespace to the name by which its tree is
// owned: that of the root, of the parent that is missing, or of the smallest
// member of a cycle.
func keyOf(namespace string, parentOf func(string) (parent string, exists bool, err error)) (string, error) {
	path := []string{namespace}
	for {
		at := path[len(path)-1]
		parent, exists, err := parentOf(at)
		switch {
		case err != nil:
			return "", err
		case !exists && at == namespace:
			return "", fmt.Errorf("namespace %q does not exist", namespace)
		case !exists, parent == "":
			return at, nil
		}
		if start := slices.Index(path, parent); start >= 0 {
			return slices.Min(path[start:]), nil
		}
		path = append(path, parent)
	}
}

// fetchParent reads which parent a namespace has.
func fetchParent(ctx context.Context, c client.Reader, name string) (parent string, exists bool, err error) {
	p, err := fetchPlace(ctx, c, name)
	if apierrors.IsNotFound(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	return p.parent(), true, nil
}

// parent is what places a namespace in a tree, as the controller judges it: an
// external namespace is a root, and a subnamespace is below its anchor whatever
// its configuration says, unless it is being deleted.
func (p place) parent() string {
	annotations := p.namespace.Annotations
	if manager := annotations[api.AnnotationManagedBy]; manager != "" && manager != api.Group {
		return ""
	}
	if of := annotations[api.AnnotationSubnamespaceOf]; of != "" && p.namespace.DeletionTimestamp.IsZero() {
		return of
	}
	return p.hierarchy.Spec.Parent
}
