// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package trees

import (
	"context"
	"fmt"
	"strconv"
	"strings"
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

// Grower makes a forest and what is in it. It is used once.
type Grower struct {
	*rig.Rig
	Forest Forest
	// Objects in each namespace, half of them Roles and half RoleBindings; in all but
	// the roots they are copies.
	Objects int
	// Workers is how many requests are open at the same time.
	Workers int
}

// Grow makes the roots, then the subnamespaces of each depth, when those above are
// there. It returns the time that the subnamespaces took.
func (g *Grower) Grow(ctx context.Context) (time.Duration, error) {
	var total time.Duration
	for depth := 0; ; depth++ {
		level := g.Forest.At(depth)
		if len(level) == 0 {
			return total, nil
		}
		if depth == 0 {
			if err := rig.Parallel(ctx, g.Workers, len(level), func(ctx context.Context, i int) error {
				return g.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: level[i].Name}})
			}); err != nil {
				return 0, fmt.Errorf("making %d roots: %w", len(level), err)
			}
			continue
		}
		took, err := g.growLevel(ctx, depth, level)
		if err != nil {
			return 0, fmt.Errorf("making %d subnamespaces of depth %d: %w", len(level), depth, err)
		}
		total += took
	}
}

func (g *Grower) growLevel(ctx context.Context, depth int, level []Namespace) (time.Duration, error) {
	marks := labels.Set{labelDepth: strconv.Itoa(depth)}
	aim := rig.Aim{
		Number: len(level),
		Sights: []rig.Sight{{List: &api.SubnamespaceAnchorList{}, Selector: marks, Counts: isOk}},
		Progress: func(arrived int) {
			g.Say("%d of %d subnamespaces of depth %d", arrived, len(level), depth)
		},
	}
	return aim.Time(ctx, g.Client, func(ctx context.Context) error {
		return rig.Parallel(ctx, g.Workers, len(level), func(ctx context.Context, i int) error {
			return admitted(ctx, func() error {
				return g.Client.Create(ctx, &api.SubnamespaceAnchor{ObjectMeta: metav1.ObjectMeta{
					Namespace: level[i].Parent, Name: level[i].Name, Labels: marks,
				}})
			})
		})
	})
}

// patience with replicas that have more to do than this machine can.
const (
	patience = time.Minute
	pause    = time.Second
)

// admitted tries until a webhook answers: a forest that takes minutes to grow is not
// to be lost for one answer that was late.
func admitted(ctx context.Context, do func() error) error {
	for deadline := time.Now().Add(patience); ; {
		err := do()
		if err == nil || !strings.Contains(err.Error(), "failed calling webhook") || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

func isOk(_ watch.EventType, object client.Object) bool {
	return object.(*api.SubnamespaceAnchor).Status.State == api.Ok
}

// FanOut puts sources into each root, and returns the time until every copy is
// there.
func (g *Grower) FanOut(ctx context.Context) (time.Duration, error) {
	roots := g.Forest.At(0)
	copies := g.Copies()
	aim := rig.Aim{
		Number: copies,
		Sights: []rig.Sight{
			{List: &rbacv1.RoleList{}, Selector: labels.Set{labelSource: "true"}, Counts: isCopy},
			{List: &rbacv1.RoleBindingList{}, Selector: labels.Set{labelSource: "true"}, Counts: isCopy},
		},
		Progress: func(arrived int) { g.Say("%d of %d copies", arrived, copies) },
	}
	took, err := aim.Time(ctx, g.Client, func(ctx context.Context) error {
		return rig.Parallel(ctx, g.Workers, len(roots), func(ctx context.Context, i int) error {
			return g.seed(ctx, roots[i].Name)
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

func (g *Grower) seed(ctx context.Context, root string) error {
	for _, object := range rig.Sources(root, g.Objects, map[string]string{labelSource: "true"}) {
		if err := g.Client.Create(ctx, object); err != nil {
			return fmt.Errorf("making what %s has: %w", root, err)
		}
	}
	return nil
}

// Copies that there are when all is done.
func (g *Grower) Copies() int {
	return (len(g.Forest) - len(g.Forest.At(0))) * g.Objects
}
