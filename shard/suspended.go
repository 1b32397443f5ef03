// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

// suspend closes every shard of a member that was out of touch: its hold has ended, or
// it did not move for longer than a RenewPeriod.
//
// Invariant: what was closed so is opened only with what is known anew. Reason: the
// record may name this life still, and the heartbeat be good a moment later; but what
// was learned before is as old as the gap is long.
func (m *Machine) suspend() {
	slept := m.now-m.clock.last > m.cfg.RenewPeriod
	if m.now < m.until() && !slept {
		return
	}
	for i := range m.slots {
		switch s := &m.slots[i]; s.state {
		case Owned:
			m.do(Closed{ID: s.id, Into: Suspended})
			s.enter(Suspended, m.now)
		case Warming:
			s.enter(Suspended, m.now)
		}
	}
}

// warm asks for what is needed to open a shard that is ours, once our heartbeat is
// good.
//
// Invariant: for one epoch, one Warm is under way. Reason: an answer does not tell
// which of two it is for, and that to the first says nothing of what was missed since.
func (m *Machine) warm(s *slot) {
	if m.now >= m.until() || s.warming != 0 && s.warming == s.record.Epoch {
		if s.state != Suspended {
			s.enter(Suspended, m.now)
		}
		return
	}
	s.enter(Warming, m.now)
	s.warming = s.record.Epoch
	m.do(Warm{ID: s.id, Epoch: s.record.Epoch, Reason: s.record.Reason})
}

func (m *Machine) warmed(e Warmed) {
	s := &m.slots[e.ID]
	if s.warming == e.Epoch {
		s.warming = 0
	}
	if s.state != Warming || s.record.Epoch != e.Epoch {
		return
	}
	reason := s.record.Reason
	if m.resumes(s) {
		reason = ReasonResumed
	}
	s.enter(Owned, m.now)
	s.opened = s.record.Epoch
	m.do(Opened{ID: s.id, Epoch: s.record.Epoch, Reason: reason})
}

// resumes: it is closed for a while only. It was open before, and nobody else has
// held it since.
func (m *Machine) resumes(s *slot) bool {
	return (s.state == Suspended || s.state == Warming) && s.opened == s.record.Epoch
}
