// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/hierarchy"
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
// place in the tree, and a source in each ancestor. All of it is read at once; if
// that shows another ancestry, so is that.
func (c *Confirmer) copyMayGo(ctx context.Context, key ObjectKey) error {
	seen := sets.New[string]()
	for unseen := c.lineage(key.Namespace); len(unseen) > 0; unseen = c.lineage(key.Namespace).Difference(seen) {
		var reads errgroup.Group // none is cancelled: others may wait for it, too
		if len(seen) == 0 {
			reads.Go(func() error { return c.definitionsStay(ctx) })
			reads.Go(func() error { return c.modesStand(ctx) })
		}
		for namespace := range unseen {
			reads.Go(func() error { return c.placeIs(ctx, namespace) })
			if namespace != key.Namespace {
				reads.Go(func() error { return c.sourceIs(ctx, ObjectKey{key.GroupVersionKind, namespace, key.Name}) })
			}
		}
		if err := reads.Wait(); err != nil {
			return err
		}
		seen = seen.Union(unseen)
	}
	return nil
}

// lineage is a namespace with its ancestors, be they there or not.
func (c *Confirmer) lineage(namespace string) sets.Set[string] {
	lineage := sets.New(namespace)
	c.live.Read(func(f *hierarchy.Forest) { lineage.Insert(f.Ancestors(namespace)...) })
	return lineage
}

// definitionsStay folds whether one of ours is going away.
//
// The deletion of a definition, and those of its objects that follow from it,
// arrive by different watches, in any order; but the former came first.
func (c *Confirmer) definitionsStay(ctx context.Context) error {
	var reads errgroup.Group
	for _, name := range definitions {
		reads.Go(func() error {
			return c.reads.join(ctx, "definition "+name, func() error {
				_, err := c.live.readDefinition(ctx, c.reader, name)
				return err
			})
		})
	}
	return reads.Wait()
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
		if exists != (known != nil) || exists && hierarchy.Newer(found.ResourceVersion, known.ResourceVersion) {
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

func (c *Confirmer) sourceIs(ctx context.Context, source ObjectKey) error {
	err := c.reads.join(ctx, fmt.Sprint("source ", source), func() error { return c.readSource(ctx, source) })
	if err != nil {
		return fmt.Errorf("reading what namespace %q has: %w", source.Namespace, err)
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
	var reads errgroup.Group
	reads.Go(func() error {
		err := reader.Get(ctx, types.NamespacedName{Name: name}, ns)
		if err == nil {
			l.SetNamespace(ns)
		}
		return client.IgnoreNotFound(err)
	})
	reads.Go(func() error {
		err := reader.Get(ctx, types.NamespacedName{Namespace: name, Name: api.HierarchyConfigurationName}, hc)
		if err == nil {
			l.SetConfiguration(hc)
		}
		return client.IgnoreNotFound(err)
	})
	return reads.Wait()
}
