// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"time"

	"github.com/banyan-hns/banyan/hierarchy"
)

// KeyNow returns the key that a namespace belongs to, and whether the namespace exists.
func (l *Live) KeyNow(namespace string) (key string, exists bool) {
	l.Read(func(f *hierarchy.Forest) {
		key, exists = l.home.instead(namespace, f.Key(namespace)), f.Exists(namespace)
	})
	return key, exists
}

// Census counts the namespaces of each key. It walks over the whole forest: whoever asks
// often should keep the answer for a while.
func (l *Live) Census() map[string]int {
	keys := map[string]int{}
	l.Read(func(f *hierarchy.Forest) {
		for _, namespace := range f.Namespaces() {
			keys[l.home.instead(namespace, f.Key(namespace))]++
		}
	})
	return keys
}

// Waiting is the time that each namespace which waits to be read again has been in the
// queue; 0 if it is not yet.
func (r *Resync) Waiting() map[string]time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	waiting := make(map[string]time.Duration, len(r.pending))
	for name, queued := range r.pending {
		waiting[name] = 0
		if !queued.IsZero() {
			waiting[name] = time.Since(queued)
		}
	}
	return waiting
}
