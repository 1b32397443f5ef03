// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/hierarchy/propagate"
)

// SetObject folds one object of a propagated type.
func (l *Live) SetObject(u *unstructured.Unstructured) {
	object := propagate.Observe(u)
	l.foldObject(u.GroupVersionKind(), object.Namespace, object.Name, func(objects *propagate.Objects) { objects.Set(object) })
}

// RemoveObject folds the end of one object.
func (l *Live) RemoveObject(gvk schema.GroupVersionKind, namespace, name string) {
	l.foldObject(gvk, namespace, name, func(objects *propagate.Objects) { objects.Remove(namespace, name) })
}

// foldObject queues the object itself, and, if it is or was a source, the places
// of its copies.
func (l *Live) foldObject(gvk schema.GroupVersionKind, namespace, name string, do func(*propagate.Objects)) {
	l.mu.Lock()
	objects, known := l.objects[gvk]
	if !known {
		l.mu.Unlock()
		return
	}
	before, _ := objects.Get(namespace, name)
	do(objects)
	after, _ := objects.Get(namespace, name)
	if before == after {
		l.mu.Unlock()
		return // an older view of what we know
	}
	source := before != nil && before.InheritedFrom == "" || after != nil && after.InheritedFrom == ""
	keys := withGVK(gvk, propagate.Affected(l.forest, namespace, name, source))
	l.mu.Unlock()
	l.copies.addAll(keys, priorityFresh)
}

// copiesIn lists everything that is, or should be, in a namespace. The caller
// holds the lock.
func (l *Live) copiesIn(namespace string) []ObjectKey {
	var keys []ObjectKey
	for _, t := range l.types {
		keys = append(keys, withGVK(t.GVK, propagate.InNamespace(l.forest, l.objects[t.GVK], namespace))...)
	}
	return keys
}

func withGVK(gvk schema.GroupVersionKind, keys []propagate.Key) []ObjectKey {
	all := make([]ObjectKey, len(keys))
	for i, key := range keys {
		all[i] = ObjectKey{gvk, key.Namespace, key.Name}
	}
	return all
}

// decideObject says what shall become of one copy.
func (l *Live) decideObject(key ObjectKey) propagate.Action {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, t := range l.types {
		if t.GVK == key.GroupVersionKind {
			return propagate.Decide(l.forest, l.objects[t.GVK], t.Mode, l.options, propagate.Key{Namespace: key.Namespace, Name: key.Name})
		}
	}
	return propagate.Action{}
}

// parent of a namespace; empty for a root.
func (l *Live) parent(namespace string) string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.forest.Parent(namespace)
}
