// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/hierarchy"
)

// Objects are all observed objects of one type. Like the forest, they are not
// safe for concurrent use, and reading never creates.
type Objects struct {
	gvk         schema.GroupVersionKind
	options     Options
	byNamespace map[string]map[string]*Object
	sources     map[string]map[string]*Object // those of byNamespace that are no copies
	counts      Counts
}

// Counts are the numbers of objects of one type.
type Counts struct{ Copies, Sources int }

// NewObjects returns an empty set of objects of a type. The options are those of
// all decisions about them.
func NewObjects(gvk schema.GroupVersionKind, options Options) *Objects {
	return &Objects{gvk: gvk, options: options, byNamespace: map[string]map[string]*Object{}, sources: map[string]map[string]*Object{}}
}

// GVK returns the type.
func (s *Objects) GVK() schema.GroupVersionKind { return s.gvk }

// Set folds in an object, unless a newer one is known. It sums up a source here,
// since a source with many copies is compared with each of them.
func (s *Objects) Set(o *Object) {
	if known, ok := s.Get(o.Namespace, o.Name); ok && !hierarchy.Newer(o.ResourceVersion, known.ResourceVersion) {
		return
	}
	s.Remove(o.Namespace, o.Name)
	put(s.byNamespace, o)
	if o.IsCopy() {
		s.counts.Copies++
		return
	}
	o.Hash = inherited(o.Source, s.options).hash()
	put(s.sources, o)
	s.counts.Sources++
}

// Remove folds in that there is no such object.
func (s *Objects) Remove(namespace, name string) {
	known, ok := s.Get(namespace, name)
	if !ok {
		return
	}
	take(s.byNamespace, known)
	if known.IsCopy() {
		s.counts.Copies--
		return
	}
	take(s.sources, known)
	s.counts.Sources--
}

func put(index map[string]map[string]*Object, o *Object) {
	if index[o.Namespace] == nil {
		index[o.Namespace] = map[string]*Object{}
	}
	index[o.Namespace][o.Name] = o
}

func take(index map[string]map[string]*Object, o *Object) {
	delete(index[o.Namespace], o.Name)
	if len(index[o.Namespace]) == 0 {
		delete(index, o.Namespace)
	}
}

// Get returns one object.
func (s *Objects) Get(namespace, name string) (*Object, bool) {
	o, ok := s.byNamespace[namespace][name]
	return o, ok
}

// source returns an object that is no copy, or nil.
func (s *Objects) source(namespace, name string) *Object { return s.sources[namespace][name] }

// Names returns the names of all objects in a namespace, sorted.
func (s *Objects) Names(namespace string) []string {
	return slices.Sorted(maps.Keys(s.byNamespace[namespace]))
}

// All yields every object, in no order.
func (s *Objects) All(yield func(*Object) bool) {
	for _, objects := range s.byNamespace {
		for _, o := range objects {
			if !yield(o) {
				return
			}
		}
	}
}

// Counts returns how many of the objects that were folded are copies and how
// many are not, wherever they are. It costs no walk.
func (s *Objects) Counts() Counts { return s.counts }

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
