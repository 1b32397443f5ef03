// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/banyan-hns/banyan/hierarchy"
)

// Objects are all observed objects of one type. Like the forest, they are not
// safe for concurrent use, and reading never creates.
type Objects struct {
	gvk         schema.GroupVersionKind
	byNamespace map[string]map[string]*Object
}

// NewObjects returns an empty set of objects of a type.
func NewObjects(gvk schema.GroupVersionKind) *Objects {
	return &Objects{gvk: gvk, byNamespace: map[string]map[string]*Object{}}
}

// GVK returns the type.
func (s *Objects) GVK() schema.GroupVersionKind { return s.gvk }

// Set folds in an object, unless a newer one is known.
func (s *Objects) Set(o *Object) {
	if known, ok := s.Get(o.Namespace, o.Name); ok && !newer(o.ResourceVersion, known.ResourceVersion) {
		return
	}
	if s.byNamespace[o.Namespace] == nil {
		s.byNamespace[o.Namespace] = map[string]*Object{}
	}
	s.byNamespace[o.Namespace][o.Name] = o
}

func newer(version, known string) bool {
	order, err := resourceversion.CompareResourceVersion(version, known)
	return err != nil || order > 0
}

// Remove folds in that there is no such object.
func (s *Objects) Remove(namespace, name string) {
	delete(s.byNamespace[namespace], name)
	if len(s.byNamespace[namespace]) == 0 {
		delete(s.byNamespace, namespace)
	}
}

// Get returns one object.
func (s *Objects) Get(namespace, name string) (*Object, bool) {
	o, ok := s.byNamespace[namespace][name]
	return o, ok
}

// Names returns the names of all objects in a namespace, sorted.
func (s *Objects) Names(namespace string) []string {
	return slices.Sorted(maps.Keys(s.byNamespace[namespace]))
}

// Count returns the number of copies and of sources, for the status.
func (s *Objects) Count() (copies, sources int) {
	for _, objects := range s.byNamespace {
		for _, o := range objects {
			if o.IsCopy() {
				copies++
			} else {
				sources++
			}
		}
	}
	return copies, sources
}

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
		for name, o := range objects.byNamespace[ancestor] {
			if !o.IsCopy() {
				keys[Key{namespace, name}] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(keys), compareKeys)
}

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
