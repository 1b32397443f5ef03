// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate

// Tracked is a type that is handled, with what has been observed of it. It is
// what admission looks at.
type Tracked struct {
	Active

	Objects *Objects

	// Awake: everything that existed has been observed.
	Awake bool
}

// Named returns the objects of one name in some namespaces, as a set of their
// own. What is done to the set is not done to that of the type, so that one can
// try what a change would lead to.
//
// The objects themselves are shared. They are put into the set as they are,
// since others may read them at the same time.
func (t Tracked) Named(name string, namespaces []string) *Objects {
	s := NewObjects(t.Objects.gvk, t.Objects.options)
	for _, namespace := range namespaces {
		o, ok := t.Objects.Get(namespace, name)
		if !ok {
			continue
		}
		put(s.byNamespace, o)
		if o.IsCopy() {
			s.counts.Copies++
			continue
		}
		put(s.sources, o)
		s.counts.Sources++
	}
	return s
}

// IsTracking reports whether a tool recognizes what it applied by a label or
// annotation with this key.
func IsTracking(key string) bool { return fits(tracking, key) }
