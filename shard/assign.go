// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import "time"

// Patience of the members for which a vacant shard is not meant. An unowned
// shard never depends on one process for long.
const (
	secondPatience = 1 * time.Second
	anyPatience    = 3 * time.Second
)

// assign moves each shard one step towards its holder in the ring.
func (m *Machine) assign() {
	if !m.listed {
		return
	}
	budget := m.budget()
	for i := range m.slots {
		s := &m.slots[i]
		if vacant := m.vacancy(s); vacant != s.vacant {
			s.vacant, s.vacantSince = vacant, m.now
		}
		if s.writing || m.now < s.retry {
			continue
		}
		if !m.mine(s) {
			m.acquire(s)
			continue
		}
		m.keep(s, &budget)
	}
}

// keep drives a shard that is ours.
func (m *Machine) keep(s *slot, budget *budget) {
	switch s.state {
	case Idle, Acquiring:
		m.warm(s)
	case Suspended, Warming, Owned:
		if m.stopping || s.state == Owned && m.shouldMove(s, budget) {
			if s.state == Owned {
				m.do(Closed{ID: s.id, Into: Draining})
			}
			s.enter(Draining, m.now)
			m.do(Drain{ID: s.id, Epoch: s.record.Epoch})
			budget.spend(m.ring.Owner(s.id))
		} else if s.state == Suspended {
			m.warm(s)
		}
	case Draining:
	case Releasing:
		m.release(s)
	}
}

// shouldMove: the ring wants it elsewhere, has settled, the other side sees the
// same ring and takes what it is given, and not too much is on its way.
func (m *Machine) shouldMove(s *slot, budget *budget) bool {
	owner := m.ring.Owner(s.id)
	if owner == "" || owner == m.cfg.Member || m.now < m.settled {
		return false
	}
	target := m.members[owner]
	return target.State == MemberActive && target.RingKey == m.ring.Key() && !m.expired(target) &&
		m.now >= target.shunned && budget.allows(target)
}

// release gives a drained shard back; a member that restarts and keeps its place, to
// itself.
//
// Invariant: the shard stays closed from here on, even if the outcome is unknown.
// Reason: the release may be done late, and another may hold it then.
func (m *Machine) release(s *slot) {
	to := m.ring.Owner(s.id)
	if m.stopping && m.ring.Has(m.cfg.Member) {
		to = m.cfg.Member
	}
	m.put(s, Record{ID: s.id, Epoch: s.record.Epoch, HandoffTo: to, Reason: s.record.Reason})
}

// acquire asks for a vacant shard, if it is our turn.
func (m *Machine) acquire(s *slot) {
	if s.state == Acquiring {
		s.enter(Idle, m.now)
	}
	self, known := m.members[m.cfg.Member]
	mayHold := m.self.registered && known && self.State == MemberActive && !m.stopping && m.now < m.self.deadline
	if !mayHold || s.vacant == held || m.now < m.turn(s) {
		return
	}
	reason := map[vacancy]Reason{free: ReasonFree, meant: ReasonHandover, orphaned: ReasonTakeover}[s.vacant]
	s.enter(Acquiring, m.now)
	m.put(s, Record{ID: s.id, Holder: m.identity(), Epoch: s.record.Epoch + 1, Reason: reason})
}

// never is later than any clock will show.
const never = Instant(1<<63 - 1)

// turn is when this member may ask for a vacant shard: its owner in the ring at
// once, the next one after a second, anybody after three.
func (m *Machine) turn(s *slot) Instant {
	if s.vacant == free && s.claim.holder == m.identity() {
		return m.now // our own, deleted
	}
	from := max(s.vacantSince, m.ringSince, m.unsureUntil(s))
	owner := m.ring.Owner(s.id)
	switch s.vacant {
	case meant:
		// Whoever it is meant for need not wait for anything.
		if m.ring.Has(s.record.HandoffTo) {
			owner, from = s.record.HandoffTo, s.vacantSince
		}
	case free:
		from = max(from, m.settled)
	}
	if owner == m.cfg.Member {
		return from
	}
	if other, exists := m.members[owner]; exists {
		// A member that restarts is waited for; its grace ends by leaving the
		// ring. Once it is back, our patience begins.
		if other.State == MemberRestarting {
			return never
		}
		from = max(from, other.stateSince)
	}
	if m.ring.Second(s.id) == m.cfg.Member {
		return from + secondPatience
	}
	return from + anyPatience
}

// unsureUntil is when a shard without a record is known to be free. Somebody
// deleted it, perhaps before its holder knows; that holder has written it anew
// within a lease, or has stopped, and its last write has ended within the guard.
func (m *Machine) unsureUntil(s *slot) Instant {
	if s.record.Version != 0 || s.missed == 0 {
		return 0
	}
	return s.missed + m.cfg.LeaseDuration + m.cfg.Guard
}

func (m *Machine) put(s *slot, record Record) {
	s.writing = true
	m.do(PutShard{Record: record, Expect: s.record.Version})
}
