// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

// touch writes the record of a shard anew that has not been written for long, one
// at a time. No member looks at that; whoever knows Leases only by their own time
// shall see that somebody holds it.
//
// The periods of the shards differ, so that those that were acquired together are
// not written together.
func (m *Machine) touch() {
	if m.stopping || m.now >= m.until() {
		return
	}
	for i := range m.slots {
		s := &m.slots[i]
		spread := m.cfg.TouchPeriod / 2 * Instant(i) / Instant(len(m.slots))
		if s.state == Owned && !s.writing && m.now >= s.retry && m.now-s.changed >= m.cfg.TouchPeriod*3/4+spread {
			record := s.record
			record.Version = 0
			m.put(s, record)
			return
		}
	}
}

// staleRetry is how soon a deletion without a good end is tried again.
const staleRetry = 6

// clean has the heartbeats deleted that nobody owns any more, and that no shard
// names: the names of replicas come and go.
//
// Invariant: only the holder of ClusterKey asks for that, and only for a record
// that it saw unchanged for StaleAfter; the deletion compares the version. So no
// new life under that name can be hit. And if all of this failed, a heartbeat that
// vanished has the same effect as a fence.
func (m *Machine) clean() {
	if s := &m.slots[Of(ClusterKey, len(m.slots))]; s.state != Owned || m.stopping || m.now >= m.until() {
		return
	}
	for _, name := range m.memberNames() {
		other := m.members[name]
		if name == m.cfg.Member || other.Holder != "" || other.Version == 0 || other.deleting || other.fencing ||
			m.now < other.keep || m.now-other.changed < m.cfg.StaleAfter || m.named(name) {
			continue
		}
		other.deleting = true
		m.do(DeleteMember{Name: name, Expect: other.Version})
	}
}

func (m *Machine) memberDeleted(e MemberDeleted) {
	other, exists := m.members[e.Delete.Name]
	if !exists {
		return
	}
	other.deleting = false
	other.keep = m.now + staleRetry*m.cfg.LeaseDuration
	if e.Outcome == Done && other.Version == e.Delete.Expect {
		m.forgetMember(e.Delete.Name)
	}
}

// named: the record of a shard speaks of that member.
func (m *Machine) named(member string) bool {
	for i := range m.slots {
		s := &m.slots[i]
		if s.claim.holder.Member() == member || s.record.HandoffTo == member {
			return true
		}
	}
	return false
}
