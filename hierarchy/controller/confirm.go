// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// errBehind: the cache has not shown yet what the API server has.
var errBehind = errors.New("the cache is behind the API server")

// Confirmer asks the API server itself before anything is deleted.
//
// Invariant: nothing is deleted for an absence that was only inferred from the
// cache. Reason: a cache that is late, or was filled in an unlucky order, cannot
// be told from one that shows the truth.
//
// All copies of a source that went are deleted at once, and share what they read.
type Confirmer struct {
	live   *Live
	reader client.Reader
	reads  batches
}

// NewConfirmer returns one that reads with the reader, past the cache.
func NewConfirmer(live *Live, reader client.Reader) *Confirmer {
	return &Confirmer{live: live, reader: reader}
}

// copyMayGo reads what speaks for a copy: the definitions, the modes of types, its
// place in the tree, and a source in each ancestor.
func (c *Confirmer) copyMayGo(ctx context.Context, key ObjectKey) error {
	if err := errors.Join(c.definitionsStay(ctx), c.modesStand(ctx)); err != nil {
		return err
	}
	seen := sets.New[string]()
	for namespace := key.Namespace; namespace != "" && !seen.Has(namespace); namespace = c.live.parent(namespace) {
		seen.Insert(namespace)
		if err := c.placeIs(ctx, namespace); err != nil {
			return err
		}
		if namespace == key.Namespace {
			continue
		}
		source := ObjectKey{key.GroupVersionKind, namespace, key.Name}
		if err := c.reads.join(ctx, fmt.Sprint("source ", source), func() error { return c.readSource(ctx, source) }); err != nil {
			return fmt.Errorf("reading what namespace %q has: %w", namespace, err)
		}
	}
	return nil
}

// definitionsStay folds whether one of ours is going away.
//
// The deletion of a definition, and those of its objects that follow from it,
// arrive by different watches, in any order; but the former came first.
func (c *Confirmer) definitionsStay(ctx context.Context) error {
	return c.reads.join(ctx, "definitions", func() error {
		for _, name := range definitions {
			crd := definition()
			err := c.reader.Get(ctx, types.NamespacedName{Name: name}, crd)
			switch {
			case apierrors.IsNotFound(err):
				c.live.foldDefinition(name, true)
			case err != nil:
				return fmt.Errorf("reading the definition %s: %w", name, err)
			default:
				c.live.foldDefinition(name, crd.DeletionTimestamp != nil)
			}
		}
		return nil
	})
}

// modesStand fails if the HNCConfiguration is another than the one that is known.
func (c *Confirmer) modesStand(ctx context.Context) error {
	return c.reads.join(ctx, "modes", func() error {
		found := &api.HNCConfiguration{}
		err := c.reader.Get(ctx, types.NamespacedName{Name: api.HNCConfigurationName}, found)
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("reading the HNCConfiguration: %w", err)
		}
		exists := err == nil
		known := c.live.hncConfiguration()
		if exists != (known != nil) || exists && newer(found.ResourceVersion, known.ResourceVersion) {
			return fmt.Errorf("confirming the modes of types: %w", errBehind)
		}
		return nil
	})
}

func (c *Confirmer) placeIs(ctx context.Context, namespace string) error {
	err := c.reads.join(ctx, "place "+namespace, func() error { return c.live.readPlace(ctx, c.reader, namespace) })
	if err != nil {
		return fmt.Errorf("reading namespace %q: %w", namespace, err)
	}
	return nil
}

func (c *Confirmer) readSource(ctx context.Context, key ObjectKey) error {
	source := objectOf(key.GroupVersionKind)
	err := c.reader.Get(ctx, types.NamespacedName{Namespace: key.Namespace, Name: key.Name}, source)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	c.live.SetObject(source)
	return nil
}

// readPlace folds what the API server has of a namespace and its parent. What it
// does not have is not folded: the informers tell, in their order.
func (l *Live) readPlace(ctx context.Context, reader client.Reader, name string) error {
	ns, hc := &corev1.Namespace{}, &api.HierarchyConfiguration{}
	err := reader.Get(ctx, types.NamespacedName{Name: name}, ns)
	switch {
	case err == nil:
		l.SetNamespace(ns)
	case !apierrors.IsNotFound(err):
		return err
	}
	err = reader.Get(ctx, types.NamespacedName{Namespace: name, Name: api.HierarchyConfigurationName}, hc)
	switch {
	case err == nil:
		l.SetConfiguration(hc)
	case !apierrors.IsNotFound(err):
		return err
	}
	return nil
}
