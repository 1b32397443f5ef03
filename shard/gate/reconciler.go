// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package gate

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/banyan-hns/banyan/shard"
)

// Reconciler ends a reconcile quietly whose writes the gate would refuse, or did:
// the holder of the shard has the same plan. namespaceOf names the namespace that
// a request is about.
//
// Nothing is lost: all that is in a shard is looked at after it was opened. A
// write that was refused while the shard is suspended is an error, and tried
// again.
func Reconciler[R comparable](g *Gate, key KeyFunc, namespaceOf func(R) string, next reconcile.TypedReconciler[R]) reconcile.TypedReconciler[R] {
	return reconcile.TypedFunc[R](func(ctx context.Context, request R) (reconcile.Result, error) {
		if key, _ := key(namespaceOf(request)); !g.Open(shard.Of(key, g.Shards())) {
			return reconcile.Result{}, nil
		}
		result, err := next.Reconcile(ctx, request)
		if errors.Is(err, ErrNotOwner) {
			return reconcile.Result{}, nil
		}
		return result, err
	})
}
