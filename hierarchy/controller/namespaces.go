// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Namespaces brings one namespace and its HierarchyConfiguration to what the forest
// says they should be.
type Namespaces struct {
	Live *Live
	// Client writes.
	Client  client.Client
	Confirm *Confirmer
	Resync  *Resync
	// Acknowledge waits until the writes under a key that have begun have ended, and
	// returns the context in which a move out of it may be acknowledged.
	Acknowledge func(ctx context.Context, key string) (context.Context, error)
	// Wrap puts the policy of writing around the reconciler.
	Wrap func(reconcile.TypedReconciler[NamespaceKey]) reconcile.TypedReconciler[NamespaceKey]
	// Workers is the number of namespaces that are looked at at the same time.
	Workers int
}

// SetupWithManager starts it with the manager.
func (r *Namespaces) SetupWithManager(mgr manager.Manager) error {
	return r.Live.namespaces.serve(mgr, "namespace", r.Resync.ends(r.Wrap(r)), r.Workers)
}

// Reconcile observes, decides, applies.
func (r *Namespaces) Reconcile(ctx context.Context, key NamespaceKey) (reconcile.Result, error) {
	if key.Sweep {
		if err := r.Resync.read(ctx, key.Name); err != nil {
			r.Resync.sweeps.failed.Add(1)
			return reconcile.Result{}, fmt.Errorf("sweeping namespace %q: %w", key.Name, err)
		}
	}
	plan := r.Live.decide(key.Name, metav1.NewTime(time.Now()))
	if key.Sweep {
		r.Resync.sweeps.outcome(plan.Empty())
	}
	if plan.Deletes() {
		if err := r.Confirm.definitionsStay(ctx); err != nil {
			return reconcile.Result{}, fmt.Errorf("confirming that namespace %q may go: %w", key.Name, err)
		}
		plan = r.Live.decide(key.Name, metav1.NewTime(time.Now()))
	}
	if plan.Acknowledges() {
		// What the forest has seen, frozen since, is all that can be under way.
		before, _ := r.Live.Key(key.Name)
		var err error
		if ctx, err = r.Acknowledge(ctx, before); err != nil {
			return reconcile.Result{}, err
		}
	}
	return reconcile.Result{}, r.apply(ctx, plan)
}

// decide from what the forest has seen.
func (l *Live) decide(namespace string, now metav1.Time) hierarchy.Plan {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.forest.Decide(l.forest.Observe(namespace), now)
}

// apply folds what each write left on the server at once, so that the next look
// does not repeat it.
func (r *Namespaces) apply(ctx context.Context, plan hierarchy.Plan) error {
	for _, action := range plan.Actions {
		written, err := writer{r.Client}.apply(ctx, action.Verb, action.Before, action.After, action.Why)
		if err != nil {
			return err
		}
		switch o := written.(type) {
		case *corev1.Namespace:
			r.Live.SetNamespace(o)
		case *api.HierarchyConfiguration:
			r.Live.SetConfiguration(o)
		}
	}
	return nil
}
