// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/trees"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// What users have besides the forest.
const (
	wanderers = 20 // namespaces, each with a child, that move from tree to tree
	pairs     = 6  // pairs of namespaces, each of which wants to be the other's parent
	subs      = 60 // names of subnamespaces that come and go
	sources   = 12 // names of Roles that come and go anywhere

	crowd = 6 // users at the same time
)

func wandererName(i int) string           { return fmt.Sprintf("wanderer-%d", i) }
func pairName(i int, which string) string { return fmt.Sprintf("pair-%d-%s", i, which) }

// users change the cluster all the time. Each one makes the same changes in the same
// order for the same seed; how they interleave is up to the machine.
type users struct {
	client.Client
	forest trees.Forest
	seed   uint64
	rate   int

	done, refused, failed atomic.Int64
}

// settleIn makes the namespaces that the changes are about.
func (u *users) settleIn(ctx context.Context) error {
	var names []string
	for i := range wanderers {
		names = append(names, wandererName(i), wandererName(i)+"-child")
	}
	for i := range pairs {
		names = append(names, pairName(i, "a"), pairName(i, "b"))
	}
	for i := range probed {
		names = append(names, probedName(i), probedName(i)+"-child")
	}
	for _, name := range names {
		if err := u.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			return fmt.Errorf("making namespace %s: %w", name, err)
		}
	}
	for i := range wanderers {
		if err := u.setParent(ctx, wandererName(i)+"-child", wandererName(i)); err != nil {
			return fmt.Errorf("placing the child of %s: %w", wandererName(i), err)
		}
	}
	for i := range probed {
		if err := u.setParent(ctx, probedName(i)+"-child", probedName(i)); err != nil {
			return fmt.Errorf("placing the child of %s: %w", probedName(i), err)
		}
	}
	return nil
}

// work until the context ends.
func (u *users) work(ctx context.Context) {
	var all sync.WaitGroup
	for number := range crowd {
		r := rand.New(rand.NewPCG(u.seed, uint64(1000+number)))
		all.Go(func() {
			tick := time.NewTicker(time.Second * crowd / time.Duration(u.rate))
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
					u.count(u.change(ctx, r))
				}
			}
		})
	}
	all.Wait()
}

func (u *users) count(err error) {
	switch {
	case err == nil:
		u.done.Add(1)
	case apierrors.IsForbidden(err), apierrors.IsInvalid(err), apierrors.IsConflict(err), apierrors.IsNotFound(err),
		apierrors.IsAlreadyExists(err), apierrors.IsUnauthorized(err):
		u.refused.Add(1)
	default:
		u.failed.Add(1)
	}
}

// change one thing. That it is refused, or not there, is as good a change as any.
func (u *users) change(ctx context.Context, r *rand.Rand) error {
	const bound = 5 * time.Second
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	switch n := r.IntN(100); {
	case n < 45:
		return u.putSource(ctx, u.anywhere(r), fmt.Sprintf("source-%d", r.IntN(sources)), r.IntN(3))
	case n < 60:
		return u.removeSource(ctx, u.anywhere(r), fmt.Sprintf("source-%d", r.IntN(sources)))
	case n < 70:
		return u.putAnchor(ctx, r.IntN(subs))
	case n < 76:
		return u.removeAnchor(ctx, r.IntN(subs))
	case n < 94:
		return u.setParent(ctx, wandererName(r.IntN(wanderers)), u.root(r))
	default:
		names := []string{"a", "b"}
		pair, child := r.IntN(pairs), r.IntN(2)
		parent := pairName(pair, names[1-child])
		if r.IntN(3) == 0 {
			parent = ""
		}
		return u.setParent(ctx, pairName(pair, names[child]), parent)
	}
}

// anywhere is mostly far down, where a change is small.
func (u *users) anywhere(r *rand.Rand) string { return u.forest[r.IntN(len(u.forest))].Name }

// root of any tree, or none.
func (u *users) root(r *rand.Rand) string {
	roots := u.forest.At(0)
	if i := r.IntN(len(roots) + 1); i < len(roots) {
		return roots[i].Name
	}
	return ""
}

func (u *users) putSource(ctx context.Context, namespace, name string, version int) error {
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	err := u.Get(ctx, client.ObjectKeyFromObject(role), role)
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	role.Rules = []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get", "list", "watch"}[:version+1]}}
	if apierrors.IsNotFound(err) {
		return u.Create(ctx, role)
	}
	return u.Update(ctx, role)
}

func (u *users) removeSource(ctx context.Context, namespace, name string) error {
	return u.Delete(ctx, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}})
}

// anchor number i has its place, so that no two ask for the same name.
func (u *users) anchor(i int) *api.SubnamespaceAnchor {
	parent := u.forest[i*len(u.forest)/subs].Name
	return &api.SubnamespaceAnchor{ObjectMeta: metav1.ObjectMeta{Namespace: parent, Name: fmt.Sprintf("sub-%d", i)}}
}

func (u *users) putAnchor(ctx context.Context, i int) error    { return u.Create(ctx, u.anchor(i)) }
func (u *users) removeAnchor(ctx context.Context, i int) error { return u.Delete(ctx, u.anchor(i)) }

// setParent of a namespace, unless it is that already.
func (u *users) setParent(ctx context.Context, child, parent string) error {
	hc := &api.HierarchyConfiguration{ObjectMeta: metav1.ObjectMeta{Namespace: child, Name: api.HierarchyConfigurationName}}
	err := u.Get(ctx, client.ObjectKeyFromObject(hc), hc)
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	hc.Spec.Parent = parent
	if apierrors.IsNotFound(err) {
		return u.Create(ctx, hc)
	}
	return u.Update(ctx, hc)
}
