// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
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

// confirm asks the API server itself for the sources that the cache does not
// show.
//
// Invariant: no copy is deleted for an absence that was only inferred from the
// cache. Reason: a cache that is late, or was filled in an unlucky order, cannot
// be told from one that shows the truth.
func (r *Copies) confirm(ctx context.Context, key ObjectKey) error {
	if err := r.Live.confirmDefinitions(ctx, r.Reader); err != nil {
		return err
	}
	for _, ancestor := range r.Live.ancestors(key.Namespace) {
		source := &unstructured.Unstructured{}
		source.SetGroupVersionKind(key.GroupVersionKind)
		err := r.Reader.Get(ctx, types.NamespacedName{Namespace: ancestor, Name: key.Name}, source)
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return fmt.Errorf("reading namespace %q: %w", ancestor, err)
		default:
			r.Live.SetObject(propagate.Trim(source))
		}
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
