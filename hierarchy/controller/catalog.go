// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/restmapper"

	"github.com/banyan-hns/banyan/hierarchy/propagate"
)

// Catalog returns a lookup in what the API server serves now.
type Catalog func(context.Context) (propagate.Lookup, error)

// NewCatalog returns the catalog of an API server. Each lookup is one of its
// own, and never outlives a definition: a mapper that is only ever added to would
// go on to resolve what was deleted.
func NewCatalog(client discovery.DiscoveryInterface) Catalog {
	return func(context.Context) (propagate.Lookup, error) {
		partial := &partialDiscovery{DiscoveryInterface: client}
		groups, err := restmapper.GetAPIGroupResources(partial)
		if err != nil {
			return nil, fmt.Errorf("discovering what the API server serves: %w", err)
		}
		mapper := restmapper.NewDiscoveryRESTMapper(groups)
		return func(group, resource string) (propagate.Resource, error) {
			found, err := lookup(mapper, group, resource)
			if err != nil && partial.mayHave(group) {
				return propagate.Resource{}, fmt.Errorf("a group of the API cannot be reached: %w", partial.failed)
			}
			return found, err
		}, nil
	}
}

func lookup(mapper meta.RESTMapper, group, resource string) (propagate.Resource, error) {
	gvr, err := mapper.ResourceFor(schema.GroupVersionResource{Group: group, Resource: strings.ToLower(resource)})
	if meta.IsNoMatchError(err) {
		return propagate.Resource{}, propagate.ErrNoResource
	}
	if err != nil {
		return propagate.Resource{}, err
	}
	gvk, err := mapper.KindFor(gvr)
	if err != nil {
		return propagate.Resource{}, err
	}
	mapping, err := mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return propagate.Resource{}, err
	}
	return propagate.Resource{
		GVK: gvk, Plural: gvr.Resource, Namespaced: mapping.Scope.Name() == meta.RESTScopeNameNamespace,
	}, nil
}

// partialDiscovery remembers which groups did not answer: what is in them is not
// known to be missing.
type partialDiscovery struct {
	discovery.DiscoveryInterface
	failed *discovery.ErrGroupDiscoveryFailed
}

// ServerGroupsAndResources is what restmapper asks.
func (d *partialDiscovery) ServerGroupsAndResources() ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	groups, resources, err := d.DiscoveryInterface.ServerGroupsAndResources()
	errors.As(err, &d.failed)
	return groups, resources, err
}

// mayHave reports whether a group, or any group if it is left out, is among those
// that did not answer.
func (d *partialDiscovery) mayHave(group string) bool {
	if d.failed == nil {
		return false
	}
	for version := range d.failed.Groups {
		if group == "" || version.Group == group {
			return true
		}
	}
	return false
}
