// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Exists reports whether the namespace has been seen.
func (f *Forest) Exists(namespace string) bool { return f.namespaces[namespace] != nil }

// Parent returns the declared parent, which need not exist. It is empty for
// roots and for all namespaces that are absent, unmanaged or external.
func (f *Forest) Parent(namespace string) string { return f.parents[namespace] }

// Children returns the namespaces that declare this one as their parent,
// sorted. The parent need not exist.
func (f *Forest) Children(namespace string) []string { return sets.List(f.children[namespace]) }

// Ancestors returns the parent, its parent and so on, nearest first. The last
// one may be missing or unmanaged. In and below a cycle, each is listed once.
func (f *Forest) Ancestors(namespace string) []string {
	return f.climb(f.Observe(namespace)).path[1:]
}

// Descendants returns everything below the namespace, sorted. A member of a
// cycle is not among its own descendants.
func (f *Forest) Descendants(namespace string) []string {
	found := sets.New(namespace)
	for queue := []string{namespace}; len(queue) > 0; queue = queue[1:] {
		for child := range f.children[queue[0]] {
			if !found.Has(child) {
				found.Insert(child)
				queue = append(queue, child)
			}
		}
	}
	return sets.List(found.Delete(namespace))
}

// Namespaces returns all namespaces that exist, sorted.
func (f *Forest) Namespaces() []string { return slices.Sorted(maps.Keys(f.namespaces)) }

// Configurations returns all HierarchyConfigurations, sorted by namespace.
func (f *Forest) Configurations() []*api.HierarchyConfiguration {
	all := make([]*api.HierarchyConfiguration, 0, len(f.configurations))
	for _, namespace := range slices.Sorted(maps.Keys(f.configurations)) {
		all = append(all, f.configurations[namespace])
	}
	return all
}

// IsTerminating reports whether the namespace is being deleted.
func (f *Forest) IsTerminating(namespace string) bool { return f.Observe(namespace).terminating() }

// IsExternal reports whether another system places the namespace in its tree.
func (f *Forest) IsExternal(namespace string) bool { return f.Observe(namespace).external() }

// Externals returns all such namespaces, sorted. There are few, whatever the number
// of all.
func (f *Forest) Externals() []string { return sets.List(f.externals) }

// IsSubnamespace reports whether the namespace belongs to an anchor, be it
// there or not. A namespace that is being deleted belongs to nobody.
func (f *Forest) IsSubnamespace(namespace string) bool {
	return f.Observe(namespace).subnamespaceOf(f.scope) != ""
}

// AllowsCascadingDeletion reports whether the namespace or any ancestor allows
// that subnamespaces are deleted with their parents.
func (f *Forest) AllowsCascadingDeletion(namespace string) bool {
	return slices.ContainsFunc(f.climb(f.Observe(namespace)).path, func(name string) bool {
		c := f.configurations[name]
		return c != nil && c.Spec.AllowCascadingDeletion && f.Exists(name) && f.scope.Manages(name)
	})
}

// Claims returns the anchors of this name in all namespaces, sorted by
// namespace.
func (f *Forest) Claims(name string) []*api.SubnamespaceAnchor { return f.claims.list(name) }

// Anchor returns one anchor.
func (f *Forest) Anchor(namespace, name string) (*api.SubnamespaceAnchor, bool) {
	anchor, ok := f.anchors[namespace][name]
	return anchor, ok
}

// Anchors returns the anchors in a namespace, sorted by name.
func (f *Forest) Anchors(namespace string) []*api.SubnamespaceAnchor {
	return f.anchors.list(namespace)
}

// AnchorsIn returns the places of the anchors in a namespace, sorted by name.
func (f *Forest) AnchorsIn(namespace string) []AnchorKey {
	keys := make([]AnchorKey, 0, len(f.anchors[namespace]))
	for _, name := range slices.Sorted(maps.Keys(f.anchors[namespace])) {
		keys = append(keys, AnchorKey{namespace, name})
	}
	return keys
}

// list returns the anchors under the first name, in the order of the second.
func (x anchorIndex) list(first string) []*api.SubnamespaceAnchor {
	var anchors []*api.SubnamespaceAnchor
	for _, second := range slices.Sorted(maps.Keys(x[first])) {
		anchors = append(anchors, x[first][second])
	}
	return anchors
}

// everyone returns all namespaces that exist or are wanted, sorted.
func (f *Forest) everyone() []string {
	names := sets.KeySet(f.namespaces)
	for name := range f.claims {
		if f.winner(f.Observe(name)) != nil {
			names.Insert(name)
		}
	}
	return sets.List(names)
}
