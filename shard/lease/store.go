// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"

	"github.com/banyan-hns/banyan/shard"
)

// store writes Leases by compare-and-swap.
type store struct {
	leases  coordinationclient.LeaseInterface
	timeout time.Duration
}

// put writes the lease if the server has the version that it carries (none: if
// the server has no such Lease). It returns what the server has afterwards, nil
// for nothing. An error other than a lost race leaves the outcome unknown.
func (s store) put(ctx context.Context, lease *coordinationv1.Lease) (shard.Outcome, *coordinationv1.Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	written, err := s.write(ctx, lease)
	switch {
	case err == nil:
		return shard.Done, written, nil
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err), apierrors.IsNotFound(err):
		present, err := s.leases.Get(ctx, lease.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return shard.Lost, nil, nil
		}
		if err != nil {
			return shard.Unknown, nil, fmt.Errorf("reading back Lease %s: %w", lease.Name, err)
		}
		return shard.Lost, present, nil
	default:
		return shard.Unknown, nil, fmt.Errorf("writing Lease %s: %w", lease.Name, err)
	}
}

func (s store) write(ctx context.Context, lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	if lease.ResourceVersion == "" {
		return s.leases.Create(ctx, lease, metav1.CreateOptions{})
	}
	return s.leases.Update(ctx, lease, metav1.UpdateOptions{})
}
