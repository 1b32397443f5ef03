// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

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

// ClusterKey asks to look at what the cluster has once.
type ClusterKey struct{}

// Live is what all parts of one replica know: the forest, and the objects of the
// types that are propagated.
//
// Invariant: the lock is held for folding and for deciding in memory, never
// across a call to the API server. Reason: admission reads the forest, and must
// not wait for anybody's I/O.
type Live struct {
	options propagate.Options
	home    Home

	mu            sync.RWMutex
	forest        *hierarchy.Forest
	graves        graves
	listed        string          // resourceVersion of the latest list of all HierarchyConfigurations
	vanishing     map[string]bool // definitions that go away
	configuration *api.HNCConfiguration
	resolution    propagate.Resolution
	kinds         []*kind
	refused       map[ObjectKey]string // writes, and why
	stale         chan struct{}        // the kinds may not fit the configuration any more
	moving        map[string]time.Time // since when moves wait for their end
	strays        map[string]time.Time // until when nothing is written into them
	together      func(before, after string) bool
	complete      func() bool
	strayed       atomic.Int64 // how many ever did

	namespaces *queue[NamespaceKey]
	anchors    *queue[hierarchy.AnchorKey]
	copies     *queue[ObjectKey]
	cluster    *queue[ClusterKey]
	admission  *queue[ClusterKey]
}

// NewLive returns a forest that has not seen anything yet.
func NewLive(scope hierarchy.Scope, options propagate.Options, home Home) *Live {
	return &Live{
		options: options, home: home, forest: hierarchy.NewForest(scope),
		vanishing: map[string]bool{}, refused: map[ObjectKey]string{},
		stale:  make(chan struct{}, 1),
		moving: map[string]time.Time{}, strays: map[string]time.Time{},
		namespaces: newQueue[NamespaceKey](), anchors: newQueue[hierarchy.AnchorKey](),
		copies: newQueue[ObjectKey](), cluster: newQueue[ClusterKey](), admission: newQueue[ClusterKey](),
	}
}

// lookAtCluster asks for a look at what the cluster has once.
func (l *Live) lookAtCluster() {
	l.cluster.add(ClusterKey{}, priorityFresh)
	l.admission.add(ClusterKey{}, priorityFresh)
}

// Read lets a function look at the forest. It must not keep it, nor call out.
func (l *Live) Read(look func(*hierarchy.Forest)) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	look(l.forest)
}

// Home is Banyan's own namespace. What is in it is about the whole cluster, and has
// this key, whatever its tree.
type Home struct{ Namespace, Key string }

func (h Home) instead(namespace, key string) string {
	if namespace == h.Namespace {
		return h.Key
	}
	return key
}

// Together tells which pairs of keys nobody else can have written under, so that a
// namespace may go from the one to the other at once, and whether the forest is
// complete: before it is, keys change because of what is learned, not of what
// happens. Call it before anything is folded; by default no move is looked at.
func (l *Live) Together(together func(before, after string) bool, complete func() bool) {
	l.together, l.complete = together, complete
}

// SetNamespace and the following fold one object that was read or written, and
// queue what may be affected.
func (l *Live) SetNamespace(ns *corev1.Namespace) {
	l.set(ns, func(f *hierarchy.Forest) hierarchy.Change { return f.SetNamespace(ns) })
}

// RemoveNamespace folds the end of a namespace.
func (l *Live) RemoveNamespace(ns *corev1.Namespace) {
	l.end(ns, func(f *hierarchy.Forest) hierarchy.Change { return f.RemoveNamespace(ns.Name) })
}

// SetConfiguration folds a HierarchyConfiguration, unless a list of all of them has
// told already that it is no more.
func (l *Live) SetConfiguration(hc *api.HierarchyConfiguration) {
	l.set(hc, func(f *hierarchy.Forest) hierarchy.Change {
		if f.Observe(hc.Namespace).Configuration == nil && !hierarchy.Newer(hc.ResourceVersion, l.listed) {
			return hierarchy.Change{}
		}
		return f.SetConfiguration(hc)
	})
}

// RemoveConfiguration folds the end of a HierarchyConfiguration. What a list brought
// meanwhile in its place stays.
func (l *Live) RemoveConfiguration(hc *api.HierarchyConfiguration) {
	l.end(hc, func(f *hierarchy.Forest) hierarchy.Change {
		if known := f.Observe(hc.Namespace).Configuration; known == nil || known.UID != hc.UID {
			return hierarchy.Change{}
		}
		return f.RemoveConfiguration(hc.Namespace)
	})
}

// SetAnchor folds a SubnamespaceAnchor.
func (l *Live) SetAnchor(anchor *api.SubnamespaceAnchor) {
	l.set(anchor, func(f *hierarchy.Forest) hierarchy.Change { return f.SetAnchor(anchor) })
}

// RemoveAnchor folds the end of a SubnamespaceAnchor.
func (l *Live) RemoveAnchor(anchor *api.SubnamespaceAnchor) {
	l.end(anchor, func(f *hierarchy.Forest) hierarchy.Change { return f.RemoveAnchor(anchor.Namespace, anchor.Name) })
}

// set folds an object, unless it has ended.
func (l *Live) set(o metav1.Object, do func(*hierarchy.Forest) hierarchy.Change) {
	l.fold(func(f *hierarchy.Forest) hierarchy.Change {
		if l.graves.hold(o.GetUID()) {
			return hierarchy.Change{}
		}
		return do(f)
	})
}

// end folds the end of an object.
func (l *Live) end(o metav1.Object, do func(*hierarchy.Forest) hierarchy.Change) {
	l.fold(func(f *hierarchy.Forest) hierarchy.Change {
		l.graves.bury(o.GetUID())
		return do(f)
	})
}

func (l *Live) fold(do func(*hierarchy.Forest) hierarchy.Change) {
	l.mu.Lock()
	change := do(l.forest)
	for _, name := range change.Decide {
		l.noteMoves(name)
	}
	detained, passed := l.detain(change.Strayed)
	moved := append(passed, change.Moved...)
	copies, anchors := l.everythingIn(moved)
	for _, namespace := range change.Objects {
		copies = append(copies, l.copiesIn(namespace)...)
	}
	l.mu.Unlock()
	l.queueAll(append(moved, change.Decide...), copies, append(anchors, change.Anchors...))
	if len(detained) > 0 {
		l.strayed.Add(int64(len(detained)))
		time.AfterFunc(quarantine, func() { l.release(detained) })
	}
}
