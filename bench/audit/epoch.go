// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"fmt"

	"github.com/banyan-hns/banyan/shard"
)

// epoch is one tenure of a shard. Records that are made anew may repeat a number,
// so tenures are counted.
type epoch struct {
	id     shard.ID
	tenure int
}

// author is who wrote first in a namespace, within an epoch.
type author struct {
	epoch
	process string
}

func (w *world) epochOf(e *event) epoch {
	id := shard.Of(w.key(e.ref), w.cfg.Shards)
	return epoch{id, w.shard(id).tenure}
}

// single is C10: within one epoch of its shard, a namespace gets writes from one
// process only. It asks nothing of who that is, so it catches what C1 would not if
// the Leases themselves were wrong. A write that C1 allows with a reason is no
// evidence here.
func single(w *world, e *event) finding {
	if e.ref.home() == "" {
		return finding{verdict: allowed, idle: true}
	}
	first, known := w.authors[e.ref.home()]
	now := e.writer.String()
	if !known || first.process == now || first.epoch != w.epochOf(e) {
		return finding{verdict: allowed}
	}
	if f := owner(w, e); f.verdict != allowed && f.verdict != violates {
		return f
	}
	return finding{verdict: violates, why: fmt.Sprintf("%s has written there in the same epoch of shard %d", first.process, first.id)}
}

// wrote notes the author of an epoch, if it is certain to which the write belongs.
func (w *world) wrote(s *suspect) {
	home := s.ref.home()
	if byOwner := s.findings[0].verdict; home == "" || !s.certain || byOwner != allowed && byOwner != violates {
		return
	}
	if first, known := w.authors[home]; !known || first.epoch != s.epoch {
		w.authors[home] = author{s.epoch, s.writer.String()}
	}
}
