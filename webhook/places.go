// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// place is what the API server has of one namespace; nil stands for nothing.
type place struct {
	namespace     *corev1.Namespace
	configuration *api.HierarchyConfiguration
}

// readsAtOnce bounds what one request for admission may ask of the API server.
const readsAtOnce = 8

// places reads past every cache, several at once.
func places(reader client.Reader) func(context.Context, []string) ([]place, error) {
	return func(ctx context.Context, names []string) ([]place, error) {
		found := make([]place, len(names))
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(readsAtOnce)
		for i, name := range names {
			group.Go(func() (err error) {
				found[i].namespace, err = fetch(ctx, reader, types.NamespacedName{Name: name}, &corev1.Namespace{})
				return err
			})
			group.Go(func() (err error) {
				key := types.NamespacedName{Namespace: name, Name: api.HierarchyConfigurationName}
				found[i].configuration, err = fetch(ctx, reader, key, &api.HierarchyConfiguration{})
				return err
			})
		}
		return found, group.Wait()
	}
}

// fetch returns the zero value if there is no such object.
func fetch[O client.Object](ctx context.Context, reader client.Reader, key types.NamespacedName, into O) (none O, _ error) {
	switch err := reader.Get(ctx, key, into); {
	case err == nil:
		return into, nil
	case client.IgnoreNotFound(err) == nil:
		return none, nil
	default:
		return none, fmt.Errorf("reading %T %s: %w", into, key, err)
	}
}
