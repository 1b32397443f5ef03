// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// promotion is how long a namespace waits behind fresh changes before it is one
// of them: the queue has no ageing of its own.
const promotion = 30 * time.Second

// Resync looks at everything in the keys that this replica was given: the
// differences that are known at once, then each namespace anew.
type Resync struct {
	live   *Live
	reader client.Reader
	pace   *rate.Limiter
	sweeps sweeps

	mu      sync.Mutex
	opened  []func(key string) bool // not looked at yet
	waiting []string
	pending map[string]time.Time // when it was queued
	lifted  map[string]time.Time // when it was last made one of the fresh changes
	wake    chan struct{}
}

// NewResync sweeps at most perSecond namespaces a second.
func NewResync(live *Live, reader client.Reader, perSecond int) *Resync {
	return &Resync{
		live: live, reader: reader, pace: rate.NewLimiter(rate.Limit(perSecond), max(1, perSecond/5)),
		pending: map[string]time.Time{}, lifted: map[string]time.Time{}, wake: make(chan struct{}, 1),
	}
}

// Opened begins with the namespaces whose key is in the set. It returns at once;
// sets that are opened together are looked at together.
func (r *Resync) Opened(ours func(key string) bool) {
	r.mu.Lock()
	r.opened = append(r.opened, ours)
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// begin looks at what was opened.
func (r *Resync) begin() {
	r.mu.Lock()
	opened := r.opened
	r.opened = nil
	r.mu.Unlock()
	if len(opened) == 0 {
		return
	}
	var namespaces []string
	r.live.Read(func(f *hierarchy.Forest) {
		namespaces = f.NamespacesByKey(func(namespace, key string) bool {
			key = r.live.home.instead(namespace, key)
			return slices.ContainsFunc(opened, func(ours func(string) bool) bool { return ours(key) })
		})
	})
	// 1. What is known to differ is written at once.
	for _, name := range namespaces {
		r.live.queueDifferences(name)
	}
	r.live.lookAtCluster()
	// 2. The rest is read again, when there is time.
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range namespaces {
		if _, queued := r.pending[name]; !queued {
			r.pending[name] = time.Time{}
			r.waiting = append(r.waiting, name)
		}
	}
}

// Closed forgets what waits in keys that are no longer ours.
func (r *Resync) Closed(theirs func(key string) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	goes := func(name string) bool {
		key, _ := r.live.Key(name)
		return theirs(key)
	}
	r.waiting = slices.DeleteFunc(r.waiting, goes)
	maps.DeleteFunc(r.pending, func(name string, _ time.Time) bool { return goes(name) })
}

// queueDifferences compares in memory; it calls nobody.
func (l *Live) queueDifferences(namespace string) {
	if !l.decide(namespace, metav1.Time{}).Empty() {
		l.namespaces.add(NamespaceKey{Name: namespace}, priorityFresh)
	}
	l.mu.RLock()
	keys := l.copiesIn(namespace)
	anchors := l.forest.AnchorsIn(namespace)
	l.mu.RUnlock()
	for _, key := range keys {
		// Also what is only to be told: nobody has, if it came up while the shard
		// had no owner.
		if action := l.decideObject(key); action.Verb != propagate.None || len(action.Problems) > 0 {
			l.copies.add(key, priorityFresh)
		}
	}
	for _, key := range anchors {
		if plan := l.decideAnchor(key, 0, metav1.Time{}); !plan.Empty() || plan.Again > 0 {
			l.anchors.add(key, priorityFresh)
		}
	}
}

// NeedLeaderElection: there is no leader to wait for.
func (r *Resync) NeedLeaderElection() bool { return false }

// Start feeds the queue until the context ends.
func (r *Resync) Start(ctx context.Context) error {
	go wait.UntilWithContext(ctx, func(context.Context) { r.promote() }, time.Second)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.wake:
		}
		r.begin()
		for r.more() {
			if r.pace.Wait(ctx) != nil {
				return nil // the context ended
			}
			if name, still := r.next(); still {
				r.live.namespaces.add(NamespaceKey{Name: name, Sweep: true}, prioritySweep)
			}
			r.begin()
		}
	}
}

// backlog is the number of namespaces that wait, and how long the oldest of those
// that are queued has.
func (r *Resync) backlog() (pending int, oldest time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, queued := range r.pending {
		if !queued.IsZero() {
			oldest = max(oldest, time.Since(queued))
		}
	}
	return len(r.pending), oldest
}

func (r *Resync) more() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.waiting) > 0
}

func (r *Resync) next() (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) == 0 {
		return "", false
	}
	name := r.waiting[0]
	r.waiting = r.waiting[1:]
	r.pending[name] = time.Now()
	return name, true
}

// promote lifts what has waited for too long, again and again. Its age goes on: how long
// it has waited in all is what people must be told.
func (r *Resync) promote() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, queued := range r.pending {
		since := queued
		if lifted := r.lifted[name]; lifted.After(since) {
			since = lifted
		}
		if queued.IsZero() || time.Since(since) <= promotion {
			continue
		}
		r.lifted[name] = time.Now()
		r.sweeps.promoted.Add(1)
		r.live.namespaces.add(NamespaceKey{Name: name, Sweep: true}, priorityFresh)
	}
	maps.DeleteFunc(r.lifted, func(name string, _ time.Time) bool { return r.pending[name].IsZero() })
}

// ends has every sweep end, also one that the gate does not let in: its namespace
// moved to a tree of another owner while it waited, and no shard was closed here.
func (r *Resync) ends(next reconcile.TypedReconciler[NamespaceKey]) reconcile.TypedReconciler[NamespaceKey] {
	return reconcile.TypedFunc[NamespaceKey](func(ctx context.Context, key NamespaceKey) (reconcile.Result, error) {
		if key.Sweep {
			defer r.done(key.Name)
		}
		return next.Reconcile(ctx, key)
	})
}

// done is called when a sweep of the namespace has ended, or was not ours.
func (r *Resync) done(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pending, name)
}

// read folds what the API server has of a namespace. What it does not have, it
// does not fold: an object may have come after the list, and its event before.
func (r *Resync) read(ctx context.Context, name string) error {
	if err := r.live.readPlace(ctx, r.reader, name); err != nil {
		return fmt.Errorf("reading it: %w", err)
	}
	anchors := &api.SubnamespaceAnchorList{}
	if err := r.reader.List(ctx, anchors, client.InNamespace(name)); err != nil {
		return fmt.Errorf("listing SubnamespaceAnchors: %w", err)
	}
	for i := range anchors.Items {
		r.live.SetAnchor(&anchors.Items[i])
	}
	for _, gvk := range r.live.watchedTypes() {
		objects := listOf(gvk)
		if err := r.reader.List(ctx, objects, client.InNamespace(name)); err != nil {
			// A type that cannot be listed must not keep the rest from being looked at.
			log.FromContext(ctx).Error(err, "could not sweep objects", "kind", gvk.Kind, "namespace", name)
			continue
		}
		for i := range objects.Items {
			r.live.SetObject(&objects.Items[i])
		}
	}
	return nil
}
