// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// recount is how often the counters and the summary of the HNCConfiguration are
// compared. They follow every object of the cluster, and one object cannot.
const recount = 5 * time.Second

// Configuration brings the HNCConfiguration to what this replica knows.
type Configuration struct {
	Live *Live
	// Client writes.
	Client client.Client
	// Wrap puts the policy of writing around the reconciler.
	Wrap func(reconcile.TypedReconciler[ClusterKey]) reconcile.TypedReconciler[ClusterKey]
}

// SetupWithManager starts it with the manager.
func (r *Configuration) SetupWithManager(mgr manager.Manager) error {
	return r.Live.cluster.serve(mgr, "configuration", r.Wrap(r), 1)
}

// Reconcile observes, decides, applies.
func (r *Configuration) Reconcile(ctx context.Context, _ ClusterKey) (reconcile.Result, error) {
	action := r.Live.decideConfiguration(metav1.NewTime(time.Now()))
	if action.Verb != "" {
		written, err := writer{r.Client}.apply(ctx, action.Verb, action.Before, action.After, action.Why)
		if err != nil {
			return reconcile.Result{}, err
		}
		if c, lives := written.(*api.HNCConfiguration); lives {
			r.Live.SetHNCConfiguration(c)
		}
	}
	return reconcile.Result{RequeueAfter: recount}, nil
}

// decideConfiguration from what has been seen.
func (l *Live) decideConfiguration(now metav1.Time) hierarchy.Action {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.vanishing[configurationDefinition] {
		return hierarchy.Action{}
	}
	counts := func(gvk schema.GroupVersionKind) propagate.Counts {
		if k := l.kind(gvk); k != nil {
			return k.objects.Counts()
		}
		return propagate.Counts{}
	}
	unwatched := map[schema.GroupVersionKind]string{}
	for _, k := range l.kinds {
		if k.unwatched != "" {
			unwatched[k.GVK] = k.unwatched
		}
	}
	return propagate.DecideConfiguration(l.configuration, l.resolution, counts, unwatched, l.forest.Troubles(), now)
}
