// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import (
	"cmp"
	"slices"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Key returns what decides who may write in a namespace: the name of the nearest
// one that has a key of its own, the namespace itself included, else that of the root
// of its tree. A namespace that is only wanted has the key of the namespace that gets
// it, so that its creation moves nothing. Unknown names are keys of their own.
//
// A namespace that is stamped with its previous key, and all that gets its key from
// it, have that one still; see Moving.
func (f *Forest) Key(namespace string) string {
	if stamped := f.Moving(namespace); stamped != "" {
		return f.stamp(stamped)
	}
	return f.KeyAtRest(namespace)
}

// KeyAtRest returns the key that a namespace has when nothing is moving.
func (f *Forest) KeyAtRest(namespace string) string {
	c := f.keyPath(namespace)
	if at := slices.IndexFunc(c.path, f.HasOwnKey); at >= 0 {
		return c.path[at]
	}
	return c.root()
}

// HasOwnKey reports whether a namespace has a key of its own, because users said so.
// A namespace that is absent or not managed has none.
func (f *Forest) HasOwnKey(namespace string) bool {
	c := f.configurations[namespace]
	return c != nil && f.Exists(namespace) && f.scope.Manages(namespace) && AsksForOwnKey(c)
}

// AsksForOwnKey reports whether a HierarchyConfiguration asks for a key for its
// namespace.
func AsksForOwnKey(c *api.HierarchyConfiguration) bool {
	return c.Annotations[api.AnnotationOwnKey] == api.OwnKey
}

// Root returns the root of the tree that a namespace is in, whatever its key. A
// missing parent counts as the root of its orphans, so that its creation changes no
// tree. A cycle counts as a root named like its smallest member.
func (f *Forest) Root(namespace string) string { return f.keyPath(namespace).root() }

func (c climb) root() string {
	if c.loop >= 0 {
		return slices.Min(c.path[c.loop:])
	}
	return c.path[len(c.path)-1]
}

// Moving returns the namespace itself if it is stamped with its previous key, else
// the nearest one above it that is, or nothing. What has a key of its own keeps it,
// whatever moves above.
//
// Invariant: all that follows from a move, for a namespace and all below it, is
// seen in one fold, and so is the end of the move. Reason: until then, the owner of
// the old key and that of the new one agree that nobody may write but to end it.
func (f *Forest) Moving(namespace string) string {
	for _, name := range f.keyPath(namespace).path {
		if f.stamp(name) != "" {
			return name
		}
		if f.HasOwnKey(name) {
			break
		}
	}
	return ""
}

// stamp is the previous key that a namespace was stamped with, if any.
func (f *Forest) stamp(namespace string) string {
	if blind {
		return ""
	}
	if c := f.configurations[namespace]; c != nil && f.Exists(namespace) && f.scope.Manages(namespace) {
		return c.Annotations[api.AnnotationPreviousKey]
	}
	return ""
}

// acknowledgement ends a move. Whoever writes it has nothing else under way in the
// namespace and below.
func acknowledgement(seen Observed) Action {
	after := seen.Configuration.DeepCopy()
	delete(after.Annotations, api.AnnotationPreviousKey)
	if len(after.Annotations) == 0 {
		after.Annotations = nil
	}
	return patch(seen.Configuration, after, acknowledges)
}

// acknowledges is the reason of the action that ends a move.
const acknowledges = "it has changed its key, and the owner of the old one has done with it"

// keyPath climbs as Ancestors does, and on from missing namespaces to those
// that will be their parents.
func (f *Forest) keyPath(namespace string) climb {
	c := climb{path: []string{namespace}, loop: -1}
	visited := map[string]int{namespace: 0}
	for next := f.Above(namespace); next != ""; next = f.Above(next) {
		if at, ok := visited[next]; ok {
			c.loop = at
			return c
		}
		visited[next] = len(c.path)
		c.path = append(c.path, next)
	}
	return c
}

// Above returns the parent that a namespace has or, if it is absent, will have.
func (f *Forest) Above(namespace string) string {
	if f.Exists(namespace) {
		return f.parents[namespace]
	}
	if claim := f.winner(f.Observe(namespace)); claim != nil {
		return claim.Namespace
	}
	return ""
}

// NamespacesByKey returns the namespaces, existing or to be created, which are
// wanted by their names and keys. Parents come before their children.
func (f *Forest) NamespacesByKey(wanted func(namespace, key string) bool) []string {
	type place struct {
		name  string
		depth int
	}
	var places []place
	for _, name := range f.everyone() {
		if wanted(name, f.Key(name)) {
			places = append(places, place{name, len(f.keyPath(name).path)})
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(a.name, b.name))
	})
	names := make([]string, len(places))
	for i, p := range places {
		names[i] = p.name
	}
	return names
}
