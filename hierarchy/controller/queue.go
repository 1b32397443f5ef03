// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// Priorities of what is queued: a user's fresh change goes before anything that a
// sweep would like to see.
const (
	priorityFresh = 0
	prioritySweep = -100
)

// queue hands keys to the work queue of a controller, once it has one. Before,
// it drops them: no shard is held then, and all that a shard holds is looked at
// when it is opened.
type queue[K comparable] struct {
	mu   sync.RWMutex
	work priorityqueue.PriorityQueue[K]
}

func newQueue[K comparable]() *queue[K] { return &queue[K]{} }

// serve starts a controller with the manager that works the queue off. It is named
// in metrics and logs.
func (q *queue[K]) serve(mgr manager.Manager, name string, reconciler reconcile.TypedReconciler[K], workers int) error {
	c, err := controller.NewTyped(name, mgr, controller.TypedOptions[K]{
		Reconciler: reconciler, MaxConcurrentReconciles: workers, RateLimiter: backoff[K](),
	})
	if err != nil {
		return fmt.Errorf("making the controller %q: %w", name, err)
	}
	return c.Watch(q.source())
}

// source makes the queue the one of a controller.
func (q *queue[K]) source() source.TypedSource[K] {
	return source.TypedFunc[K](func(_ context.Context, work workqueue.TypedRateLimitingInterface[K]) error {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.work = work.(priorityqueue.PriorityQueue[K]) // what controller-runtime makes unless told otherwise
		return nil
	})
}

func (q *queue[K]) add(key K, priority int) { q.addAll([]K{key}, priority) }

func (q *queue[K]) addAll(keys []K, priority int) {
	q.mu.RLock()
	defer q.mu.RUnlock()
	if q.work != nil && len(keys) > 0 {
		q.work.AddWithOpts(priorityqueue.AddOpts{Priority: ptr.To(priority)}, keys...)
	}
}

// backoff between tries of one key. Its end is far below what a user would wait
// for a RoleBinding whose Role has come.
func backoff[K comparable]() workqueue.TypedRateLimiter[K] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[K](50*time.Millisecond, 10*time.Second)
}
