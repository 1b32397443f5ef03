// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package rig

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Watch what changes from now on. A busy API server ends watches; what was missed
// meanwhile is seen, too. The caller stops it.
func Watch(ctx context.Context, c client.WithWatch, list client.ObjectList, selector labels.Set) (watch.Interface, error) {
	list = list.DeepCopyObject().(client.ObjectList)
	matching := client.MatchingLabels(selector)
	// One object is enough: the list is asked for nothing but its version.
	if err := c.List(ctx, list, matching, client.Limit(1)); err != nil {
		return nil, fmt.Errorf("watching: %w", err)
	}
	w, err := watchtools.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), &toolscache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return c.Watch(ctx, list, matching, &client.ListOptions{Raw: &options})
		},
	})
	if err != nil {
		return nil, fmt.Errorf("watching: %w", err)
	}
	return w, nil
}
