// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"maps"
	"time"
)

// member is what this machine knows of any member, itself included.
type member struct {
	MemberRecord
	heard      Instant // connected time when its record last changed
	changed    Instant // host time when its record last changed
	stateSince Instant // host time when its state last changed
	fencing    bool    // a fence of ours is under way
	retry      Instant // when a fence may be tried again
	deleting   bool    // we asked that its record be deleted
	keep       Instant // when that may be asked again
	strikes    int     // shards in a row that were meant for it and that it did not take
	shunned    Instant // until when it is given none
}

func (m *Machine) observeMember(record MemberRecord) {
	known, exists := m.members[record.Name]
	if exists && record.Version <= known.Version {
		return
	}
	if !exists {
		known = &member{stateSince: m.now}
		m.members[record.Name] = known
	}
	if exists && record.Holder != "" && record.Holder != known.Holder {
		known.strikes, known.shunned = 0, 0
	}
	if exists && known.State != record.State {
		known.stateSince = m.now
	}
	known.MemberRecord = record
	known.heard = m.clock.time
	known.changed = m.now
	if record.Name == m.cfg.Member {
		m.observeSelf(record)
	}
}

// observeSelf: whoever took our record away has ended this life.
func (m *Machine) observeSelf(record MemberRecord) {
	switch {
	case record.Holder == m.identity():
		m.self.registered = true
	case m.self.registered && !m.stopped:
		if m.stopping && record.Holder == "" && record.State != MemberFenced {
			m.self.registered = false // our own goodbye
			return
		}
		m.lose()
	}
}

// forgetMember: a heartbeat that was deleted fences nobody yet. Its shards are
// taken only after a fence, which waits as long as for a silent member.
func (m *Machine) forgetMember(name string) {
	known, exists := m.members[name]
	if !exists {
		return
	}
	if name == m.cfg.Member {
		delete(m.members, name)
		if m.self.registered {
			m.lose()
		}
		return
	}
	if known.Holder == "" && !m.named(name) {
		delete(m.members, name)
		return
	}
	known.Version = 0
	known.heard = m.clock.time
	known.changed = m.now
}

// expired: silent for longer than its lease, in time that we watched.
func (m *Machine) expired(other *member) bool {
	return m.clock.time-other.heard > m.cfg.LeaseDuration
}

// suppose that the holder of a shard is a member, though it has no heartbeat that
// we know of. If none appears, it is fenced as if it had been silent from now on.
func (m *Machine) suppose(holder Identity) {
	name := holder.Member()
	if _, exists := m.members[name]; exists || holder == "" {
		return
	}
	m.members[name] = &member{
		MemberRecord: MemberRecord{Name: name, Holder: holder, State: MemberFenced},
		heard:        m.clock.time, changed: m.now, stateSince: m.now,
	}
}

// fenceStagger keeps the members from racing for one fence: the first in order
// of names goes first.
const fenceStagger = 200 * time.Millisecond

// fence takes their records away from members that are silent for too long.
func (m *Machine) fence() {
	if !m.connected() || m.stopping {
		return
	}
	claimed := m.latestClaims()
	for _, name := range m.memberNames() {
		other := m.members[name]
		if name == m.cfg.Member || other.fencing || m.now < other.retry {
			continue
		}
		record := MemberRecord{Name: name, State: MemberFenced, RingKey: other.RingKey}
		claim, claims := claimed[name]
		switch {
		case other.Holder == "" && (!claims || other.Version > claim):
			continue
		case other.Holder == "" && other.Version != 0:
			// It said goodbye, or was fenced, but a shard that was written later
			// still names it. Writing the same again proves that no new life
			// began in between.
			record.State = other.State
		case !m.overdue(other):
			continue
		}
		other.fencing = true
		m.do(PutMember{Record: record, Expect: other.Version, Sent: m.now})
	}
}

// overdue: expired, and for so long that it is our turn to fence it.
func (m *Machine) overdue(other *member) bool {
	return m.expired(other) && m.clock.time-other.heard-m.cfg.LeaseDuration >= m.rank()*fenceStagger
}

// latestClaims is, per member, the latest version of a shard that names it.
func (m *Machine) latestClaims() map[string]Version {
	claims := map[string]Version{}
	for i := range m.slots {
		if s := &m.slots[i]; s.claim.holder != "" {
			name := s.claim.holder.Member()
			claims[name] = max(claims[name], s.claim.version)
		}
	}
	return claims
}

// rank is our place among the members that may fence.
func (m *Machine) rank() time.Duration {
	rank := time.Duration(0)
	for name, other := range m.members {
		if name < m.cfg.Member && other.State == MemberActive && !m.expired(other) {
			rank++
		}
	}
	return rank
}

// inRing: eligible, and active or expected back soon.
func (m *Machine) inRing(other *member) bool {
	if !m.eligible.admits(other.Name) {
		return false
	}
	switch state, since := m.standing(other); state {
	case MemberActive:
		return other.Holder != ""
	case MemberRestarting:
		return m.now-since < m.cfg.RestartGrace
	default:
		return false
	}
}

// reform computes the ring when its members have changed. A ring that grew must
// settle before newcomers are given anything.
func (m *Machine) reform() {
	seating := m.seating()
	if maps.Equal(seating, m.ring.seating) {
		return
	}
	grown := false
	for _, name := range seating {
		grown = grown || !m.ring.Has(name)
	}
	if grown {
		if m.now >= m.settled {
			m.growthSince = m.now
		}
		// Growth upon growth delays the move, but not for ever.
		m.settled = min(m.now+m.cfg.Settle, m.growthSince+3*m.cfg.Settle)
	}
	m.ring = NewSeatedRing(seating, m.cfg.Shards)
	m.ringSince = m.now
}
