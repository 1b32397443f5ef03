// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
)

// SetObject folds one object that was read or written.
func (l *Live) SetObject(u *unstructured.Unstructured) {
	l.mu.RLock()
	k := l.kind(u.GroupVersionKind())
	l.mu.RUnlock()
	if k != nil {
		l.setObject(k, propagate.Observe(u))
	}
}

func (l *Live) setObject(k *kind, o *propagate.Object) {
	l.foldObject(k, o.Namespace, o.Name, func() {
		if !l.graves.hold(o.UID) {
			k.objects.Set(o)
		}
	})
}

func (l *Live) removeObject(k *kind, o *propagate.Object) {
	l.foldObject(k, o.Namespace, o.Name, func() {
		l.graves.bury(o.UID)
		k.objects.Remove(o.Namespace, o.Name)
	})
}

// foldObject queues the object itself; if it is or was a source, the places of its
// copies, unless they depend upon nothing that changed; and the anchor that waits
// for what it inherits.
//
// What is in a namespace that is not managed is neither source nor copy, and is
// not kept.
func (l *Live) foldObject(k *kind, namespace, name string, do func()) {
	l.mu.Lock()
	if !l.forest.Scope().Manages(namespace) {
		l.mu.Unlock()
		return
	}
	before, _ := k.objects.Get(namespace, name)
	do()
	after, _ := k.objects.Get(namespace, name)
	if before == after || !k.awake {
		l.mu.Unlock()
		return // an older view of what we know, or all will be looked at later
	}
	source := (before != nil && !before.IsCopy() || after != nil && !after.IsCopy()) &&
		!propagate.SameSource(before, after)
	keys := withGVK(k.GVK, propagate.Affected(l.forest, namespace, name, source))
	anchor, waits := l.waitingAnchor(namespace)
	l.mu.Unlock()
	l.copies.addAll(keys, priorityFresh)
	if waits {
		l.anchors.add(anchor, priorityFresh)
	}
}

// copiesIn lists everything that is, or should be, in a namespace. The caller
// holds the lock.
func (l *Live) copiesIn(namespace string) []ObjectKey {
	var keys []ObjectKey
	for _, k := range l.kinds {
		if k.awake {
			keys = append(keys, withGVK(k.GVK, propagate.InNamespace(l.forest, k.objects, namespace))...)
		}
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
	k := l.kind(key.GroupVersionKind)
	if k == nil || !k.awake {
		return propagate.Action{}
	}
	return propagate.Decide(l.forest, k.objects, k.Mode, propagate.Key{Namespace: key.Namespace, Name: key.Name})
}

// object that is known.
func (l *Live) object(gvk schema.GroupVersionKind, place propagate.Key) (*propagate.Object, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	k := l.kind(gvk)
	if k == nil {
		return nil, false
	}
	return k.objects.Get(place.Namespace, place.Name)
}

// setRefused notes that the write of a copy was refused, and why; empty: it was
// not. The anchor of the namespace tells.
func (l *Live) setRefused(key ObjectKey, why string) {
	// Nearly every copy ends here, and keeps nobody from reading.
	l.mu.RLock()
	same := l.refused[key] == why
	l.mu.RUnlock()
	if same {
		return
	}
	l.mu.Lock()
	if why == "" {
		delete(l.refused, key)
	} else {
		l.refused[key] = why
	}
	owner, owned := l.anchorOf(key.Namespace)
	l.mu.Unlock()
	if owned {
		l.anchors.add(owner, priorityFresh)
	}
}

// anchorOf a subnamespace. The caller holds the lock.
func (l *Live) anchorOf(namespace string) (hierarchy.AnchorKey, bool) {
	if !l.forest.IsSubnamespace(namespace) {
		return hierarchy.AnchorKey{}, false
	}
	key := hierarchy.AnchorKey{Namespace: l.forest.Parent(namespace), Name: namespace}
	_, found := l.forest.Anchor(key.Namespace, key.Name)
	return key, found
}

// waitingAnchor is the one that waits for what its namespace inherits, if any.
// The caller holds the lock.
func (l *Live) waitingAnchor(namespace string) (hierarchy.AnchorKey, bool) {
	key, found := l.anchorOf(namespace)
	if !found {
		return key, false
	}
	anchor, _ := l.forest.Anchor(key.Namespace, key.Name)
	return key, !tellsReady(anchor)
}
