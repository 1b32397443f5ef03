// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
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
	Client  client.Client
	Reader  client.Reader
	Confirm confirms
	// Wrap puts the policy of writing around the reconciler.
	Wrap func(reconcile.TypedReconciler[ObjectKey]) reconcile.TypedReconciler[ObjectKey]
	// Workers is the number of copies that are looked at at the same time.
	Workers int
	// Replica is named in events.
	Replica string

	reporter *reporter
}

// confirms is what a Confirmer does for copies.
type confirms interface {
	copyMayGo(ctx context.Context, key ObjectKey) error
}

// SetupWithManager starts it with the manager.
func (r *Copies) SetupWithManager(mgr manager.Manager) error {
	r.reporter = newReporter(r.Live, r.Client, r.Replica)
	return r.Live.copies.serve(mgr, "copy", r.Wrap(r), r.Workers)
}

// Reconcile observes, decides, applies.
func (r *Copies) Reconcile(ctx context.Context, key ObjectKey) (reconcile.Result, error) {
	action := r.Live.decideObject(key)
	if action.Verb == hierarchy.Delete {
		if err := r.Confirm.copyMayGo(ctx, key); err != nil {
			return reconcile.Result{}, fmt.Errorf("confirming that %s %s/%s has no source: %w", key.Kind, key.Namespace, key.Name, err)
		}
		action = r.Live.decideObject(key)
	}
	return reconcile.Result{}, r.apply(ctx, key, action)
}

// apply writes first and reports then: what is said to have been replaced, was.
func (r *Copies) apply(ctx context.Context, key ObjectKey, action propagate.Action) error {
	if action.Verb == propagate.None {
		r.Live.setRefused(key, "")
		return r.reporter.report(ctx, key, action.Problems)
	}
	written, err := r.write(ctx, key, action)
	if err != nil {
		return errors.Join(err, r.refused(ctx, key, action, err))
	}
	r.Live.setRefused(key, "")
	if written != nil {
		r.Live.SetObject(written.(*unstructured.Unstructured))
	}
	return r.reporter.report(ctx, key, action.Problems)
}

// refused tells users of a write that the API server does not want. Others are
// tried again without a word: they failed for reasons that will be gone.
func (r *Copies) refused(ctx context.Context, key ObjectKey, action propagate.Action, err error) error {
	if !isRefusal(err) {
		return nil
	}
	r.Live.setRefused(key, string(apierrors.ReasonForError(err)))
	problems := propagate.WriteFailed(action.Verb, propagate.Key{Namespace: key.Namespace, Name: key.Name}, action.Source, err)
	return r.reporter.report(ctx, key, problems)
}

// isRefusal: the API server understood, and said no to what was asked.
func isRefusal(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) ||
		apierrors.IsRequestEntityTooLargeError(err) || apierrors.IsMethodNotSupported(err)
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
	after, err := r.successor(ctx, key, action)
	if err != nil {
		return nil, fmt.Errorf("reading %s %s/%s before it is replaced: %w", key.Kind, key.Namespace, key.Name, err)
	}
	after.SetUID(action.Before.UID)
	after.SetResourceVersion(action.Before.ResourceVersion)
	err = r.Client.Update(ctx, after)
	if immutable(err) && action.Before.IsCopy() && !propagate.HoldsData(key.GroupKind()) {
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

// successor is the copy as it is to be written. What the cluster assigned to the
// object must stay in it, and is not known without a look.
func (r *Copies) successor(ctx context.Context, key ObjectKey, action propagate.Action) (*unstructured.Unstructured, error) {
	if !propagate.Assigns(key.GroupKind()) {
		return action.After.DeepCopy(), nil
	}
	live := objectOf(key.GroupVersionKind)
	if err := r.Reader.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: key.Name}, live); err != nil {
		return nil, err
	}
	return propagate.KeepAssigned(live, action.After.DeepCopy()), nil
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
