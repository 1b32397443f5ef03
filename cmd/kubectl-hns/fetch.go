// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// place is a namespace and what is configured and reported of its hierarchy.
type place struct {
	namespace corev1.Namespace
	hierarchy api.HierarchyConfiguration // blank if the namespace has none
}

// fetchPlace reads one namespace. That it does not exist is an error.
func fetchPlace(ctx context.Context, c client.Reader, name string) (place, error) {
	var p place
	if err := c.Get(ctx, client.ObjectKey{Name: name}, &p.namespace); err != nil {
		return place{}, fmt.Errorf("reading namespace %q: %w", name, err)
	}
	hierarchy, err := fetchHierarchy(ctx, c, name)
	if err != nil {
		return place{}, err
	}
	p.hierarchy = *hierarchy
	return p, nil
}

// fetchHierarchy reads the configuration of one namespace; if there is none, it
// returns a blank one that can be created.
func fetchHierarchy(ctx context.Context, c client.Reader, namespace string) (*api.HierarchyConfiguration, error) {
	hierarchy := &api.HierarchyConfiguration{}
	key := client.ObjectKey{Namespace: namespace, Name: api.HierarchyConfigurationName}
	err := c.Get(ctx, key, hierarchy)
	if apierrors.IsNotFound(err) {
		hierarchy = &api.HierarchyConfiguration{}
		hierarchy.Namespace, hierarchy.Name = key.Namespace, key.Name
		return hierarchy, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the hierarchical configuration of %q: %w", namespace, err)
	}
	return hierarchy, nil
}

// fetchTrees reads the given namespaces and everything below them, one by one:
// who may see only one tree can show it. A child that has gone meanwhile is left
// out; a root must exist.
func fetchTrees(ctx context.Context, c client.Reader, roots []string) (map[string]place, error) {
	places := map[string]place{}
	for _, root := range roots {
		if err := fetchTree(ctx, c, root, places); err != nil {
			return nil, err
		}
	}
	return places, nil
}

func fetchTree(ctx context.Context, c client.Reader, root string, places map[string]place) error {
	for queue := []string{root}; len(queue) > 0; queue = queue[1:] {
		name := queue[0]
		if _, seen := places[name]; seen {
			continue
		}
		p, err := fetchPlace(ctx, c, name)
		if apierrors.IsNotFound(err) && name != root {
			continue
		}
		if err != nil {
			return err
		}
		places[name] = p
		queue = append(queue, p.hierarchy.Status.Children...)
	}
	return nil
}

// fetchAll reads all namespaces.
func fetchAll(ctx context.Context, c client.Reader) (map[string]place, error) {
	var namespaces corev1.NamespaceList
	if err := c.List(ctx, &namespaces); err != nil {
		return nil, fmt.Errorf("listing namespaces: %w", err)
	}
	var hierarchies api.HierarchyConfigurationList
	if err := c.List(ctx, &hierarchies); err != nil {
		return nil, fmt.Errorf("listing hierarchical configurations: %w", err)
	}

	places := make(map[string]place, len(namespaces.Items))
	for _, namespace := range namespaces.Items {
		places[namespace.Name] = place{namespace: namespace}
	}
	for _, hierarchy := range hierarchies.Items {
		if p, exists := places[hierarchy.Namespace]; exists && hierarchy.Name == api.HierarchyConfigurationName {
			p.hierarchy = hierarchy
			places[hierarchy.Namespace] = p
		}
	}
	return places, nil
}

// fetchAnchors reads the anchors that stand in one namespace.
func fetchAnchors(ctx context.Context, c client.Reader, namespace string) ([]api.SubnamespaceAnchor, error) {
	var anchors api.SubnamespaceAnchorList
	if err := c.List(ctx, &anchors, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("listing the subnamespace anchors in %q: %w", namespace, err)
	}
	return anchors.Items, nil
}

// fetchEvents reads the events in one namespace that Banyan or HNC reported. The
// API server selects them: a busy namespace has thousands of others.
func fetchEvents(ctx context.Context, c client.Reader, namespace string) ([]corev1.Event, error) {
	var events corev1.EventList
	source := client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector("source", eventSource)}
	if err := c.List(ctx, &events, client.InNamespace(namespace), source); err != nil {
		return nil, fmt.Errorf("listing the events in %q: %w", namespace, err)
	}
	return events.Items, nil
}
