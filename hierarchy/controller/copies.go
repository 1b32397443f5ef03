// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Copies brings one copy to what its source says it should be.
type Copies struct {
	Live *Live
	// Client writes. Reader reads past the cache.
	Client client.Client
	Reader client.Reader
	// Wrap puts the policy of writing around the reconciler.
	Wrap func(reconcile.TypedReconciler[ObjectKey]) reconcile.TypedReconciler[ObjectKey]
	// Workers is the number of copies that are looked at at the same time.
	Workers int
	// Replica is named in events.
	Replica string

	reporter *reporter
}

// SetupWithManager starts it with the manager.
func (r *Copies) SetupWithManager(mgr manager.Manager) error {
	r.reporter = newReporter(r.Live, r.Client, r.Replica)
	c, err := controller.NewTyped("copy", mgr, controller.TypedOptions[ObjectKey]{
		Reconciler: r.Wrap(r), MaxConcurrentReconciles: r.Workers, RateLimiter: backoff[ObjectKey](),
	})
	if err != nil {
		return fmt.Errorf("making the controller of copies: %w", err)
	}
	return c.Watch(r.Live.copies.source())
}

// Reconcile observes, decides, applies.
func (r *Copies) Reconcile(ctx context.Context, key ObjectKey) (reconcile.Result, error) {
	action := r.Live.decideObject(key)
	if action.Verb == hierarchy.Delete {
		if err := r.confirm(ctx, key); err != nil {
			return reconcile.Result{}, fmt.Errorf("confirming that %s %s/%s has no source: %w", key.Kind, key.Namespace, key.Name, err)
		}
		action = r.Live.decideObject(key)
	}
	return reconcile.Result{}, r.apply(ctx, key, action)
}

// confirm asks the API server itself for what speaks for a copy: its place in the
// tree, and a source in each ancestor.
//
// Invariant: no copy is deleted for an absence that was only inferred from the
// cache. Reason: a cache that is late, or was filled in an unlucky order, cannot
// be told from one that shows the truth.
func (r *Copies) confirm(ctx context.Context, key ObjectKey) error {
	if err := r.Live.confirmDefinitions(ctx, r.Reader); err != nil {
		return err
	}
	seen := sets.New[string]()
	for namespace := key.Namespace; namespace != "" && !seen.Has(namespace); namespace = r.Live.parent(namespace) {
		seen.Insert(namespace)
		if err := r.Live.readPlace(ctx, r.Reader, namespace); err != nil {
			return fmt.Errorf("reading namespace %q: %w", namespace, err)
		}
		if namespace == key.Namespace {
			continue
		}
		source := &unstructured.Unstructured{}
		source.SetGroupVersionKind(key.GroupVersionKind)
		err := r.Reader.Get(ctx, types.NamespacedName{Namespace: namespace, Name: key.Name}, source)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("reading what namespace %q has: %w", namespace, err)
		}
		r.Live.SetObject(propagate.Trim(source))
	}
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

// apply writes first and reports then: what is said to have been replaced, was.
func (r *Copies) apply(ctx context.Context, key ObjectKey, action propagate.Action) error {
	if action.Verb != propagate.None {
		written, err := r.write(ctx, key, action)
		if err != nil {
			return err
		}
		if written != nil {
			r.Live.SetObject(propagate.Trim(written.(*unstructured.Unstructured)))
		}
	}
	return r.reporter.report(ctx, key, action.Problems)
}

// write maps the three things that can become of a copy to requests.
func (r *Copies) write(ctx context.Context, key ObjectKey, action propagate.Action) (object, error) {
	if action.Verb == propagate.Replace {
		return r.replace(ctx, key, action)
	}
	var before, after object
	if action.Before != nil {
		before = identityOf(key, action.Before)
	}
	if action.After != nil {
		after = action.After
	}
	return writer{r.Client}.apply(ctx, action.Verb, before, after, action.Why)
}

// replace a copy as a whole, since it is known by little more than its hash. Where
// the API server says that a field cannot be changed, the copy is deleted, and made
// anew; what a user put there is never deleted, but fails and is reported.
func (r *Copies) replace(ctx context.Context, key ObjectKey, action propagate.Action) (object, error) {
	after := action.After.DeepCopy()
	after.SetUID(action.Before.UID)
	after.SetResourceVersion(action.Before.ResourceVersion)
	err := r.Client.Update(ctx, after)
	if immutable(err) && action.Before.IsCopy() {
		if _, err := (writer{r.Client}).apply(ctx, hierarchy.Delete, identityOf(key, action.Before), nil, "a field of it cannot be changed"); err != nil {
			return nil, err
		}
		return writer{r.Client}.apply(ctx, hierarchy.Create, nil, action.After, action.Why)
	}
	if err != nil {
		return nil, fmt.Errorf("replacing %s %s/%s (%s): %w", key.Kind, key.Namespace, key.Name, action.Why, err)
	}
	log.FromContext(ctx).Info("wrote", "verb", action.Verb, "kind", key.Kind,
		"namespace", key.Namespace, "name", key.Name, "reason", action.Why)
	return after, nil
}

// immutable: the API server refused a change of a field that must stay as it was
// created. It has no code for that; these are the words of its validation.
func immutable(err error) bool {
	if !apierrors.IsInvalid(err) {
		return false
	}
	text := err.Error()
	return strings.Contains(text, "immutable") || strings.Contains(text, "cannot change roleRef")
}

func identityOf(key ObjectKey, o *propagate.Object) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(key.GroupVersionKind)
	u.SetNamespace(o.Namespace)
	u.SetName(o.Name)
	u.SetUID(o.UID)
	u.SetResourceVersion(o.ResourceVersion)
	return u
}
