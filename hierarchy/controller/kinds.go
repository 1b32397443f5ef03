// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// kind is one type of objects, for as long as it is handled. If it is left out
// and named again, that is another kind, which knows nothing of the first.
type kind struct {
	propagate.Active
	objects *propagate.Objects

	// awake: everything that existed has been folded.
	//
	// Invariant: nothing is decided about a kind that is not awake. Reason: a
	// source that was not read yet looks like one that was deleted.
	awake bool

	// unwatched says why it is not watched yet, or cannot be; it is empty once it is.
	unwatched string

	// ended is closed when it is not handled any more.
	ended chan struct{}
}

// adopt makes the kinds fit a resolution. It returns those that must be watched
// from now on, and those that need no watching any more.
func (l *Live) adopt(r propagate.Resolution) (begun, ended []*kind) {
	l.mu.Lock()
	var keys []ObjectKey
	moved := false // some type is in another mode
	wanted := map[schema.GroupVersionKind]bool{}
	for _, active := range r.Active {
		if propagate.Mode(active.Mode) == api.Ignore {
			continue
		}
		wanted[active.GVK] = true
		k := l.kind(active.GVK)
		if k == nil {
			k = &kind{Active: active, objects: propagate.NewObjects(active.GVK, l.options),
				unwatched: "it has not been read yet", ended: make(chan struct{})}
			l.kinds = append(l.kinds, k)
			begun = append(begun, k)
		}
		changed := propagate.Mode(k.Mode) != propagate.Mode(active.Mode)
		moved = moved || changed
		k.Active = active
		if changed && k.awake {
			keys = append(keys, l.everywhere(k)...)
		}
	}
	l.kinds = slices.DeleteFunc(l.kinds, func(k *kind) bool {
		if wanted[k.GVK] {
			return false
		}
		close(k.ended)
		ended = append(ended, k)
		return true
	})
	l.resolution = r
	var waiting []hierarchy.AnchorKey
	if moved || len(begun)+len(ended) > 0 {
		waiting = l.waitingAnchors()
	}
	l.mu.Unlock()
	l.copies.addAll(keys, priorityFresh)
	l.anchors.addAll(waiting, priorityFresh)
	l.lookAtCluster()
	return begun, ended
}

// awaken is called when everything of a kind has been folded.
func (l *Live) awaken(k *kind) {
	l.mu.Lock()
	k.awake = true
	keys, waiting := l.everywhere(k), l.waitingAnchors()
	l.mu.Unlock()
	l.copies.addAll(keys, priorityFresh)
	l.anchors.addAll(waiting, priorityFresh)
	l.lookAtCluster()
}

// everywhere lists all places of a kind. The caller holds the lock.
func (l *Live) everywhere(k *kind) []ObjectKey {
	return withGVK(k.GVK, propagate.Everywhere(l.forest, k.objects))
}

// waitingAnchors lists the anchors that do not say yet that everything has
// arrived. The caller holds the lock.
func (l *Live) waitingAnchors() []hierarchy.AnchorKey {
	var keys []hierarchy.AnchorKey
	for _, namespace := range l.forest.Namespaces() {
		for _, anchor := range l.forest.Anchors(namespace) {
			if !tellsReady(anchor) {
				keys = append(keys, hierarchy.AnchorKey{Namespace: namespace, Name: anchor.Name})
			}
		}
	}
	return keys
}

// kind of a type, nil if it is not handled. The caller holds the lock.
func (l *Live) kind(gvk schema.GroupVersionKind) *kind {
	for _, k := range l.kinds {
		if k.GVK == gvk {
			return k
		}
	}
	return nil
}

// watchedTypes are those that can be listed.
func (l *Live) watchedTypes() []schema.GroupVersionKind {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var types []schema.GroupVersionKind
	for _, k := range l.kinds {
		if k.unwatched == "" {
			types = append(types, k.GVK)
		}
	}
	return types
}

// setUnwatched notes why a kind cannot be watched; empty: it is.
func (l *Live) setUnwatched(k *kind, why string) {
	l.mu.Lock()
	changed := k.unwatched != why
	k.unwatched = why
	l.mu.Unlock()
	if changed {
		l.lookAtCluster()
	}
}

// SetHNCConfiguration folds what the cluster's configuration says.
func (l *Live) SetHNCConfiguration(c *api.HNCConfiguration) {
	l.mu.Lock()
	known := l.configuration
	if c.Name != api.HNCConfigurationName || l.graves.hold(c.UID) ||
		known != nil && !hierarchy.Newer(c.ResourceVersion, known.ResourceVersion) {
		l.mu.Unlock()
		return
	}
	l.configuration = c
	l.mu.Unlock()
	// The counters of a status that has just been written are old again. Only the
	// spec, and whether there is one, are worth a look at once.
	if known == nil || !equality.Semantic.DeepEqual(known.Spec, c.Spec) {
		l.lookAtCluster()
		l.doubtKinds()
	}
}

// RemoveHNCConfiguration folds that there is none any more.
func (l *Live) RemoveHNCConfiguration(c *api.HNCConfiguration) {
	if c.Name != api.HNCConfigurationName {
		return
	}
	l.mu.Lock()
	l.graves.bury(c.UID)
	l.configuration = nil
	l.mu.Unlock()
	l.lookAtCluster()
	l.doubtKinds()
}

// doubtKinds asks for a look at whether the kinds fit the configuration and the
// API server.
func (l *Live) doubtKinds() {
	select {
	case l.stale <- struct{}{}:
	default:
	}
}

// hncConfiguration that was seen last, nil if there is none.
func (l *Live) hncConfiguration() *api.HNCConfiguration {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.configuration
}
