// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
)

// recheck is how often the registration is compared with what the API server
// has. Nobody but Banyan should touch it, so that nothing is watched for it.
const recheck = 10 * time.Second

// recheckOwner is how often somebody looks for an owner that does not exist.
const recheckOwner = 2 * time.Second

// Registered is one object by which the API server knows what to ask admission,
// or how to judge by itself. Banyan alone owns it: it is in no manifest, so that
// no tool that applies these can set it back.
type Registered interface {
	// New returns it without content, with its name.
	New() client.Object
	// Owner names the cluster-scoped object that it goes along with, and without
	// which it is not registered; nil if there is no such condition. That one is in
	// the manifests, so that whoever deletes these gets rid of what is in none.
	Owner() *metav1.PartialObjectMetadata
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

	orphaned map[string]bool // names of what was found to lack its owner; one worker
}

// SetupWithManager starts it with the manager.
func (r *Admission) SetupWithManager(mgr manager.Manager) error {
	return r.Live.admission.serve(mgr, "admission", r.Wrap(r), 1)
}

// Register asks for a look at what is registered.
func (l *Live) Register() { l.admission.add(ClusterKey{}, priorityFresh) }

// Reconcile observes, decides, applies, one object after the other.
func (r *Admission) Reconcile(ctx context.Context, _ ClusterKey) (reconcile.Result, error) {
	active := r.Live.copiedTypes()
	after := recheck
	for _, registered := range r.Registered {
		is, err := r.observe(ctx, registered)
		if err != nil {
			return reconcile.Result{}, err
		}
		r.tell(ctx, registered, is)
		if is.orphan {
			after = recheckOwner
		}
		action := decideRegistered(registered, is, active)
		if action.Verb == "" {
			continue
		}
		if _, err := (writer{r.Client}).apply(ctx, action.Verb, action.Before, action.After, action.Why); err != nil {
			return reconcile.Result{}, err
		}
	}
	return reconcile.Result{RequeueAfter: after}, nil
}

// observedRegistered is what there is of a registration.
type observedRegistered struct {
	object client.Object           // nil: there is none
	owners []metav1.OwnerReference // that it should have
	orphan bool                    // the owner that it should have does not exist
}

func (r *Admission) observe(ctx context.Context, registered Registered) (observedRegistered, error) {
	var is observedRegistered
	if owner := registered.Owner(); owner != nil {
		uid, err := r.identity(ctx, owner)
		if err != nil {
			return is, err
		}
		// Nothing has to wait for what it owns: to say so would take more rights.
		is.owners = []metav1.OwnerReference{{APIVersion: owner.APIVersion, Kind: owner.Kind, Name: owner.Name, UID: uid}}
		is.orphan = uid == ""
	}
	object := registered.New()
	err := r.Reader.Get(ctx, client.ObjectKeyFromObject(object), object)
	if client.IgnoreNotFound(err) != nil {
		return is, fmt.Errorf("reading %s %s: %w", kindOf(object), object.GetName(), err)
	}
	if err == nil {
		is.object = object
	}
	return is, nil
}

// identity of the owner; empty if it does not exist, or not for much longer.
func (r *Admission) identity(ctx context.Context, owner *metav1.PartialObjectMetadata) (types.UID, error) {
	is := owner.DeepCopy()
	err := r.Reader.Get(ctx, client.ObjectKeyFromObject(owner), is)
	if apierrors.IsNotFound(err) || err == nil && is.DeletionTimestamp != nil {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading %s %s: %w", owner.Kind, owner.Name, err)
	}
	return is.UID, nil
}

// tell of a change, and not of what stays.
func (r *Admission) tell(ctx context.Context, registered Registered, is observedRegistered) {
	object := registered.New()
	name := object.GetName()
	if is.orphan && !r.orphaned[name] {
		log.FromContext(ctx).Info("registers nothing: what it would go along with does not exist; apply the manifests to have it again",
			"kind", kindOf(object), "name", name, "reason", registered.Owner().Name+" not found")
	}
	if r.orphaned == nil {
		r.orphaned = map[string]bool{}
	}
	r.orphaned[name] = is.orphan
}

// decideRegistered gives an object its content and its owner. What has none must
// not stay: it would outlive whoever could remove it, and some of it fails closed.
func decideRegistered(registered Registered, is observedRegistered, active []propagate.Active) hierarchy.Action {
	switch {
	case is.orphan && is.object == nil:
		return hierarchy.Action{}
	case is.orphan:
		return hierarchy.Action{Verb: hierarchy.Delete, Before: is.object, Why: "its owner does not exist"}
	case is.object == nil:
		should := registered.New()
		if !registered.Shape(should, active) {
			return hierarchy.Action{}
		}
		should.SetOwnerReferences(is.owners)
		return hierarchy.Action{Verb: hierarchy.Create, After: should, Why: "register what admission is asked"}
	}
	should := is.object.DeepCopyObject().(client.Object)
	registered.Shape(should, active) // if it changes nothing, the owner may still be another
	should.SetOwnerReferences(is.owners)
	if equality.Semantic.DeepEqual(is.object, should) {
		return hierarchy.Action{}
	}
	return hierarchy.Action{Verb: hierarchy.Patch, Before: is.object, After: should, Why: "register what admission is asked"}
}

// copiedTypes are those of which copies are made.
func (l *Live) copiedTypes() []propagate.Active {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var active []propagate.Active
	for _, k := range l.kinds {
		if propagate.Copies(k.Mode) {
			active = append(active, k.Active)
		}
	}
	return active
}
