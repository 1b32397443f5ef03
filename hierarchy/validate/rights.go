// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate

import (
	"slices"

	"github.com/banyan-hns/banyan/hierarchy"
)

// Rights are what a user must have to change a parent.
type Rights struct {
	// Update lists the namespaces in which the user must be allowed to update
	// HierarchyConfigurations.
	Update []string

	// Absent is a namespace that must not exist on the server, if not empty.
	// If it does, this replica has yet to learn to whom the namespace belongs.
	Absent string
}

// RightsNeeded says which rights it takes to give a namespace another parent.
//
// Who gives up a namespace loses what is inherited from all its ancestors, so
// that it takes the rights of the root. Who takes one in grants access to what
// the new parent has, so that it takes the rights there, always: also if the old
// parent is gone. Within one tree, the nearest common ancestor has both.
func RightsNeeded(f *hierarchy.Forest, namespace, parent string) (Rights, Verdict) {
	current := f.Parent(namespace)
	if current == parent {
		return Rights{}, Allow()
	}
	if v := healthyAncestors(f, namespace); !v.Allowed {
		return Rights{}, v
	}
	switch {
	case current == "" || !f.Scope().Manages(current):
		return Rights{Update: some(parent)}, Allow()
	case !f.Exists(current):
		return Rights{Update: some(parent), Absent: current}, Allow()
	case parent == "":
		return Rights{Update: some(f.Root(current))}, Allow()
	case f.Root(current) != f.Root(parent):
		return Rights{Update: some(f.Root(current), parent)}, Allow()
	}
	return Rights{Update: some(commonAncestor(f, current, parent))}, Allow()
}

// NoRights refuses a change for want of one of these rights.
func NoRights(user, namespace string) Verdict {
	return DenyUnauthorized("spec.parent", "user %q is not allowed to update HierarchyConfigurations in namespace %q; ask one who is to make the change, or for the right to do so", user, namespace)
}

// NotSynced refuses a change because the namespace that should be absent is not.
func NotSynced(namespace string) Verdict {
	return knownNamespace(hierarchy.NewForest(hierarchy.Scope{}), namespace)
}

// commonAncestor returns the nearest one, each counted among its own ancestors.
// The two must be of one tree.
func commonAncestor(f *hierarchy.Forest, a, b string) string {
	above := append([]string{b}, f.Ancestors(b)...)
	for _, name := range append([]string{a}, f.Ancestors(a)...) {
		if slices.Contains(above, name) {
			return name
		}
	}
	return f.Root(a)
}

func some(names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}
