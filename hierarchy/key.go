// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import (
	"cmp"
	"slices"
)

// Key returns what decides who may write in a namespace: the name of the root
// of its tree. A missing parent counts as the root of its orphans, so that its
// creation moves nothing. A cycle counts as a root named like its smallest
// member. A namespace that is only wanted has the key of the namespace that
// gets it, so that its creation moves nothing either. Unknown names are keys of
// their own.
func (f *Forest) Key(namespace string) string {
	c := f.keyPath(namespace)
	if c.loop >= 0 {
		return slices.Min(c.path[c.loop:])
	}
	return c.path[len(c.path)-1]
}

// keyPath climbs as Ancestors does, and on from missing namespaces to those
// that will be their parents.
func (f *Forest) keyPath(namespace string) climb {
	c := climb{path: []string{namespace}, loop: -1}
	visited := map[string]int{namespace: 0}
	for next := f.above(namespace); next != ""; next = f.above(next) {
		if at, ok := visited[next]; ok {
			c.loop = at
			return c
		}
		visited[next] = len(c.path)
		c.path = append(c.path, next)
	}
	return c
}

// above returns the parent that a namespace has or, if it is absent, will have.
func (f *Forest) above(namespace string) string {
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
