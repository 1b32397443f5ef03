// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shardtest

import (
	"fmt"

	"github.com/banyan-hns/banyan/shard"
)

func (w *World) fault(format string, args ...any) {
	w.faults = append(w.faults, fmt.Sprintf("%v: ", w.now)+fmt.Sprintf(format, args...))
}

// check I1 and I6: at most one member may write for a shard, and that one knows what
// is in it.
func (w *World) check() {
	writers := map[shard.ID]string{}
	for _, name := range sorted(w.members) {
		m := w.members[name]
		for _, id := range sorted(m.held) {
			if !w.owns(m, id) {
				continue
			}
			if other, taken := writers[id]; taken {
				w.fault("I1: %s and %s may both write for shard %d", other, name, id)
			}
			writers[id] = name
			if m.gaps.stale(id) && w.Broken.knows(m.holding, id) {
				w.fault("I6: %s may write for shard %d with what it knew at %v", name, id, m.gaps.known[id])
			}
		}
	}
}

// checkFence I5: whoever loses its heartbeat to another may not write.
func (w *World) checkFence(put shard.PutMember) {
	if put.Record.State != shard.MemberFenced {
		return
	}
	m := w.members[put.Record.Name]
	for _, id := range sorted(m.held) {
		if w.owns(m, id) {
			w.fault("I5: %s was fenced while it could write for shard %d", m.name, id)
			return
		}
	}
}

// checkTransition I3 and I4: legal changes of a shard's record only. One that was
// deleted has no epoch to go on from but what its last holder remembers.
func (w *World) checkTransition(author shard.Identity, before, after shard.Record) {
	if after.Holder == before.Holder {
		return
	}
	if after.Holder == "" {
		if author != before.Holder && w.store.members[before.Holder.Member()].Holder == before.Holder {
			w.fault("I3: shard %d of %s was given away by %s", after.ID, before.Holder, author)
		}
		return
	}
	if after.Epoch <= before.Epoch || before.Version != 0 && after.Epoch != before.Epoch+1 {
		w.fault("I4: shard %d went from epoch %d to %d", after.ID, before.Epoch, after.Epoch)
	}
	if before.Holder == "" {
		return
	}
	heartbeat := w.store.members[before.Holder.Member()]
	if heartbeat.Holder == before.Holder {
		w.fault("I3: shard %d was taken from %s, whose heartbeat is its own", after.ID, before.Holder)
	}
}

// checkInFlight I2: whoever is given a shard finds no write of another process
// in flight, and whoever gives it back leaves none. Those of a process that was
// killed end with its connection.
func (w *World) checkInFlight(taker *Member, before, after shard.Record) {
	if after.Holder == before.Holder {
		return
	}
	for _, name := range sorted(w.members) {
		m := w.members[name]
		if m == taker && after.Holder != "" || !m.alive {
			continue
		}
		end := m.inflight[after.ID]
		if _, open := m.held[after.ID]; open {
			end = min(w.now, m.deadline) + w.Broken.writeTime(w.Config)
		}
		if end > w.now {
			w.fault("I2: %s wrote another holder of shard %d while writes of %s may be in flight until %v", taker.name, after.ID, name, end)
		}
	}
}
