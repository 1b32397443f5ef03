// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"

	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/lease"
)

// addScale lets ownership follow the number of replicas of our StatefulSet, if our
// name is that of one of its pods.
func (r *replica) addScale() error {
	set, _, found := cutOrdinal(r.options.member.Member)
	if !found {
		return nil
	}
	client, err := kubernetes.NewForConfig(r.conns.reads)
	if err != nil {
		return fmt.Errorf("making the client of the StatefulSet: %w", err)
	}
	return r.manager.Add(manager.RunnableFunc(func(ctx context.Context) error {
		return lease.WatchScale(ctx, client, r.options.namespace, set, r.member.Scaled)
	}))
}

// activeMembers is how many replicas share the shards, as this one sees it.
func (r *replica) activeMembers() int {
	active := 0
	for _, member := range r.member.Status().Members {
		if member.State == shard.MemberActive {
			active++
		}
	}
	return active
}
