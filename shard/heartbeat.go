// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

// self is what a member knows of its own heartbeat.
type self struct {
	identity   Identity    // of this life
	lives      int         // lives that ended
	state      MemberState // what we say, or will say with the next heartbeat
	registered bool        // the record carries our identity, as far as we know
	writing    bool        // a write of the record is under way
	tried      Instant     // when the latest write was sent
	failed     bool        // the latest write had no good end
	renewed    Instant     // when the latest good write was sent
	unseen     []sent      // good writes that did not come back to us yet
	seen       Version     // the latest version of our record that came back
	echoed     Instant     // when the latest write that came back was sent
	deadline   Instant     // when we stop to write, unless renewed
	begin      Instant     // when this life may register
}

// sent is one good write of our record.
type sent struct {
	version Version
	at      Instant
}

// retryPeriod is how soon a write without a good end is tried again. It keeps a
// store that refuses at once from being asked without pause.
func (m *Machine) retryPeriod() Instant { return m.cfg.RenewPeriod / 8 }

// heartbeat registers this life, or renews its record when that is due.
func (m *Machine) heartbeat() {
	if !m.listed || m.self.writing || m.stopped {
		return
	}
	if !m.self.registered {
		m.register()
		return
	}
	if m.blind() {
		return
	}
	if m.ready && !m.stopping {
		m.self.state = MemberActive
	}
	record := m.members[m.cfg.Member]
	changed := record.State != m.self.state || record.RingKey != m.ring.Key()
	wait := m.cfg.RenewPeriod
	if m.self.failed || changed {
		wait = m.retryPeriod()
	}
	if m.now-m.self.tried >= wait {
		m.putSelf(m.selfRecord())
	}
}

func (m *Machine) selfRecord() MemberRecord {
	return MemberRecord{Name: m.cfg.Member, Holder: m.identity(), State: m.self.state, RingKey: m.ring.Key(), Seat: m.seatOf()}
}

// register makes the record of our name carry this life.
//
// Invariant: a record that names another life is taken only when that life said
// goodbye, was fenced, ran in the same instance (whose process is gone if we
// run), or has not renewed for LeaseDuration since we first saw it so. The
// compare-and-swap excludes that it renews in the meantime.
func (m *Machine) register() {
	if m.stopping || m.now < m.self.begin || m.retrying() {
		return
	}
	record, exists := m.members[m.cfg.Member]
	if exists && record.Holder != "" {
		sameInstance := m.cfg.Instance != "" && record.Holder.Instance() == m.cfg.Instance
		if !sameInstance && m.now-record.changed <= m.cfg.LeaseDuration {
			return
		}
	}
	m.self.state = MemberJoining
	if exists && record.State == MemberRestarting {
		m.self.state = MemberRestarting
	}
	m.putSelf(m.selfRecord())
}

func (m *Machine) putSelf(record MemberRecord) {
	var expect Version
	if known, exists := m.members[m.cfg.Member]; exists {
		expect = known.Version
	}
	m.self.writing = true
	m.self.tried = m.now
	m.do(PutMember{Record: record, Expect: expect, Sent: m.now})
}

func (m *Machine) memberWritten(e MemberWritten) {
	ours := e.Put.Record.Name == m.cfg.Member
	if ours {
		m.self.writing = false
		m.self.failed = e.Outcome != Done
	} else if other, exists := m.members[e.Put.Record.Name]; exists {
		other.fencing = false
		if e.Outcome != Done {
			other.retry = m.now + m.retryPeriod()
		}
	}
	switch e.Outcome {
	case Unknown:
		// The same write with the same version is tried again; at most one of
		// the two can be done.
		return
	case Lost:
		if e.Record.Version == 0 {
			m.forgetMember(e.Put.Record.Name)
			return
		}
	case Done:
		if ours && e.Record.Holder == m.identity() {
			m.self.renewed = max(m.self.renewed, e.Put.Sent)
			m.self.deadline = max(m.self.deadline, e.Put.Sent+m.cfg.LeaseDuration-m.cfg.Guard)
			m.self.unseen = append(m.self.unseen, sent{e.Record.Version, e.Put.Sent})
			m.matchEchoes()
		}
	}
	m.observeMember(e.Record)
}

// retrying: the latest write of our record failed a moment ago.
func (m *Machine) retrying() bool {
	return m.self.failed && m.now-m.self.tried < m.retryPeriod()
}

// echo: our record was observed, by whatever way the records of others come too.
//
// Invariant: a heartbeat counts as echoed at the time when it was sent, and its
// answer is no echo. Reason: a member whose watch is dead or late goes on to
// renew with success, but does not know what the store says now.
func (m *Machine) echo(record MemberRecord) {
	if record.Name == m.cfg.Member && record.Holder == m.identity() {
		m.self.seen = max(m.self.seen, record.Version)
		m.matchEchoes()
	}
}

func (m *Machine) matchEchoes() {
	for len(m.self.unseen) > 0 && m.self.unseen[0].version <= m.self.seen {
		m.self.echoed = m.self.unseen[0].at
		m.self.unseen = m.self.unseen[1:]
	}
}

// blind: a heartbeat has not come back for a whole lease. No other one follows
// until it does, so that the shards of a member that sees nothing any more go to
// others.
func (m *Machine) blind() bool {
	return len(m.self.unseen) > 0 && m.now-m.self.unseen[0].at > m.cfg.LeaseDuration
}

// lose ends this life: it holds nothing from here on.
//
// Invariant: the next life registers only after the writes of this one have
// ended. Reason: its record lets others take the shards at once.
func (m *Machine) lose() {
	begin := min(m.now, m.until()) + m.cfg.Guard
	for i := range m.slots {
		m.drop(&m.slots[i])
	}
	m.self = self{
		lives: m.self.lives + 1, state: MemberJoining, begin: begin,
		writing: m.self.writing, tried: m.self.tried, failed: m.self.failed,
	}
	m.self.identity = m.identityOf(m.self.lives)
	m.do(Fenced{})
}
