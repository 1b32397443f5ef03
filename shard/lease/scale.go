// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"

	"github.com/banyan-hns/banyan/shard"
)

// WatchScale tells how many replicas the StatefulSet of that name shall have, at
// first and after each change, until the context ends. Where there is no such
// StatefulSet, everybody is eligible.
func WatchScale(ctx context.Context, client kubernetes.Interface, namespace, set string, tell func(shard.Eligible)) error {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithNamespace(namespace),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) {
			o.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, set).String()
		}),
	)
	see := func(obj any) {
		if s, right := obj.(*appsv1.StatefulSet); right {
			tell(eligible(s))
		}
	}
	_, err := factory.Apps().V1().StatefulSets().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    see,
		UpdateFunc: func(_, obj any) { see(obj) },
		DeleteFunc: func(any) { tell(shard.Eligible{}) },
	})
	if err != nil {
		return fmt.Errorf("watching StatefulSet %s/%s: %w", namespace, set, err)
	}
	factory.Start(ctx.Done())
	return nil
}

// eligible reads a StatefulSet; one without a number of replicas has one.
func eligible(s *appsv1.StatefulSet) shard.Eligible {
	e := shard.Eligible{Set: s.Name, Replicas: int(ptr.Deref(s.Spec.Replicas, 1))}
	if s.Spec.Ordinals != nil {
		e.Start = int(s.Spec.Ordinals.Start)
	}
	return e
}
