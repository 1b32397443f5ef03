// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Anchors brings one anchor to what the forest says it should be.
type Anchors struct {
	Live *Live
	// Client writes.
	Client client.Client
	// Wrap puts the policy of writing around the reconciler.
	Wrap func(reconcile.TypedReconciler[hierarchy.AnchorKey]) reconcile.TypedReconciler[hierarchy.AnchorKey]
	// Workers is the number of anchors that are looked at at the same time.
	Workers int
	// Replica is named in events.
	Replica string

	reporter *reporter
	waiting  stopwatches[hierarchy.AnchorKey]
}

// SetupWithManager starts it with the manager.
func (r *Anchors) SetupWithManager(mgr manager.Manager) error {
	r.reporter = newReporter(r.Live, r.Client, r.Replica)
	return r.Live.anchors.serve(mgr, "anchor", r.Wrap(r), r.Workers)
}

// Reconcile observes, decides, applies.
func (r *Anchors) Reconcile(ctx context.Context, key hierarchy.AnchorKey) (reconcile.Result, error) {
	plan := r.Live.decideAnchor(key, r.waiting.since(key), metav1.NewTime(time.Now()))
	if plan.Again == 0 {
		r.waiting.stop(key)
	}
	for _, action := range plan.Actions {
		written, err := writer{r.Client}.apply(ctx, action.Verb, action.Before, action.After, action.Why)
		if err != nil {
			return reconcile.Result{}, err
		}
		if anchor, lives := written.(*api.SubnamespaceAnchor); lives {
			r.Live.SetAnchor(anchor)
		}
		if err := r.reporter.tell(ctx, action); err != nil {
			return reconcile.Result{}, err
		}
	}
	return reconcile.Result{RequeueAfter: plan.Again}, nil
}

// decideAnchor from what has been seen, and how long the anchor has waited.
func (l *Live) decideAnchor(key hierarchy.AnchorKey, waited time.Duration, now metav1.Time) hierarchy.Plan {
	l.mu.RLock()
	defer l.mu.RUnlock()
	arrival := l.arrival(key.Name)
	arrival.Waited = waited
	return l.forest.DecideAnchor(key, arrival, now)
}

// arrival says what a namespace still waits for. The caller holds the lock.
func (l *Live) arrival(namespace string) hierarchy.Arrival {
	arrival := hierarchy.Arrival{}
	if !l.forest.Exists(namespace) {
		return arrival
	}
	for _, k := range l.kinds {
		if !k.awake {
			arrival.Awaited++
			continue
		}
		for _, place := range propagate.Awaited(l.forest, k.objects, k.Mode, namespace) {
			arrival.Awaited++
			key := ObjectKey{k.GVK, place.Namespace, place.Name}
			if why := l.refused[key]; why != "" {
				arrival.Failed++
				arrival.Example = fmt.Sprintf("%s %s (%s)", k.GVK.Kind, place.Name, why)
			}
		}
	}
	return arrival
}

// tellsReady: the anchor needs no look when something arrives in its namespace.
func tellsReady(anchor *api.SubnamespaceAnchor) bool {
	return anchor.DeletionTimestamp == nil && hierarchy.IsReady(anchor)
}

// stopwatches tell how long something has been waited for.
type stopwatches[K comparable] struct {
	mu      sync.Mutex
	started map[K]time.Time
}

// since the first call for this key.
func (s *stopwatches[K]) since(key K) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started == nil {
		s.started = map[K]time.Time{}
	}
	if _, runs := s.started[key]; !runs {
		s.started[key] = time.Now()
	}
	return time.Since(s.started[key])
}

func (s *stopwatches[K]) stop(key K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.started, key)
}
