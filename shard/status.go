// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import "time"

// Status is everything that one member can tell, for people and metrics.
type Status struct {
	Self    Identity
	State   MemberState
	Remain  time.Duration // until it stops to write unless renewed; negative: suspended
	RingKey string
	Agreed  bool // all active members publish the same ring
	Members []MemberStatus
	Shards  []ShardStatus
}

// MemberStatus is how one member stands, as this one sees it.
type MemberStatus struct {
	Name     string
	Holder   Identity
	State    MemberState
	RingKey  string
	Silent   time.Duration // connected time since its last heartbeat
	Owned    int           // shards that it validly holds
	Expected int           // shards that the ring gives to it
	Shunned  time.Duration // until this member gives it shards again: it did not take one; 0: it does
}

// ShardStatus is how one shard stands, as this member sees it.
type ShardStatus struct {
	ID       ID
	Holder   string // name of the member that validly holds it; empty: nobody
	Expected string // name of the member that should
	Epoch    int64
	Reason   Reason
	State    State         // here
	Since    time.Duration // in State
	Vacant   time.Duration // without a valid holder; 0 if held
}

// Status tells how things stand now.
func (m *Machine) Status() Status {
	status := Status{Self: m.identity(), State: m.self.state, RingKey: m.ring.Key(), Agreed: true, Remain: m.until() - m.now}
	owned := map[string]int{}
	expected := map[string]int{}
	for i := range m.slots {
		s := m.slotStatus(&m.slots[i])
		owned[s.Holder]++
		expected[s.Expected]++
		status.Shards = append(status.Shards, s)
	}
	for _, name := range m.memberNames() {
		other := m.members[name]
		if other.State == MemberActive && other.RingKey != m.ring.Key() {
			status.Agreed = false
		}
		status.Members = append(status.Members, MemberStatus{
			Name: name, Holder: other.Holder, State: other.State, RingKey: other.RingKey,
			Silent: m.clock.time - other.heard, Owned: owned[name], Expected: expected[name],
			Shunned: max(0, other.shunned-m.now),
		})
	}
	return status
}

func (m *Machine) slotStatus(s *slot) ShardStatus {
	status := ShardStatus{
		ID: s.id, Expected: m.ring.Owner(s.id), Epoch: s.record.Epoch, Reason: s.record.Reason,
		State: s.state, Since: m.now - s.since,
	}
	if m.vacancy(s) == held {
		status.Holder = s.record.Holder.Member()
	} else {
		status.Vacant = m.now - s.vacantSince
	}
	return status
}
