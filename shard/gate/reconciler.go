// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package gate

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Reconciler ends a reconcile quietly that the gate refused: the holder of the
// shard has the same plan. What is refused for want of a heartbeat is looked at
// again when the shard is next acquired, or tried again while it is suspended.
func Reconciler[R comparable](next reconcile.TypedReconciler[R]) reconcile.TypedReconciler[R] {
	return reconcile.TypedFunc[R](func(ctx context.Context, request R) (reconcile.Result, error) {
		result, err := next.Reconcile(ctx, request)
		if errors.Is(err, ErrNotOwner) {
			return reconcile.Result{}, nil
		}
		return result, err
	})
}
