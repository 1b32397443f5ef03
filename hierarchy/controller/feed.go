// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Feed folds everything that a cache sees into the forest, on every replica,
// whether it owns anything or not.
type Feed struct {
	synced []toolscache.InformerSynced
}

// NewFeed registers the handlers. The cache need not have been started.
func NewFeed(ctx context.Context, informers cache.Cache, live *Live) (*Feed, error) {
	f := &Feed{}
	err := feed(ctx, f, informers, definition(), live.SetDefinition, live.RemoveDefinition)
	if err != nil {
		return nil, err
	}
	err = feed(ctx, f, informers, &corev1.Namespace{}, live.SetNamespace,
		func(ns *corev1.Namespace) { live.RemoveNamespace(ns.Name) })
	if err != nil {
		return nil, err
	}
	err = feed(ctx, f, informers, &api.HierarchyConfiguration{}, live.SetConfiguration,
		func(hc *api.HierarchyConfiguration) { live.RemoveConfiguration(hc.Namespace) })
	if err != nil {
		return nil, err
	}
	err = feed(ctx, f, informers, &api.SubnamespaceAnchor{}, live.SetAnchor,
		func(anchor *api.SubnamespaceAnchor) { live.RemoveAnchor(anchor.Namespace, anchor.Name) })
	if err != nil {
		return nil, err
	}
	for _, t := range live.types {
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(t.GVK)
		err := feed(ctx, f, informers, object, live.SetObject,
			func(u *unstructured.Unstructured) { live.RemoveObject(t.GVK, u.GetNamespace(), u.GetName()) })
		if err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Synced reports whether everything that existed has been folded: the forest is
// complete.
func (f *Feed) Synced() bool {
	for _, synced := range f.synced {
		if !synced() {
			return false
		}
	}
	return true
}

// WaitForSync returns true once Synced, false if the context ends before.
func (f *Feed) WaitForSync(ctx context.Context) bool {
	return toolscache.WaitForCacheSync(ctx.Done(), f.synced...)
}

func feed[T client.Object](ctx context.Context, f *Feed, informers cache.Cache, object T, set, remove func(T)) error {
	informer, err := informers.GetInformer(ctx, object, cache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("watching %T: %w", object, err)
	}
	registration, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { handle(obj, set) },
		UpdateFunc: func(_, obj any) { handle(obj, set) },
		DeleteFunc: func(obj any) { handle(obj, remove) },
	})
	if err != nil {
		return fmt.Errorf("watching %T: adding a handler: %w", object, err)
	}
	f.synced = append(f.synced, registration.HasSynced)
	return nil
}

func handle[T any](obj any, do func(T)) {
	if tombstone, lost := obj.(toolscache.DeletedFinalStateUnknown); lost {
		obj = tombstone.Obj
	}
	if object, right := obj.(T); right {
		do(object)
	}
}
