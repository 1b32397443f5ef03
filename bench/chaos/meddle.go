// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/replicas"
	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/lease"
)

// meddled is how many Leases of shards one fault is about.
const meddled = 3

// chance of a fault is a source of its own, so that faults at the same time do not
// take numbers from each other.
func (s *stage) chance(f Fault) *rand.Rand {
	return rand.New(rand.NewPCG(s.options.seed, uint64(f.At)))
}

func deleteMemberLease(ctx context.Context, s *stage, f Fault) (string, error) {
	return "", s.deleteLease(ctx, lease.MemberName(s.name(f)))
}

func deleteShardLeases(ctx context.Context, s *stage, f Fault) (note string, err error) {
	for _, id := range s.chance(f).Perm(shard.DefaultShards)[:meddled] {
		note += fmt.Sprintf("shard %d ", id)
		err = errors.Join(err, s.deleteLease(ctx, lease.ShardName(shard.ID(id), shard.DefaultShards)))
	}
	return note, err
}

func (s *stage) deleteLease(ctx context.Context, name string) error {
	l := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: replicas.Namespace, Name: name}}
	if err := client.IgnoreNotFound(s.Client.Delete(ctx, l)); err != nil {
		return fmt.Errorf("deleting Lease %s: %w", name, err)
	}
	return nil
}

// editHolders gives shards to a replica that did not ask for them, and to nobody
// that there is.
func editHolders(ctx context.Context, s *stage, f Fault) (note string, err error) {
	r := s.chance(f)
	heir := &coordinationv1.Lease{}
	name := lease.MemberName(s.Names[r.IntN(len(s.Names))])
	if err := s.Client.Get(ctx, client.ObjectKey{Namespace: replicas.Namespace, Name: name}, heir); err != nil {
		return "", fmt.Errorf("finding an heir: %w", err)
	}
	holders := []string{ptr.Deref(heir.Spec.HolderIdentity, ""), "somebody/else/entirely", ""}
	for i, id := range r.Perm(shard.DefaultShards)[:meddled] {
		note += fmt.Sprintf("shard %d to %q ", id, holders[i])
		err = errors.Join(err, s.editHolder(ctx, shard.ID(id), holders[i]))
	}
	return note, err
}

func (s *stage) editHolder(ctx context.Context, id shard.ID, holder string) error {
	l := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: replicas.Namespace, Name: lease.ShardName(id, shard.DefaultShards)}}
	patch := fmt.Sprintf(`{"spec":{"holderIdentity":%q}}`, holder)
	if err := s.Client.Patch(ctx, l, client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
		return fmt.Errorf("editing Lease %s: %w", l.Name, err)
	}
	return nil
}

// makeCycles while nobody refuses them, and breaks them again.
func makeCycles(ctx context.Context, s *stage, f Fault) (string, error) {
	asked := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	if err := s.Client.Get(ctx, client.ObjectKey{Name: "hnc-validating-webhook-configuration"}, asked); err != nil {
		return "", fmt.Errorf("finding the webhooks: %w", err)
	}
	if err := s.Client.Delete(ctx, asked.DeepCopy()); err != nil {
		return "", fmt.Errorf("removing the webhooks: %w", err)
	}
	var all []error
	for i := range pairs {
		all = append(all, s.users.setParent(ctx, pairName(i, "a"), pairName(i, "b")), s.users.setParent(ctx, pairName(i, "b"), pairName(i, "a")))
	}
	all = append(all, pause(ctx, f.Lasts))
	made := 0
	for _, err := range all {
		if err == nil {
			made++
		}
	}
	for i := range pairs {
		_ = s.users.setParent(ctx, pairName(i, "a"), "") // whoever cannot, tries again later
	}
	again := asked.DeepCopy()
	again.ResourceVersion, again.UID = "", ""
	if err := s.Client.Create(ctx, again); err != nil {
		return "", fmt.Errorf("asking the webhooks again: %w", err)
	}
	return fmt.Sprintf("%d of %d parents were set", made-1, 2*pairs), nil
}

// moveMany moves every wanderer once, as fast as it goes.
func moveMany(ctx context.Context, s *stage, f Fault) (string, error) {
	r, moved := s.chance(f), 0
	for i := range wanderers {
		if s.users.setParent(ctx, wandererName(i), s.users.root(r)) == nil {
			moved++
		}
	}
	return fmt.Sprintf("%d of %d moved", moved, wanderers), ctx.Err()
}
