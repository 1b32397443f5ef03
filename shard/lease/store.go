// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/utils/ptr"

	"github.com/banyan-hns/banyan/shard"
)

// store writes Leases by compare-and-swap.
//
// An update carries the UID of the Lease beside its resourceVersion. Reason: the
// API server creates a Lease that an update does not find, whatever version the
// update was made for; only a UID keeps what was deleted from coming back.
type store struct {
	leases  coordinationclient.LeaseInterface
	timeout time.Duration

	mu    sync.Mutex
	known map[string]known // of each Lease, as last seen
}

// known is what an update must repeat.
type known struct {
	uid      types.UID
	holder   string
	acquired *metav1.MicroTime
}

func newStore(leases coordinationclient.LeaseInterface, timeout time.Duration) *store {
	return &store{leases: leases, timeout: timeout, known: map[string]known{}}
}

// seen remembers which Lease it is that has the name now.
func (s *store) seen(lease *coordinationv1.Lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[lease.Name] = known{lease.UID, ptr.Deref(lease.Spec.HolderIdentity, ""), lease.Spec.AcquireTime}
}

func (s *store) recall(name string) known {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[name]
}

// put writes the lease if the server has the version that it carries (none: if
// the server has no such Lease). It returns what the server has afterwards, nil
// for nothing. An error other than a lost race leaves the outcome unknown.
func (s *store) put(ctx context.Context, lease *coordinationv1.Lease) (shard.Outcome, *coordinationv1.Lease, error) {
	s.refresh(ctx, lease)
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	written, err := s.write(ctx, lease)
	switch {
	case err == nil:
		s.seen(written)
		return shard.Done, written, nil
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err), apierrors.IsNotFound(err):
		present, err := s.leases.Get(ctx, lease.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return shard.Lost, nil, nil
		}
		if err != nil {
			return shard.Unknown, nil, fmt.Errorf("reading back Lease %s: %w", lease.Name, err)
		}
		s.seen(present)
		return shard.Lost, present, nil
	default:
		return shard.Unknown, nil, fmt.Errorf("writing Lease %s: %w", lease.Name, err)
	}
}

// remove deletes the Lease if the server has that version of it.
func (s *store) remove(ctx context.Context, name string, version shard.Version) (shard.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	uid, resourceVersion := s.recall(name).uid, strconv.FormatUint(uint64(version), 10)
	err := s.leases.Delete(ctx, name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &resourceVersion},
	})
	switch {
	case err == nil:
		return shard.Done, nil
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return shard.Lost, nil
	default:
		return shard.Unknown, fmt.Errorf("deleting Lease %s: %w", name, err)
	}
}

func (s *store) write(ctx context.Context, lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	if lease.ResourceVersion == "" {
		return s.leases.Create(ctx, lease, metav1.CreateOptions{})
	}
	before := s.recall(lease.Name)
	lease.UID = before.uid
	if lease.Spec.AcquireTime != nil && before.acquired != nil && before.holder == *lease.Spec.HolderIdentity {
		lease.Spec.AcquireTime = before.acquired // it goes on to hold
	}
	return s.leases.Update(ctx, lease, metav1.UpdateOptions{})
}
