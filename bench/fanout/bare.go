// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/rig"
)

// bare measures a plain client: it makes as many namespaces as there are
// subnamespaces, and in each, itself, what would be copied there.
func (m *measurement) bare(ctx context.Context, round int) error {
	of := fmt.Sprintf("bare%d", round)
	perform := func(name string, aim rig.Aim, work func(context.Context, int) error) error {
		return m.take(ctx, phase{name: name, bare: true, round: round}, aim, func(ctx context.Context) error {
			return rig.Parallel(ctx, m.workers, aim.Number, work)
		})
	}

	namespaces := rig.Aim{Number: m.subnamespaces, Sights: []rig.Sight{{
		List: &corev1.NamespaceList{}, Selector: labels.Set{labelOf: of}, Counts: created,
	}}}
	err := perform(grow, namespaces, func(ctx context.Context, i int) error {
		return m.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name: bareNamespace(round, i), Labels: map[string]string{labelOf: of},
		}})
	})
	if err != nil {
		return err
	}

	objects := m.bareObjects(round, of)
	if err := perform(fanOut, m.inherited(of, len(objects), created), func(ctx context.Context, i int) error {
		return m.Client.Create(ctx, objects[i])
	}); err != nil {
		return err
	}
	if err := perform(update, m.inherited(of, len(objects), changed), func(ctx context.Context, i int) error {
		change(objects[i])
		return m.Client.Update(ctx, objects[i])
	}); err != nil {
		return err
	}
	return perform(remove, m.inherited(of, len(objects), deleted), func(ctx context.Context, i int) error {
		return m.Client.Delete(ctx, objects[i])
	})
}

// bareObjects look as copies do: they have as many labels, of about the same
// length. But they must not be taken for copies.
func (m *measurement) bareObjects(round int, of string) []client.Object {
	var objects []client.Object
	for i := range m.subnamespaces {
		for _, object := range m.objects(bareNamespace(round, i), of) {
			marks := object.GetLabels()
			marks["app.kubernetes.io/managed-by"] = "plain.client"
			marks["plain.client/inherited-from"] = strings.Repeat("x", len(root(round, 0)))
			objects = append(objects, object)
		}
	}
	return objects
}
