// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"context"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// RingConfigMap is the object that says into how many shards the keys of this
// cluster fall. It is created once, by the replica that comes first.
const (
	RingConfigMap = "banyan-ring"
	shardsField   = "shards"
)

// ReadShards returns the number of shards P of this cluster. If it was never
// decided, initial becomes the decision.
//
// Invariant: all replicas divide by the same number. Reason: two that divide
// differently would both hold a shard that the same key falls into.
func ReadShards(ctx context.Context, client kubernetes.Interface, namespace string, initial int) (int, error) {
	maps := client.CoreV1().ConfigMaps(namespace)
	ring, err := maps.Get(ctx, RingConfigMap, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		ring, err = maps.Create(ctx, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: RingConfigMap},
			Data:       map[string]string{shardsField: strconv.Itoa(initial)},
		}, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			ring, err = maps.Get(ctx, RingConfigMap, metav1.GetOptions{})
		}
	}
	if err != nil {
		return 0, fmt.Errorf("reading ConfigMap %s/%s: %w", namespace, RingConfigMap, err)
	}
	shards, err := strconv.Atoi(ring.Data[shardsField])
	if err != nil {
		return 0, fmt.Errorf("reading ConfigMap %s/%s: data.%s is %q; set it to the number of shards that the Leases %s* were made for: %w",
			namespace, RingConfigMap, shardsField, ring.Data[shardsField], shardPrefix, err)
	}
	return shards, nil
}
