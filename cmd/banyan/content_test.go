// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/controller"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/lease"
)

// TestCensus: three namespaces in one tree, one by itself.
func TestCensus(t *testing.T) {
	live := controller.NewLive(hierarchy.Scope{}, propagate.Options{}, controller.Home{})
	grow := func(name string) {
		live.SetNamespace(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	for _, name := range []string{"acme", "team-a", "team-b", "solo"} {
		grow(name)
	}
	for _, child := range []string{"team-a", "team-b"} {
		hc := &api.HierarchyConfiguration{ObjectMeta: metav1.ObjectMeta{Namespace: child, Name: api.HierarchyConfigurationName}}
		hc.Spec.Parent = "acme"
		live.SetConfiguration(hc)
	}
	const shards = 1024
	c := &content{live: live, resync: controller.NewResync(live, nil, 1), shards: shards}
	acme, solo := shard.Of("acme", shards), shard.Of("solo", shards)
	require.NotEqual(t, acme, solo)
	require.Equal(t, lease.Census{
		Shards: map[shard.ID]lease.ShardContent{acme: {Roots: 1, Namespaces: 3, Largest: 3}, solo: {Roots: 1, Namespaces: 1, Largest: 1}},
	}, c.Census())

	grow("late")
	require.Len(t, c.Census().Shards, 2, "the answer is kept for a while")
	c.taken = c.taken.Add(-2 * censusAge)
	require.Len(t, c.Census().Shards, 3)

	key, exists := c.Key("team-b")
	require.Equal(t, "acme", key)
	require.True(t, exists)
	_, exists = c.Key("nowhere")
	require.False(t, exists)
}
