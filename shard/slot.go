// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

// State of a shard in one member.
type State int

// A shard goes round: Idle, Acquiring, Warming, Owned, Draining, Releasing, Idle. From
// Warming and Owned it may come to be Suspended, and from there goes on to Warming.
const (
	// Idle: not ours, and we are not asking for it.
	Idle State = iota
	// Acquiring: we asked for it.
	Acquiring
	// Suspended: the record names us, but we were out of touch. It is closed until our
	// heartbeat is good again.
	Suspended
	// Warming: it is ours; we wait until we know what is in it.
	Warming
	// Owned: it is ours, and open for writes.
	Owned
	// Draining: closed; writes in flight are awaited.
	Draining
	// Releasing: closed, nothing in flight; we are giving it back.
	Releasing
)

var states = [...]string{"idle", "acquiring", "suspended", "warming", "owned", "draining", "releasing"}

func (s State) String() string { return states[s] }

// slot is one shard as one member sees it.
type slot struct {
	id          ID
	record      Record
	claim       claim // the latest holder, also when the record was deleted
	state       State
	since       Instant // when state last changed
	writing     bool    // a write of the record is under way
	retry       Instant // when a write may be tried again
	missed      Instant // when we first missed a record that should exist
	deleted     Version // up to here, an answer said, it exists no more
	vacant      vacancy
	vacantSince Instant
	changed     Instant // when the record last changed
	given       bool    // we gave it back, and nobody has taken it since
	warming     int64   // the epoch for which a Warm is under way
	opened      int64   // the epoch in which it was opened last
}

// claim is what the record of a shard said last of a holder.
type claim struct {
	holder  Identity
	version Version
}

func (s *slot) enter(state State, now Instant) { s.state, s.since = state, now }

// vacancy says whether a shard may be taken, and from whom.
type vacancy int

const (
	held     vacancy = iota
	free             // nobody holds it
	meant            // nobody holds it, and the last holder said for whom it is
	orphaned         // the life that held it is over
)

// vacancy of a shard.
//
// Invariant: a shard with a holder is vacant only if the heartbeat record of that
// member, in a version later than the shard's, names another life, or none.
// Reason: that record changes by compare-and-swap only, so the holder cannot have
// renewed it since. A heartbeat that is older than the shard's record proves
// nothing: we may not have seen yet that a new life began and took the shard.
//
// A record that was deleted by hand releases nobody: the holder writes it anew.
func (m *Machine) vacancy(s *slot) vacancy {
	if s.claim.holder == "" {
		if s.record.HandoffTo != "" {
			return meant
		}
		return free
	}
	if s.record.Version == 0 && s.claim.holder == m.identity() {
		return free
	}
	holder, exists := m.members[s.claim.holder.Member()]
	if exists && holder.Version > s.claim.version && holder.Holder != s.claim.holder {
		return orphaned
	}
	return held
}

// mine: the record names this life.
func (m *Machine) mine(s *slot) bool {
	return m.self.registered && s.record.Holder == m.identity()
}

// seeShard: the watch may bring a state that is older than a deletion of which an
// answer told us; that one does not count any more.
func (m *Machine) seeShard(record Record) {
	if record.ID < 0 || int(record.ID) >= len(m.slots) || record.Version <= m.slots[record.ID].deleted {
		return
	}
	m.observeShard(record)
}

func (m *Machine) observeShard(record Record) {
	s := &m.slots[record.ID]
	if record.Version <= s.record.Version {
		return
	}
	m.judge(s.record, record)
	s.record = record
	s.changed = m.now
	s.given = s.given && record.Holder == ""
	s.claim = claim{record.Holder, record.Version}
	m.suppose(record.Holder)
	if s.state != Acquiring && !m.mine(s) {
		m.drop(s)
	}
}

// forgetShard: a record was deleted. The epoch goes on, and so does the claim.
func (m *Machine) forgetShard(id ID) {
	if id < 0 || int(id) >= len(m.slots) {
		return
	}
	s := &m.slots[id]
	if s.record.Version == 0 {
		return
	}
	s.record = Record{ID: id, Epoch: s.record.Epoch}
	s.missed = m.now
	if s.state == Releasing {
		// It may be released already, and another's.
		s.claim = claim{}
	}
	m.drop(s)
}

// drop closes a shard that is no longer ours, whatever we were doing with it.
func (m *Machine) drop(s *slot) {
	if s.state == Idle {
		return
	}
	if s.state >= Owned {
		m.do(Closed{ID: s.id})
	}
	s.enter(Idle, m.now)
}

func (m *Machine) shardWritten(e ShardWritten) {
	s := &m.slots[e.Put.Record.ID]
	s.writing = false
	switch {
	case e.Outcome == Unknown:
		// Tried again with the same version; at most one of the two is done.
		s.retry = m.now + m.retryPeriod()
		return
	case e.Outcome == Lost && e.Record.Version == 0:
		s.retry = m.now + m.retryPeriod()
		s.deleted = max(s.deleted, s.record.Version)
		m.forgetShard(s.id)
	case e.Outcome == Done && e.Put.Expect != 0 && s.record.Version == 0:
		// It was deleted after it was written, and we heard of that first.
		s.record.Epoch = e.Record.Epoch
		s.claim = claim{e.Record.Holder, e.Record.Version}
	default:
		m.observeShard(e.Record)
		s.given = e.Outcome == Done && s.record.Version == e.Record.Version && e.Record.Holder == ""
	}
	if s.state == Acquiring && !m.mine(s) {
		s.enter(Idle, m.now)
	}
}

func (m *Machine) drained(e Drained) {
	s := &m.slots[e.ID]
	if s.state == Draining && s.record.Epoch == e.Epoch {
		s.enter(Releasing, m.now)
	}
}
