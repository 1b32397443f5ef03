// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// Clone returns a Machine that goes on from here on its own. It is for searches
// that try more than one future.
func (m *Machine) Clone() *Machine {
	c := *m
	c.effects = nil
	c.slots = slices.Clone(m.slots)
	c.self.unseen = slices.Clone(m.self.unseen)
	c.members = maps.Clone(m.members)
	for name, known := range c.members {
		copied := *known
		c.members[name] = &copied
	}
	return &c
}

// Print collects what tells one state from another.
//
// Invariant: two states with one Sum have the same futures. So times count as
// their distance from now, and past Horizon all are alike; versions count by their
// order only; and what was never set is told from what was set at time zero by
// its distance alone.
type Print struct {
	// Horizon is beyond all durations that the protocol compares with.
	Horizon Instant

	bytes    []byte
	versions []Version
}

// Text adds a name.
func (p *Print) Text(s string) {
	p.Number(int64(len(s)))
	p.bytes = append(p.bytes, s...)
}

// Number adds a number.
func (p *Print) Number(n int64) { p.bytes = binary.AppendVarint(p.bytes, n) }

// Distance adds a span of time.
func (p *Print) Distance(d Instant) { p.Number(int64(min(max(d, -p.Horizon), p.Horizon))) }

// Flag adds what is so, or is not.
func (p *Print) Flag(b bool) {
	p.bytes = append(p.bytes, map[bool]byte{true: 1}[b])
}

// Version adds a version, to be compared with the others.
func (p *Print) Version(v Version) { p.versions = append(p.versions, v) }

// Sum ends the Print.
func (p *Print) Sum() uint64 {
	order := slices.Compact(slices.Sorted(slices.Values(append(p.versions, 0))))
	for _, v := range p.versions {
		rank, _ := slices.BinarySearch(order, v)
		p.Number(int64(rank))
	}
	return xxhash.Sum64(p.bytes)
}

// Member adds a heartbeat.
func (p *Print) Member(r MemberRecord) {
	p.Text(r.Name)
	p.Text(string(r.Holder))
	p.Number(int64(r.State))
	p.Text(r.RingKey)
	p.Text(r.Seat)
	p.Version(r.Version)
}

// Shard adds the record of a shard. Epochs count only as what they are compared
// with: the number itself grows for ever.
func (p *Print) Shard(r Record) {
	p.Number(int64(r.ID))
	p.Text(string(r.Holder))
	p.Text(r.HandoffTo)
	p.Text(string(r.Reason))
	p.Version(r.Version)
}

// Machine adds all that the future of a member depends on.
func (p *Print) Machine(m *Machine) {
	past := func(t Instant) { p.Distance(m.now - t) }
	for _, flag := range []bool{
		m.listed, m.ready, m.stopping, m.stopped, m.clock.connected, m.clock.began,
		m.self.registered, m.self.writing, m.self.failed,
	} {
		p.Flag(flag)
	}
	for _, t := range []Instant{
		m.listedAt, m.ringSince, m.growthSince, m.settled, m.clock.last,
		m.self.tried, m.self.renewed, m.self.echoed, m.self.deadline, m.self.begin,
	} {
		past(t)
	}
	p.Number(int64(m.self.lives))
	p.Number(int64(m.self.state))
	p.Version(m.self.seen)
	p.Number(int64(len(m.self.unseen)))
	for _, u := range m.self.unseen {
		p.Version(u.version)
		past(u.at)
	}
	p.Text(m.ring.Key())
	p.Text(m.eligible.Set)
	p.Number(int64(m.eligible.Start))
	p.Number(int64(m.eligible.Replicas))
	for _, name := range m.memberNames() {
		other := m.members[name]
		p.Member(other.MemberRecord)
		p.Flag(other.fencing)
		p.Flag(other.deleting)
		p.Number(int64(other.strikes))
		past(other.keep)
		past(other.shunned)
		p.Distance(m.clock.time - other.heard)
		past(other.changed)
		past(other.stateSince)
		past(other.retry)
	}
	for i := range m.slots {
		p.slot(&m.slots[i], past)
	}
}

func (p *Print) slot(s *slot, past func(Instant)) {
	p.Shard(s.record)
	p.Text(string(s.claim.holder))
	p.Version(s.claim.version)
	p.Number(int64(s.state))
	p.Number(int64(s.vacant))
	p.Flag(s.writing)
	p.Flag(s.given)
	p.Flag(s.warming == s.record.Epoch && s.warming != 0)
	p.Flag(s.opened == s.record.Epoch)
	p.Version(s.deleted)
	p.Flag(s.missed == 0)
	for _, t := range []Instant{s.since, s.retry, s.missed, s.vacantSince, s.changed} {
		past(t)
	}
}
