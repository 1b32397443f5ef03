// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

const (
	// treesEvery is how often the namespaces of each tree are counted. It is a walk over
	// the whole forest, for something that grows over months.
	treesEvery = 10 * time.Second
	// bigShare: a key with more than one of so many namespaces has many times as much as
	// is even, however few replicas there are, and keeps one of them busier than the rest.
	bigShare = 10
	// treeTooBig is the reason of the Event.
	treeTooBig = "TreeTooBig"
)

// Trees tells users of keys that are too big for one replica, as an Event on the
// namespace that the key is named after: once when one has grown so, and again only
// after it had shrunk.
type Trees struct {
	Live *Live
	// Client writes.
	Client client.Client
	// Wrap puts the policy of writing around the reconciler.
	Wrap func(reconcile.TypedReconciler[string]) reconcile.TypedReconciler[string]
	// Most namespaces that a key may have without a word; 0: however many.
	Most int
	// Replicas counts those that can share the work.
	Replicas func() int
	// Replica is named in events.
	Replica string

	reporter *reporter
	queue    *queue[string]

	mu   sync.Mutex
	told map[string]bool
}

// SetupWithManager starts it with the manager.
func (r *Trees) SetupWithManager(mgr manager.Manager) error {
	r.init()
	if err := r.queue.serve(mgr, "tree", r.Wrap(r), 1); err != nil {
		return err
	}
	return mgr.Add(r)
}

func (r *Trees) init() {
	r.reporter, r.queue, r.told = newReporter(r.Live, r.Client, r.Replica), newQueue[string](), map[string]bool{}
}

// NeedLeaderElection: there is no leader to wait for.
func (r *Trees) NeedLeaderElection() bool { return false }

// Start counts until the context ends.
func (r *Trees) Start(ctx context.Context) error {
	if r.Most > 0 {
		wait.UntilWithContext(ctx, func(context.Context) { r.look() }, treesEvery)
	}
	return nil
}

// look queues the keys that are too big and were not told of by this replica. Those of
// others are queued as well, each time: whose they are, is asked where it is written.
func (r *Trees) look() {
	if r.Replicas() < 2 {
		return // a key of its own would share the work with nobody
	}
	big := tooBig(r.Live.Census(), r.Most)
	r.mu.Lock()
	defer r.mu.Unlock()
	for key := range r.told {
		if !big[key] {
			delete(r.told, key)
		}
	}
	for key := range big {
		if !r.told[key] {
			r.queue.add(key, priorityFresh)
		}
	}
}

// tooBig says which keys are, by the number of namespaces of each: those that have more
// than most, and more than a fixed share of all.
func tooBig(census map[string]int, most int) map[string]bool {
	total := 0
	for _, namespaces := range census {
		total += namespaces
	}
	big := map[string]bool{}
	for key, namespaces := range census {
		if namespaces > most && bigShare*namespaces > total {
			big[key] = true
		}
	}
	return big
}

// Reconcile tells of one key. What has no namespace of its name has nothing to tell it on:
// the parent of orphans is missing, and what the cluster has once is no tree.
func (r *Trees) Reconcile(ctx context.Context, key string) (reconcile.Result, error) {
	var ns *corev1.Namespace
	r.Live.Read(func(f *hierarchy.Forest) { ns = f.Observe(key).Namespace })
	if ns == nil || key == r.Live.home.Key {
		return reconcile.Result{}, nil
	}
	regarding := corev1.ObjectReference{APIVersion: "v1", Kind: "Namespace", Namespace: key, Name: key, UID: ns.UID}
	if err := r.reporter.create(ctx, r.reporter.event(regarding, "Shard", treeTooBig, r.remedy())); err != nil {
		return reconcile.Result{}, fmt.Errorf("reporting %s of namespace %s: %w", treeTooBig, key, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told[key] = true
	return reconcile.Result{}, nil
}

// remedy names no count. Reason: an Event that says the same is the same, so that the next
// owner of the shard does not repeat it.
func (r *Trees) remedy() string {
	return fmt.Sprintf("This namespace and those below it are more than %d, and more than 1 of %d in the cluster; one replica writes in all of them. "+
		"To share the work, give a subtree a key of its own: kubectl annotate hierarchyconfiguration %s -n SUBTREE %s=%s",
		r.Most, bigShare, api.HierarchyConfigurationName, api.AnnotationOwnKey, api.OwnKey)
}
