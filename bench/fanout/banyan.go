// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/rig"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// banyan measures trees of subnamespaces, and what comes down them from their
// roots. The trees of earlier rounds stay: what exists should cost nothing.
func (m *measurement) banyan(ctx context.Context, round int) error {
	of := fmt.Sprintf("tree%d", round)
	perform := func(name string, aim rig.Aim, begin func(context.Context) error) error {
		return m.take(ctx, phase{name: name, round: round}, aim, begin)
	}

	roots, err := m.roots(ctx, round)
	if err != nil {
		return err
	}
	if err := perform(grow, m.grown(of), func(ctx context.Context) error { return m.anchor(ctx, round, of) }); err != nil {
		return err
	}

	var sources []client.Object
	for _, name := range roots {
		sources = append(sources, m.objects(name, of)...)
	}
	if err := perform(fanOut, m.inherited(of, m.copies(), created, roots...), func(ctx context.Context) error {
		return each(ctx, sources, func(o client.Object) error { return m.Client.Create(ctx, o) })
	}); err != nil {
		return err
	}
	if err := perform(update, m.inherited(of, m.copies(), changed, roots...), func(ctx context.Context) error {
		return each(ctx, sources, func(o client.Object) error {
			change(o)
			return m.Client.Update(ctx, o)
		})
	}); err != nil {
		return err
	}
	return perform(remove, m.inherited(of, m.copies(), deleted, roots...), func(ctx context.Context) error {
		return each(ctx, sources, func(o client.Object) error { return m.Client.Delete(ctx, o) })
	})
}

// roots makes them. No time is taken.
func (m *measurement) roots(ctx context.Context, round int) ([]string, error) {
	var names []string
	for tree := range m.trees {
		name := root(round, tree)
		if err := m.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			return nil, fmt.Errorf("making the root %s: %w", name, err)
		}
		names = append(names, name)
	}
	return names, nil
}

// grown aims at as many anchors that say Ok. An anchor does so when its namespace
// is there.
func (m *measurement) grown(of string) rig.Aim {
	return rig.Aim{Number: m.subnamespaces, Sights: []rig.Sight{{
		List: &api.SubnamespaceAnchorList{}, Selector: labels.Set{labelOf: of},
		Counts: func(_ watch.EventType, object client.Object) bool {
			return object.(*api.SubnamespaceAnchor).Status.State == api.Ok
		},
	}}}
}

func (m *measurement) anchor(ctx context.Context, round int, of string) error {
	return rig.Parallel(ctx, m.workers, m.subnamespaces, func(ctx context.Context, i int) error {
		name, tree := m.subnamespace(round, i)
		return m.Client.Create(ctx, &api.SubnamespaceAnchor{ObjectMeta: metav1.ObjectMeta{
			Namespace: root(round, tree), Name: name, Labels: map[string]string{labelOf: of},
		}})
	})
}

// each calls a function for all objects, one after another, as a person with a
// file of manifests does.
func each(ctx context.Context, objects []client.Object, f func(client.Object) error) error {
	for _, object := range objects {
		if err := f(object); err != nil {
			return fmt.Errorf("at %s/%s: %w", object.GetNamespace(), object.GetName(), err)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}
