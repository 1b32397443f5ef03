// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"context"
	"fmt"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"

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

	mu   sync.Mutex
	uids map[string]types.UID // of each Lease, as last seen
}

func newStore(leases coordinationclient.LeaseInterface, timeout time.Duration) *store {
	return &store{leases: leases, timeout: timeout, uids: map[string]types.UID{}}
}

// seen remembers which Lease it is that has the name now.
func (s *store) seen(lease *coordinationv1.Lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uids[lease.Name] = lease.UID
}

func (s *store) uid(name string) types.UID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.uids[name]
}

// put writes the lease if the server has the version that it carries (none: if
// the server has no such Lease). It returns what the server has afterwards, nil
// for nothing. An error other than a lost race leaves the outcome unknown.
func (s *store) put(ctx context.Context, lease *coordinationv1.Lease) (shard.Outcome, *coordinationv1.Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	s.refresh(ctx, lease)
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

func (s *store) write(ctx context.Context, lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	if lease.ResourceVersion == "" {
		return s.leases.Create(ctx, lease, metav1.CreateOptions{})
	}
	lease.UID = s.uid(lease.Name)
	return s.leases.Update(ctx, lease, metav1.UpdateOptions{})
}
