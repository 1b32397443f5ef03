// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"maps"
	"slices"
	"time"

	"github.com/banyan-hns/banyan/hierarchy"
)

// quarantine is how long a namespace is left alone whose key changed without a
// stamp. Whoever had it before stops as soon as its cache shows the change.
const quarantine = 2 * time.Second

// Key returns the key that a namespace belongs to, and whether it is frozen: somebody
// may still be writing under the key that it had before.
func (l *Live) Key(namespace string) (key string, frozen bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if namespace == l.home.Namespace {
		return l.home.Key, false
	}
	_, strays := l.strays[namespace]
	return l.forest.Key(namespace), strays || l.forest.Moving(namespace) != ""
}

// detain puts those into quarantine whose key changed, unless nobody else can have
// written under either. These pass: what was refused while the key changed must be
// looked at again.
func (l *Live) detain(strayed map[string]string) (detained, passed []string) {
	if len(strayed) == 0 || l.together == nil || !l.complete() {
		return nil, nil
	}
	for name, before := range strayed {
		if l.together(before, l.forest.Key(name)) {
			passed = append(passed, name)
			continue
		}
		l.strays[name] = time.Now().Add(quarantine)
		detained = append(detained, name)
	}
	return detained, passed
}

// release ends the quarantine of those whose time is over.
func (l *Live) release(names []string) {
	l.mu.Lock()
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		until, strays := l.strays[name]
		return !strays || time.Now().Before(until)
	})
	for _, name := range names {
		delete(l.strays, name)
	}
	copies, anchors := l.everythingIn(names)
	l.mu.Unlock()
	l.queueAll(names, copies, anchors)
}

// everythingIn are the places in which something may have to be written.
func (l *Live) everythingIn(namespaces []string) (copies []ObjectKey, anchors []hierarchy.AnchorKey) {
	for _, name := range namespaces {
		copies = append(copies, l.copiesIn(name)...)
		anchors = append(anchors, l.forest.AnchorsIn(name)...)
	}
	return copies, anchors
}

func (l *Live) queueAll(namespaces []string, copies []ObjectKey, anchors []hierarchy.AnchorKey) {
	for _, name := range namespaces {
		l.namespaces.add(NamespaceKey{Name: name}, priorityFresh)
	}
	l.copies.addAll(copies, priorityFresh)
	l.anchors.addAll(anchors, priorityFresh)
}

// noteMoves keeps in mind since when a namespace waits for the end of its move.
func (l *Live) noteMoves(namespace string) {
	if l.forest.Moving(namespace) != namespace {
		delete(l.moving, namespace)
	} else if _, known := l.moving[namespace]; !known {
		l.moving[namespace] = time.Now()
	}
}

// Unacknowledged is the number of moves that wait for the owner of the old key, and
// how long the oldest has.
func (l *Live) Unacknowledged() (moves int, oldest time.Duration) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for since := range maps.Values(l.moving) {
		oldest = max(oldest, time.Since(since))
	}
	return len(l.moving), oldest
}
