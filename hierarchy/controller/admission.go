// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
)

// recheck is how often the registration is compared with what the API server
// has. Nobody but Banyan should touch it, so that nothing is watched for it.
const recheck = 10 * time.Second

// Registered is one object by which the API server knows what to ask admission,
// or how to judge by itself. Banyan alone owns it: it is in no manifest, so that
// no tool that applies these can set it back.
type Registered interface {
	// New returns it without content, with its name.
	New() client.Object
	// Shape gives the content to an object that may have another one. Types are
	// those of which copies are made. It reports false if it is better to leave
	// all as it is, for want of something.
	Shape(o client.Object, types []propagate.Active) bool
}

// Admission keeps what is registered in step with the types that are propagated.
type Admission struct {
	Live *Live
	// Client writes.
	Client client.Client
	// Reader reads past the cache.
	Reader client.Reader
	// Registered are the objects.
	Registered []Registered
	// Wrap puts the policy of writing around the reconciler.
	Wrap func(reconcile.TypedReconciler[ClusterKey]) reconcile.TypedReconciler[ClusterKey]
}

// SetupWithManager starts it with the manager.
func (r *Admission) SetupWithManager(mgr manager.Manager) error {
	return r.Live.admission.serve(mgr, "admission", r.Wrap(r), 1)
}

// Register asks for a look at what is registered.
func (l *Live) Register() { l.admission.add(ClusterKey{}, priorityFresh) }

// Reconcile observes, decides, applies, one object after the other.
func (r *Admission) Reconcile(ctx context.Context, _ ClusterKey) (reconcile.Result, error) {
	types := r.Live.copiedTypes()
	for _, registered := range r.Registered {
		is, err := r.observe(ctx, registered)
		if err != nil {
			return reconcile.Result{}, err
		}
		action := decideRegistered(registered, is, types)
		if action.Verb == "" {
			continue
		}
		if _, err := (writer{r.Client}).apply(ctx, action.Verb, action.Before, action.After, action.Why); err != nil {
			return reconcile.Result{}, err
		}
	}
	return reconcile.Result{RequeueAfter: recheck}, nil
}

// observe returns nil if there is none.
func (r *Admission) observe(ctx context.Context, registered Registered) (client.Object, error) {
	is := registered.New()
	err := r.Reader.Get(ctx, client.ObjectKeyFromObject(is), is)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", kindOf(is), is.GetName(), err)
	}
	return is, nil
}

func decideRegistered(registered Registered, is client.Object, types []propagate.Active) hierarchy.Action {
	action := hierarchy.Action{Verb: hierarchy.Create, Why: "register what admission is asked"}
	should := registered.New()
	if is != nil {
		action.Verb, action.Before = hierarchy.Patch, is
		should = is.DeepCopyObject().(client.Object)
	}
	if !registered.Shape(should, types) || equality.Semantic.DeepEqual(is, should) {
		return hierarchy.Action{}
	}
	action.After = should
	return action
}

// copiedTypes are those of which copies are made.
func (l *Live) copiedTypes() []propagate.Active {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var types []propagate.Active
	for _, k := range l.kinds {
		if propagate.Copies(k.Mode) {
			types = append(types, k.Active)
		}
	}
	return types
}
