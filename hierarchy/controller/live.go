// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Type is one type of objects that is propagated.
type Type struct {
	GVK  schema.GroupVersionKind
	Mode api.SynchronizationMode
}

// EnforcedTypes are propagated in every cluster; nobody can configure them.
var EnforcedTypes = []Type{
	{schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "Role"}, api.Propagate},
	{schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "RoleBinding"}, api.Propagate},
}

// NamespaceKey asks to look at one namespace; Sweep, to read it from the API
// server before.
type NamespaceKey struct {
	Name  string
	Sweep bool
}

// ObjectKey asks to look at one object, or at the place where it should be.
type ObjectKey struct {
	schema.GroupVersionKind
	Namespace, Name string
}

// Live is the forest that all parts of one replica share.
//
// Invariant: the lock is held for folding and for deciding in memory, never
// across a call to the API server. Reason: admission reads the forest, and must
// not wait for anybody's I/O.
type Live struct {
	options propagate.Options

	mu        sync.RWMutex
	forest    *hierarchy.Forest
	types     []Type
	objects   map[schema.GroupVersionKind]*propagate.Objects
	vanishing map[string]bool // definitions that go away

	namespaces *queue[NamespaceKey]
	copies     *queue[ObjectKey]
}

// NewLive returns a forest that has not seen anything yet.
func NewLive(scope hierarchy.Scope, types []Type, options propagate.Options) *Live {
	l := &Live{
		options: options, forest: hierarchy.NewForest(scope), types: types,
		objects: map[schema.GroupVersionKind]*propagate.Objects{}, vanishing: map[string]bool{},
		namespaces: newQueue[NamespaceKey](), copies: newQueue[ObjectKey](),
	}
	for _, t := range types {
		l.objects[t.GVK] = propagate.NewObjects(t.GVK)
	}
	return l
}

// Read lets a function look at the forest. It must not keep it, nor call out.
func (l *Live) Read(look func(*hierarchy.Forest)) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	look(l.forest)
}

// Key returns the key that a namespace belongs to.
func (l *Live) Key(namespace string) string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.forest.Key(namespace)
}

// SetNamespace and the following fold one object that was read or written, and
// queue what may be affected.
func (l *Live) SetNamespace(ns *corev1.Namespace) {
	l.fold(func(f *hierarchy.Forest) hierarchy.Change { return f.SetNamespace(ns) })
}

// RemoveNamespace folds the end of a namespace.
func (l *Live) RemoveNamespace(name string) {
	l.fold(func(f *hierarchy.Forest) hierarchy.Change { return f.RemoveNamespace(name) })
}

// SetConfiguration folds a HierarchyConfiguration.
func (l *Live) SetConfiguration(hc *api.HierarchyConfiguration) {
	l.fold(func(f *hierarchy.Forest) hierarchy.Change { return f.SetConfiguration(hc) })
}

// RemoveConfiguration folds the end of the HierarchyConfiguration of a namespace.
func (l *Live) RemoveConfiguration(namespace string) {
	l.fold(func(f *hierarchy.Forest) hierarchy.Change { return f.RemoveConfiguration(namespace) })
}

// SetAnchor folds a SubnamespaceAnchor.
func (l *Live) SetAnchor(anchor *api.SubnamespaceAnchor) {
	l.fold(func(f *hierarchy.Forest) hierarchy.Change { return f.SetAnchor(anchor) })
}

// RemoveAnchor folds the end of a SubnamespaceAnchor.
func (l *Live) RemoveAnchor(namespace, name string) {
	l.fold(func(f *hierarchy.Forest) hierarchy.Change { return f.RemoveAnchor(namespace, name) })
}

func (l *Live) fold(do func(*hierarchy.Forest) hierarchy.Change) {
	l.mu.Lock()
	change := do(l.forest)
	var copies []ObjectKey
	for _, namespace := range change.Objects {
		copies = append(copies, l.copiesIn(namespace)...)
	}
	l.mu.Unlock()
	for _, name := range change.Decide {
		l.namespaces.add(NamespaceKey{Name: name}, priorityFresh)
	}
	l.copies.addAll(copies, priorityFresh)
}
