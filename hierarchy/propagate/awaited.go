// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate

import (
	"maps"
	"slices"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Affected returns what to examine after an object was folded: the object
// itself and, if it is or was a source, its place in all descendants.
func Affected(f *hierarchy.Forest, namespace, name string, isSource bool) []Key {
	keys := []Key{{namespace, name}}
	if isSource {
		for _, descendant := range f.Descendants(namespace) {
			keys = append(keys, Key{descendant, name})
		}
	}
	return keys
}

// InNamespace returns what to examine after a namespace changed: what is in it,
// and what it may inherit.
func InNamespace(f *hierarchy.Forest, objects *Objects, namespace string) []Key {
	keys := map[Key]bool{}
	for name := range objects.byNamespace[namespace] {
		keys[Key{namespace, name}] = true
	}
	for _, ancestor := range f.Ancestors(namespace) {
		for name := range objects.sources[ancestor] {
			keys[Key{namespace, name}] = true
		}
	}
	return slices.SortedFunc(maps.Keys(keys), compareKeys)
}

// Everywhere returns what to examine after a type was read for the first time,
// or its mode changed: every object, and the place of every source in all its
// descendants. Each place is visited once, however many sources are above it.
func Everywhere(f *hierarchy.Forest, objects *Objects) []Key {
	keys := map[Key]bool{}
	for o := range objects.All {
		keys[o.Key()] = true
	}
	inherits := map[Key]bool{}
	var descend func(namespace string, names []string)
	descend = func(namespace string, names []string) {
		for _, child := range f.Children(namespace) {
			var fresh []string
			for _, name := range names {
				if key := (Key{child, name}); !inherits[key] {
					inherits[key], keys[key] = true, true
					fresh = append(fresh, name)
				}
			}
			if len(fresh) > 0 {
				descend(child, fresh)
			}
		}
	}
	for namespace, sources := range objects.sources {
		descend(namespace, slices.Collect(maps.Keys(sources)))
	}
	return slices.SortedFunc(maps.Keys(keys), compareKeys)
}

// Awaited returns the keys in a namespace at which a copy should stand and does
// not, or stands with other content. While there are any, what the namespace
// inherits has not all arrived. None is awaited where nothing may be written.
func Awaited(f *hierarchy.Forest, objects *Objects, mode api.SynchronizationMode, namespace string) []Key {
	return slices.DeleteFunc(InNamespace(f, objects, namespace), func(key Key) bool {
		verb := Decide(f, objects, mode, key).Verb
		return verb != Create && verb != Replace
	})
}
