// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"fmt"

	"github.com/banyan-hns/banyan/shard"
)

// owner is C1: whoever writes holds the shard of the key that the namespace has at
// that revision. It holds it if the Lease of the shard names a life of the process
// that writes, and the heartbeat of its Pod names the same life.
func owner(w *world, e *event) finding {
	key := w.key(e.ref)
	f := w.holds(e.writer, key, e)
	if f.verdict != violates {
		return f
	}
	for _, before := range w.movedFrom(e) {
		if w.holds(e.writer, before, e).verdict == allowed {
			return finding{verdict: moving, why: fmt.Sprintf("its key was %q until just now", before)}
		}
	}
	if w.dissolves(e) {
		return finding{verdict: unclear, why: "the definition of what places it is being deleted"}
	}
	return f
}

// holds finds out whether the writer holds the shard of a key.
func (w *world) holds(r writer, key string, e *event) finding {
	id := shard.Of(key, w.cfg.Shards)
	s := w.shard(id)
	if holder, valid := w.valid(id); valid && r.lives(holder) {
		return finding{verdict: allowed}
	}
	why := fmt.Sprintf("key %q is in shard %d, and %s", key, id, w.whyNot(r, id))
	switch {
	case s.unseen || w.member(r.pod).unseen:
		return finding{verdict: unclear, why: why}
	case w.heldHonestly(r, s, e):
		return finding{verdict: meddled, why: why}
	}
	return finding{verdict: violates, why: why}
}

// heldHonestly: it would hold the shard, had nobody meddled with Leases just now.
func (w *world) heldHonestly(r writer, s *shardState, e *event) bool {
	shardHolder, memberHolder := s.holder, w.member(r.pod).holder
	touched := false
	if recently(s.leaseState, e) {
		shardHolder, touched = s.honest, true
	}
	if m := w.member(r.pod).leaseState; recently(m, e) {
		memberHolder, touched = m.honest, true
	}
	return touched && r.lives(shardHolder) && shardHolder == memberHolder
}

func recently(l leaseState, e *event) bool {
	return !l.meddled.IsZero() && e.answered.Sub(l.meddled) <= patience
}

func (w *world) whyNot(r writer, id shard.ID) string {
	holder := w.shard(id).holder
	if holder == "" {
		return "nobody holds it"
	}
	if !r.lives(holder) {
		return fmt.Sprintf("its holder is %s", holder)
	}
	switch now := w.member(r.pod).holder; {
	case !w.member(r.pod).exists:
		return fmt.Sprintf("its holder %s has no heartbeat", holder)
	case now == "":
		return fmt.Sprintf("its holder %s has been fenced, or has said goodbye", holder)
	default:
		return fmt.Sprintf("the heartbeat of its holder %s names %s", holder, now)
	}
}
