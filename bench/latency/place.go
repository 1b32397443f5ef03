// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/bench/trees"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// place is one tree, as far as requests are about it, with everything as the API
// server has it.
type place struct {
	root, inner, leaf *corev1.Namespace // inner is the parent of leaf, which has no children
	innerAnchor       *api.SubnamespaceAnchor
	leafAnchor        *api.SubnamespaceAnchor
	source            *rbacv1.Role // in the root
	// mover is a full child of the root, with a Role of its own.
	mover *corev1.Namespace
}

const (
	// mostPlaces are enough that no cache of anything helps.
	mostPlaces = 20
	// ownRole is the name of the movers' Roles.
	ownRole = "local"
)

// User names.
const (
	permitted = "mover"    // may change HierarchyConfigurations anywhere
	stranger  = "stranger" // may not
)

// newPlaces makes what the forest lacks: full children, and users with rights. Then it
// reads what there is.
func (m *measurement) newPlaces(ctx context.Context) ([]place, error) {
	if err := m.permit(ctx); err != nil {
		return nil, err
	}
	var places []place
	for _, line := range m.Forest.Lines() {
		if len(places) == mostPlaces {
			break
		}
		p, err := m.newPlace(ctx, line)
		if err != nil {
			return nil, fmt.Errorf("preparing the tree of %s: %w", line[2].Name, err)
		}
		places = append(places, p)
	}
	if len(places) < 2 {
		return nil, fmt.Errorf("preparing requests: there are %d trees of three generations, too few to move anything", len(places))
	}
	return places, nil
}

func (m *measurement) permit(ctx context.Context) error {
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "bench-mover"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{api.Group}, Resources: []string{"hierarchyconfigurations"}, Verbs: []string{"update"}},
	}}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "bench-mover"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: permitted}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
	}
	for _, object := range []client.Object{role, binding} {
		if err := m.Client.Create(ctx, object); err != nil {
			return fmt.Errorf("giving rights to %s: %w", permitted, err)
		}
	}
	return nil
}

func (m *measurement) newPlace(ctx context.Context, line [3]trees.Namespace) (place, error) {
	root, inner, leaf := m.Forest.Root(line[2]).Name, line[1].Name, line[2].Name
	mover := "mover-of-" + root
	if err := m.newMover(ctx, mover, root); err != nil {
		return place{}, err
	}
	p := place{
		root: &corev1.Namespace{}, inner: &corev1.Namespace{}, leaf: &corev1.Namespace{}, mover: &corev1.Namespace{},
		innerAnchor: &api.SubnamespaceAnchor{}, leafAnchor: &api.SubnamespaceAnchor{},
		source: &rbacv1.Role{},
	}
	role := rig.Sources(root, m.Objects, nil)[0].GetName()
	for _, read := range []struct {
		object          client.Object
		namespace, name string
	}{
		{p.root, "", root}, {p.inner, "", inner}, {p.leaf, "", leaf}, {p.mover, "", mover},
		{p.innerAnchor, line[0].Name, inner}, {p.leafAnchor, inner, leaf}, {p.source, root, role},
	} {
		if err := m.Client.Get(ctx, client.ObjectKey{Namespace: read.namespace, Name: read.name}, read.object); err != nil {
			return place{}, fmt.Errorf("reading %T %s/%s: %w", read.object, read.namespace, read.name, err)
		}
	}
	return p, nil
}

// newMover makes a full namespace below a root, and waits until it is there.
func (m *measurement) newMover(ctx context.Context, name, root string) error {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	own := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: ownRole}}
	for _, object := range []client.Object{ns, own} {
		if err := m.Client.Create(ctx, object); err != nil {
			return fmt.Errorf("making %T of %s: %w", object, name, err)
		}
	}
	return m.until(ctx, name+" is below "+root, func(ctx context.Context) (bool, error) {
		err := m.Client.Create(ctx, configuration(name, root))
		return err == nil, nil // A new namespace is not known to all replicas at once.
	})
}

// configuration that gives a namespace a parent.
func configuration(namespace, parent string) *api.HierarchyConfiguration {
	return &api.HierarchyConfiguration{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: api.HierarchyConfigurationName},
		Spec:       api.HierarchyConfigurationSpec{Parent: parent},
	}
}
