// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/utils/ptr"

	"github.com/banyan-hns/banyan/shard"
)

// pulse is what the silence of a life is told by.
type pulse struct {
	// beat is the latest time before which the last heartbeat certainly was not
	// written.
	beat time.Time
	// lease is how long that life wants to be believed, 0 if the log does not tell. The
	// record has whole seconds, of which there is at least one.
	lease time.Duration
}

// feel the pulse in a write of a heartbeat, after which the record names a life.
//
// Invariant: beat is never later than the heartbeat. Reason: the request arrived
// before it was carried out, and what has no such time of its own (it is known from
// its consequences, or from a watch) came after the write that it followed.
func (p *pulse) feel(e *event, before, life shard.Identity) {
	if !e.hidden && e.received.After(p.beat) {
		p.beat = e.received
	}
	if before != life {
		p.lease = 0
	}
	if l, known := e.object.(*coordinationv1.Lease); known && e.writer.lives(life) {
		p.lease = time.Duration(ptr.Deref(l.Spec.LeaseDurationSeconds, 0)) * time.Second
	}
}

// tooEarly is the other half of C3: a replica ends the life of another only when that
// was silent for a whole lease. It is applied to a write right before it is folded, and
// reports whether there was something to judge, and what is wrong with it.
//
// Whoever ends a life has seen its last heartbeat, and then waited. So the silence
// is at most what lies between the arrivals of both requests. The same instance may
// end a life at once: its former process is gone.
func tooEarly(w *world, e *event) (judged bool, fault string) {
	life := w.endedBy(e)
	if life == "" || e.hidden || !w.isReplica(e.writer) || e.writer.instanceOf(life) {
		return false, ""
	}
	name, _, _, _ := w.ours(e.ref)
	m := w.member(name)
	if m.unseen || m.lease == 0 {
		return false, ""
	}
	if silence := e.received.Sub(m.beat); silence < m.lease {
		return true, fmt.Sprintf("it ended the life %s, which was silent for %v of the %v of its lease", life, silence, m.lease)
	}
	return true, ""
}

// endedBy returns the life that a write of a heartbeat ends, if it is not that one's
// own doing.
func (w *world) endedBy(e *event) shard.Identity {
	name, _, isMember, _ := w.ours(e.ref)
	if !isMember {
		return ""
	}
	life := w.member(name).holder
	var now shard.Identity
	if l, known := e.object.(*coordinationv1.Lease); known {
		now = holderOf(l)
	} else if !e.gone {
		return ""
	}
	if now == life || e.writer.lives(life) {
		return ""
	}
	return life
}
