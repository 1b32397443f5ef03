// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import "slices"

// climb is the way from a namespace to the top.
type climb struct {
	// path begins with the namespace itself; each name is in it once.
	path []string
	// loop is where the path enters a cycle: path[loop:] are its members. It
	// is negative if the path ends at a root.
	loop int
}

// climb goes up from a namespace as seen; the relatives are those known.
func (f *Forest) climb(seen Observed) climb {
	c := climb{path: []string{seen.Name}, loop: -1}
	visited := map[string]int{seen.Name: 0}
	for next := seen.parent(f.scope); next != ""; next = f.parents[next] {
		if at, ok := visited[next]; ok {
			c.loop = at
			return c
		}
		visited[next] = len(c.path)
		c.path = append(c.path, next)
	}
	return c
}

// halt returns the position of the nearest namespace on the path that is
// halted by itself, or -1. There are two kinds: the members of a cycle, and a
// child whose parent is missing or unmanaged. Neither a missing nor an
// unmanaged namespace has a parent, so the latter stands just below the top.
func (f *Forest) halt(c climb) int {
	if c.loop >= 0 {
		return c.loop
	}
	if top := len(c.path) - 1; top > 0 && !(f.Exists(c.path[top]) && f.scope.Manages(c.path[top])) {
		return top - 1
	}
	return -1
}

// HaltedRoot returns the namespace itself if it is halted, else its nearest
// halted ancestor, else nothing. Nothing is copied to or removed from a
// namespace that has one.
func (f *Forest) HaltedRoot(namespace string) string {
	if f.deletingCRD && f.Exists(namespace) {
		return namespace
	}
	c := f.climb(f.Observe(namespace))
	if at := f.halt(c); at >= 0 {
		return c.path[at]
	}
	return ""
}

// Cycle returns the members of the cycle that the namespace is a member of,
// each followed by its child, beginning and ending with the smallest name. It
// is nil for all others, also below a cycle.
func (f *Forest) Cycle(namespace string) []string { return f.cycle(f.Observe(namespace)) }

func (f *Forest) cycle(seen Observed) []string {
	c := f.climb(seen)
	if c.loop != 0 {
		return nil
	}
	members := slices.Clone(c.path)
	slices.Reverse(members)
	at := slices.Index(members, slices.Min(members))
	return append(slices.Concat(members[at:], members[:at]), members[at])
}
