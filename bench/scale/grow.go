// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/rig"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Labels of what this bench makes.
const (
	labelDepth  = "bench/depth"  // of anchors
	labelSource = "bench/source" // of sources, and so of their copies
)

// grow makes the roots, then the subnamespaces of each depth, when those above are
// there. It returns the time that the subnamespaces took.
func (m *measurement) grow(ctx context.Context) (time.Duration, error) {
	var total time.Duration
	for depth := 0; ; depth++ {
		level := at(m.forest, depth)
		if len(level) == 0 {
			return total, nil
		}
		if depth == 0 {
			if err := rig.Parallel(ctx, m.workers, len(level), func(ctx context.Context, i int) error {
				return m.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: level[i].name}})
			}); err != nil {
				return 0, fmt.Errorf("making %d roots: %w", len(level), err)
			}
			continue
		}
		took, err := m.growLevel(ctx, depth, level)
		if err != nil {
			return 0, fmt.Errorf("making %d subnamespaces of depth %d: %w", len(level), depth, err)
		}
		total += took
	}
}

func (m *measurement) growLevel(ctx context.Context, depth int, level []member) (time.Duration, error) {
	marks := labels.Set{labelDepth: strconv.Itoa(depth)}
	aim := rig.Aim{
		Number: len(level),
		Sights: []rig.Sight{{List: &api.SubnamespaceAnchorList{}, Selector: marks, Counts: isOk}},
		Progress: func(arrived int) {
			m.Say("%d of %d subnamespaces of depth %d", arrived, len(level), depth)
		},
	}
	return aim.Time(ctx, m.Client, func(ctx context.Context) error {
		return rig.Parallel(ctx, m.workers, len(level), func(ctx context.Context, i int) error {
			return m.Client.Create(ctx, &api.SubnamespaceAnchor{ObjectMeta: metav1.ObjectMeta{
				Namespace: level[i].parent, Name: level[i].name, Labels: marks,
			}})
		})
	})
}

func isOk(_ watch.EventType, object client.Object) bool {
	return object.(*api.SubnamespaceAnchor).Status.State == api.Ok
}

// fanOut puts sources into each root, and returns the time until every copy is
// there.
func (m *measurement) fanOut(ctx context.Context) (time.Duration, error) {
	roots := at(m.forest, 0)
	copies := m.copies()
	aim := rig.Aim{
		Number: copies,
		Sights: []rig.Sight{
			{List: &rbacv1.RoleList{}, Selector: labels.Set{labelSource: "true"}, Counts: isCopy},
			{List: &rbacv1.RoleBindingList{}, Selector: labels.Set{labelSource: "true"}, Counts: isCopy},
		},
		Progress: func(arrived int) { m.Say("%d of %d copies", arrived, copies) },
	}
	took, err := aim.Time(ctx, m.Client, func(ctx context.Context) error {
		return rig.Parallel(ctx, m.workers, len(roots), func(ctx context.Context, i int) error {
			return m.seed(ctx, roots[i].name)
		})
	})
	if err != nil {
		return 0, fmt.Errorf("copying the objects of %d roots: %w", len(roots), err)
	}
	return took, nil
}

func isCopy(_ watch.EventType, object client.Object) bool {
	return object.GetLabels()[api.LabelInheritedFrom] != ""
}

func (m *measurement) seed(ctx context.Context, root string) error {
	for _, object := range rig.Sources(root, m.objects, map[string]string{labelSource: "true"}) {
		if err := m.Client.Create(ctx, object); err != nil {
			return fmt.Errorf("making what %s has: %w", root, err)
		}
	}
	return nil
}

// copies that there are when all is done.
func (m *measurement) copies() int {
	return (len(m.forest) - len(at(m.forest, 0))) * m.objects
}
