// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"fmt"
	"maps"
	"slices"
)

// Machine is the protocol of one member, as the package comment states it. It is
// not safe for concurrent use; it does no I/O and reads no clock.
type Machine struct {
	cfg Config
	now Instant

	listed   bool
	listedAt Instant
	ready    bool
	stopping bool
	stopped  bool

	self    self
	members map[string]*member
	slots   []slot

	eligible    Eligible
	ring        *Ring
	ringSince   Instant // when the ring last changed
	growthSince Instant // when it first grew since it was last settled
	settled     Instant // when newcomers may be given shards

	clock   connectedClock
	effects []Effect
}

// NewMachine returns the protocol of a member that has not heard of anything
// yet. The configuration must be valid.
func NewMachine(cfg Config, now Instant) (*Machine, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("configuring the member: %w", err)
	}
	if cfg.TouchPeriod == 0 {
		cfg.TouchPeriod = DefaultTouchPeriod
	}
	if cfg.StaleAfter == 0 {
		cfg.StaleAfter = DefaultStaleAfter
	}
	m := &Machine{
		cfg:     cfg,
		now:     now,
		members: map[string]*member{},
		slots:   make([]slot, cfg.Shards),
		ring:    NewRing(nil, cfg.Shards),
		self:    self{state: MemberJoining},
		clock:   connectedClock{last: now},
	}
	m.self.identity = m.identityOf(0)
	for id := range m.slots {
		m.slots[id].id = ID(id)
		m.slots[id].vacantSince = now
	}
	return m, nil
}

// Step folds one event and returns what shall be done. Time never runs
// backwards: an earlier now counts as the latest seen.
func (m *Machine) Step(now Instant, event Event) []Effect {
	m.now = max(m.now, now)
	m.effects = nil
	// 1. Time: close what we cannot be sure of any more, and advance the clock that
	// runs only while we are connected.
	m.suspend()
	m.advance()
	// 2. Facts: fold the event.
	m.fold(event)
	// 3. Decisions: each looks at the facts, not at the event.
	m.reform()
	m.heartbeat()
	m.fence()
	m.assign()
	m.touch()
	m.clean()
	m.finish()
	return m.effects
}

func (m *Machine) do(e Effect) { m.effects = append(m.effects, e) }

func (m *Machine) fold(event Event) {
	switch e := event.(type) {
	case Tick:
	case Listed:
		m.list()
	case Ready:
		m.ready = true
	case Stop:
		m.stop(e)
	case Eligible:
		m.eligible = e
	case MemberDeleted:
		m.memberDeleted(e)
	case MemberObserved:
		m.observeMember(e.Record)
		m.echo(e.Record)
	case MemberGone:
		m.forgetMember(e.Name)
	case MemberWritten:
		m.memberWritten(e)
	case ShardObserved:
		m.seeShard(e.Record)
	case ShardGone:
		m.forgetShard(e.ID)
	case ShardWritten:
		m.shardWritten(e)
	case Drained:
		m.drained(e)
	case Warmed:
		m.warmed(e)
	}
}

// list ends the listing. Where no shard has a record, and no member could have
// held one, nobody ever did. Otherwise, somebody deleted what is missing.
func (m *Machine) list() {
	m.listed, m.listedAt = true, m.now
	virgin := true
	for i := range m.slots {
		virgin = virgin && m.slots[i].record.Version == 0
	}
	for _, other := range m.members {
		virgin = virgin && (other.Holder == "" || other.State == MemberJoining)
	}
	if !virgin {
		m.missUnwritten()
	}
}

// missUnwritten: we do not know whether a shard without a record never had one.
func (m *Machine) missUnwritten() {
	for i := range m.slots {
		if s := &m.slots[i]; s.record.Version == 0 {
			s.missed = m.now
		}
	}
}

func (m *Machine) stop(e Stop) {
	m.stopping = true
	m.self.state = MemberRestarting
	if e.Leaving || m.cfg.RestartGrace == 0 {
		m.self.state = MemberLeaving
	}
}

// finish says goodbye once nothing is held and nothing of ours is under way.
func (m *Machine) finish() {
	if !m.stopping || m.stopped || m.self.writing || m.retrying() {
		return
	}
	for i := range m.slots {
		if s := &m.slots[i]; s.writing || s.state != Idle || m.mine(s) {
			return
		}
	}
	record, exists := m.members[m.cfg.Member]
	if m.self.registered && exists && record.Holder == m.identity() {
		m.putSelf(MemberRecord{Name: m.cfg.Member, State: m.self.state, RingKey: m.ring.Key(), Seat: m.seatOf()})
		return
	}
	m.stopped = true
	m.do(Stopped{})
}

// identity of the present life.
func (m *Machine) identity() Identity { return m.self.identity }

// identityOf a life. Each one after a fence has a name of its own.
func (m *Machine) identityOf(life int) Identity {
	return NewIdentity(m.cfg.Member, m.cfg.Instance, fmt.Sprintf("%s.%d", m.cfg.Incarnation, life))
}

// Holding is what may be written now, and until when.
func (m *Machine) Holding() Holding {
	h := Holding{Holder: m.identity(), Until: m.until(), epochs: map[ID]int64{}, suspended: map[ID]struct{}{}}
	for i := range m.slots {
		switch s := &m.slots[i]; {
		case s.state == Owned:
			h.epochs[s.id] = s.record.Epoch
		case m.resumes(s):
			h.suspended[s.id] = struct{}{}
		}
	}
	return h
}

// until is when this life stops to write, unless it renews.
func (m *Machine) until() Instant {
	if !m.self.registered {
		return 0
	}
	// Whoever does not see its own heartbeat come back does not see either what
	// others do to its records.
	return min(m.self.deadline, m.self.echoed+m.cfg.LeaseDuration)
}

// Ring as this member sees it now.
func (m *Machine) Ring() *Ring { return m.ring }

func (m *Machine) memberNames() []string { return slices.Sorted(maps.Keys(m.members)) }
