// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Feed folds everything that a cache sees into the forest, on every replica,
// whether it owns anything or not.
type Feed struct {
	mu      sync.Mutex
	missing []follow
	synced  []toolscache.InformerSynced
}

// follow begins to watch one type.
type follow func(context.Context) (toolscache.InformerSynced, error)

// definitionsEvery is how often the API server is asked for a definition that is
// missing.
const definitionsEvery = time.Second

// NewFeed registers the handlers. The cache need not have been started.
//
// A type of ours whose definition is missing is watched once it is there. Until
// then nothing is synced; but to end would be to come back late.
func NewFeed(ctx context.Context, informers cache.Cache, live *Live) (*Feed, error) {
	f := &Feed{missing: follows(informers, live)}
	return f, f.followMissing(ctx)
}

func follows(informers cache.Cache, live *Live) []follow {
	return []follow{
		func(ctx context.Context) (toolscache.InformerSynced, error) {
			return feed(ctx, informers, definition(), live.SetDefinition, live.RemoveDefinition)
		},
		func(ctx context.Context) (toolscache.InformerSynced, error) {
			return feed(ctx, informers, &corev1.Namespace{}, live.SetNamespace, live.RemoveNamespace)
		},
		func(ctx context.Context) (toolscache.InformerSynced, error) {
			return feed(ctx, informers, &api.HNCConfiguration{}, live.SetHNCConfiguration, live.RemoveHNCConfiguration)
		},
		func(ctx context.Context) (toolscache.InformerSynced, error) {
			return feed(ctx, informers, &api.HierarchyConfiguration{}, live.SetConfiguration, live.RemoveConfiguration)
		},
		func(ctx context.Context) (toolscache.InformerSynced, error) {
			return feed(ctx, informers, &api.SubnamespaceAnchor{}, live.SetAnchor, live.RemoveAnchor)
		},
	}
}

// followMissing tries all that is not watched yet.
func (f *Feed) followMissing(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var still []follow
	var failed error
	for _, follow := range f.missing {
		synced, err := follow(ctx)
		switch {
		case meta.IsNoMatchError(err):
			log.FromContext(ctx).Info("waits for a definition", "reason", err.Error())
			still = append(still, follow)
		case err != nil:
			failed = errors.Join(failed, err)
			still = append(still, follow)
		default:
			f.synced = append(f.synced, synced)
		}
	}
	f.missing = still
	return failed
}

// NeedLeaderElection: there is no leader to wait for.
func (f *Feed) NeedLeaderElection() bool { return false }

// Start watches what was missing, once it is there.
func (f *Feed) Start(ctx context.Context) error {
	err := wait.PollUntilContextCancel(ctx, definitionsEvery, true, func(ctx context.Context) (done bool, _ error) {
		if err := f.followMissing(ctx); err != nil {
			log.FromContext(ctx).Error(err, "could not watch; tries again")
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.missing) == 0, nil
	})
	if ctx.Err() != nil {
		return nil // the end of a replica is no fault of its feed
	}
	return err
}

// Synced reports whether everything that existed has been folded.
func (f *Feed) Synced() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, synced := range f.synced {
		if !synced() {
			return false
		}
	}
	return len(f.missing) == 0
}

// WaitForSync returns true once Synced, false if the context ends before.
func (f *Feed) WaitForSync(ctx context.Context) bool {
	return toolscache.WaitForCacheSync(ctx.Done(), f.Synced)
}

// feed calls a function for each object that is, and for each that is no more.
func feed[T any](ctx context.Context, informers cache.Cache, object client.Object, set, remove func(T)) (toolscache.InformerSynced, error) {
	informer, err := informers.GetInformer(ctx, object, cache.BlockUntilSynced(false))
	if err != nil {
		return nil, fmt.Errorf("watching %s: %w", kindOf(object), err)
	}
	registration, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { handle(obj, set) },
		UpdateFunc: func(_, obj any) { handle(obj, set) },
		DeleteFunc: func(obj any) { handle(obj, remove) },
	})
	if err != nil {
		return nil, fmt.Errorf("watching %s: adding a handler: %w", kindOf(object), err)
	}
	return registration.HasSynced, nil
}

func handle[T any](obj any, do func(T)) {
	if tombstone, lost := obj.(toolscache.DeletedFinalStateUnknown); lost {
		obj = tombstone.Obj
	}
	if object, right := obj.(T); right {
		do(object)
	}
}

// Compact is the transformation of the cache that a Feed and Kinds are given.
// Objects of propagated types are kept as what propagation must know of them:
// memory follows the sources, not the copies.
func Compact(obj any) (any, error) {
	if u, right := obj.(*unstructured.Unstructured); right {
		return propagate.Observe(u), nil
	}
	return cache.TransformStripManagedFields()(obj)
}
