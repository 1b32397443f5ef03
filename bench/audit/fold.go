// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/lease"
)

// fold makes the world what it is after the event.
func (w *world) fold(e *event) {
	if member, id, isMember, isShard := w.ours(e.ref); isMember || isShard {
		w.turn++
		if isMember {
			w.foldMember(w.member(member), e)
		} else {
			w.foldShard(w.shard(id), e)
		}
		return
	}
	if !shapesForest(e.ref) || !e.gone && e.object == nil {
		return
	}
	w.turn++
	w.trackMoves(e, func() hierarchy.Change {
		if !e.gone {
			return w.set(e.ref, e.object)
		}
		var all hierarchy.Change
		for _, ref := range w.removedBy(e) {
			all = all.Merge(w.remove(ref))
		}
		return all
	})
}

func (w *world) foldMember(m *memberState, e *event) {
	before := m.holder
	w.foldLease(&m.leaseState, e)
	m.feel(e, before, m.holder)
	if before != "" && m.holder != before {
		w.ended[processOf(before)] = true
	}
}

func (w *world) foldShard(s *shardState, e *event) {
	before := s.holder
	w.foldLease(&s.leaseState, e)
	anew := e.gone || s.unseen || !s.meddled.IsZero() && s.meddled.Equal(e.answered)
	if s.deleted = e.gone; e.gone {
		s.claim = before
	}
	if object, ok := e.object.(*coordinationv1.Lease); ok {
		if record, _, err := lease.DecodeShard(object); err == nil {
			anew = anew || record.Epoch != s.epoch
			s.epoch = record.Epoch
		}
	}
	if anew {
		s.tenure++
	}
}

// foldLease leaves the holder as it was if nobody knows better.
func (w *world) foldLease(l *leaseState, e *event) {
	if !e.hidden && !w.isReplica(e.writer) {
		if !recently(*l, e) {
			l.honest = l.holder
		}
		l.meddled = e.answered
	}
	object, known := e.object.(*coordinationv1.Lease)
	l.exists, l.unseen = !e.gone, !e.gone && !known
	if e.gone {
		l.holder = ""
	}
	if known {
		l.holder = holderOf(object)
	}
}

func holderOf(l *coordinationv1.Lease) shard.Identity {
	if l.Spec.HolderIdentity == nil {
		return ""
	}
	return shard.Identity(*l.Spec.HolderIdentity)
}

// shapesForest reports whether objects of this sort say where namespaces belong.
func shapesForest(ref reference) bool {
	return ref.isNamespace() || ref.group == api.Group &&
		(ref.resource == "hierarchyconfigurations" || ref.resource == "subnamespaceanchors")
}

func (w *world) set(ref reference, object metav1.Object) hierarchy.Change {
	w.objects[ref] = object
	switch o := object.(type) {
	case *corev1.Namespace:
		return w.forest.SetNamespace(o)
	case *api.HierarchyConfiguration:
		return w.forest.SetConfiguration(o)
	case *api.SubnamespaceAnchor:
		return w.forest.SetAnchor(o)
	}
	return hierarchy.Change{}
}

func (w *world) remove(ref reference) hierarchy.Change {
	delete(w.objects, ref)
	switch {
	case ref.isNamespace():
		return w.forest.RemoveNamespace(ref.name)
	case ref.resource == "subnamespaceanchors":
		return w.forest.RemoveAnchor(ref.namespace, ref.name)
	case ref.name == api.HierarchyConfigurationName:
		return w.forest.RemoveConfiguration(ref.namespace)
	}
	return hierarchy.Change{}
}

// removedBy a deletion: the object; of a collection, whatever no finalizer keeps;
// of a namespace, also all that is in it; of a definition, all of its kind.
func (w *world) removedBy(e *event) []reference {
	if e.verb != "deletecollection" && e.verb != definitionVerb && !e.ref.isNamespace() {
		return []reference{e.ref}
	}
	removed := []reference{}
	for ref, object := range w.objects {
		inside := e.ref.isNamespace() && ref.namespace == e.ref.name
		collected := e.verb == "deletecollection" && len(object.GetFinalizers()) == 0 &&
			ref.group == e.ref.group && ref.resource == e.ref.resource && ref.namespace == e.ref.namespace
		undefined := e.verb == definitionVerb && ref.group == e.ref.group && ref.resource == e.ref.resource
		if ref == e.ref || inside || collected || undefined {
			removed = append(removed, ref)
		}
	}
	return removed
}
