// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"context"
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/banyan-hns/banyan/shard"
)

// watch tells the protocol of every Lease, and then of every change. It returns
// once the informer runs.
func (m *Member) watch(ctx context.Context) error {
	factory := informers.NewSharedInformerFactoryWithOptions(m.opts.Client, 0,
		informers.WithNamespace(m.opts.Namespace),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = LabelKind }),
	)
	informer := factory.Coordination().V1().Leases().Informer()
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { m.see(ctx, obj, false) },
		UpdateFunc: func(_, obj any) { m.see(ctx, obj, false) },
		DeleteFunc: func(obj any) { m.see(ctx, obj, true) },
	})
	if err != nil {
		return fmt.Errorf("adding a handler: %w", err)
	}
	factory.Start(ctx.Done())
	go func() {
		if cache.WaitForCacheSync(ctx.Done(), registration.HasSynced) {
			m.tell(ctx, shard.Listed{})
		}
	}()
	return nil
}

func (m *Member) see(ctx context.Context, obj any, gone bool) {
	if tombstone, lost := obj.(cache.DeletedFinalStateUnknown); lost {
		obj = tombstone.Obj
	}
	lease, isLease := obj.(*coordinationv1.Lease)
	if !isLease {
		return
	}
	if !gone {
		m.store.seen(lease)
		m.misjudge(ctx, lease)
	}
	event, err := m.observed(lease, gone)
	if err != nil {
		m.opts.Log.Error(err, "ignored a Lease", "lease", lease.Name)
		return
	}
	if event != nil {
		m.tell(ctx, event)
	}
}
