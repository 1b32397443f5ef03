// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/bench/trees"
)

// probeName of the sources.
const probeName = "probe"

// prepare grows the forest, with a probe in each tree.
func (m *measurement) prepare(ctx context.Context) ([]probe, error) {
	ctx, cancel := context.WithTimeout(ctx, buildBound)
	defer cancel()
	m.Say("growing %d namespaces in %d trees", len(m.Forest), len(m.Forest.At(0)))
	if _, err := m.Grow(ctx); err != nil {
		return nil, err
	}
	m.Say("copying to all of them: %d copies", m.Copies())
	if _, err := m.FanOut(ctx); err != nil {
		return nil, err
	}
	probes := probesIn(m.Forest)
	if err := m.place(ctx, probes); err != nil {
		return nil, fmt.Errorf("placing %d probes: %w", len(probes), err)
	}
	if _, err := m.Quiet(ctx); err != nil {
		return nil, err
	}
	return probes, m.Swept(ctx, m.Names...)
}

// probesIn a forest: one in the parent of the last leaf of each tree that has any. It has
// few copies: what is measured is not a fan-out.
func probesIn(forest trees.Forest) []probe {
	var probes []probe
	for _, leaf := range forest.Last() {
		if leaf.Parent != "" {
			probes = append(probes, probe{
				root:   forest.Root(leaf).Name,
				source: types.NamespacedName{Namespace: leaf.Parent, Name: probeName},
				copy:   types.NamespacedName{Namespace: leaf.Name, Name: probeName},
			})
		}
	}
	return probes
}

// place the sources, and wait for their copies.
func (m *measurement) place(ctx context.Context, probes []probe) error {
	awaited := map[types.NamespacedName]bool{}
	for _, p := range probes {
		awaited[p.copy] = true
	}
	marks := labels.Set{labelProbe: "true"}
	aim := rig.Aim{Number: len(probes), Sights: []rig.Sight{{
		List: &rbacv1.RoleList{}, Selector: marks,
		Counts: func(_ watch.EventType, object client.Object) bool { return awaited[client.ObjectKeyFromObject(object)] },
	}}}
	_, err := aim.Time(ctx, m.Client, func(ctx context.Context) error {
		return rig.Parallel(ctx, m.Workers, len(probes), func(ctx context.Context, i int) error {
			at := probes[i].source
			return m.Client.Create(ctx, &rbacv1.Role{
				ObjectMeta: metav1.ObjectMeta{Namespace: at.Namespace, Name: at.Name, Labels: marks},
				Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}},
			})
		})
	})
	return err
}
