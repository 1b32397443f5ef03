// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"fmt"
	"slices"
)

// RestartPolicy says what becomes of the shards of a member that restarts.
type RestartPolicy string

const (
	// Reserve: they wait for it, for RestartGrace. Each member has a seat of its own.
	Reserve RestartPolicy = "reserve"
	// Spare: a member without a seat takes its seat, by hand-over, and it comes back
	// without one. There is one seat less than there shall be members; where nobody
	// told how many these are, Spare is as Reserve.
	Spare RestartPolicy = "spare"
)

// Seating says who sits on each seat of the ring.
type Seating map[string]string

// ownSeats: each member has a seat of its own, that has its name.
func ownSeats(members []string) Seating {
	seating := Seating{}
	for _, name := range members {
		seating[name] = name
	}
	return seating
}

// seats under Spare, which have the names of the first members of the set, so that
// replicas that are added as spares move nothing. None if the set is not known.
func (e Eligible) seats() (names []string) {
	if e.Set == "" {
		return nil
	}
	for i := range max(1, e.Replicas-1) {
		names = append(names, fmt.Sprintf("%s-%d", e.Set, e.Start+i))
	}
	return names
}

// sitter is a member that may sit on a seat.
type sitter struct {
	name   string
	claims string // the seat that it says is its
	active bool   // it is not about to restart
}

// seat the members, which are in order of their names.
//
// Invariant: once everybody claims what this gives to it, the same comes out again.
// Reason: whoever is active keeps what it claims; of two that claim one seat, the
// first keeps it, and the other one is as good as new.
func seat(seats []string, members []sitter) Seating {
	seating, left := Seating{}, slices.Clone(members)
	pass := func(fits func(seat string, s sitter) bool) {
		for _, name := range seats {
			i := slices.IndexFunc(left, func(s sitter) bool { return fits(name, s) })
			if _, taken := seating[name]; taken || i < 0 {
				continue
			}
			seating[name] = left[i].name
			left = slices.Delete(left, i, i+1)
		}
	}
	// 1. Who sits there stays.
	pass(func(seat string, s sitter) bool { return s.active && s.claims == seat })
	// 2. At the beginning, each takes the seat of its name.
	pass(func(seat string, s sitter) bool { return s.active && s.name == seat })
	// 3. The spare takes the seat of one that restarts, or died.
	pass(func(_ string, s sitter) bool { return s.active })
	// 4. Where there is no spare, a seat is kept for whom it was.
	pass(func(seat string, s sitter) bool { return s.claims == seat })
	return seating
}

// seating of the members that there are now.
func (m *Machine) seating() Seating {
	var sitters []sitter
	var names []string
	for _, name := range m.memberNames() {
		if other := m.members[name]; m.inRing(other) {
			state, _ := m.standing(other)
			sitters = append(sitters, sitter{name: name, claims: other.Seat, active: state == MemberActive})
			names = append(names, name)
		}
	}
	if !m.spares() {
		return ownSeats(names)
	}
	return seat(m.eligible.seats(), sitters)
}

// spares: there are fewer seats than members.
func (m *Machine) spares() bool { return m.cfg.RestartPolicy == Spare && m.eligible.Set != "" }

// seatOf this member, which it claims; empty if it has none, or each has its own.
func (m *Machine) seatOf() string {
	if !m.spares() {
		return ""
	}
	return m.ring.SeatOf(m.cfg.Member)
}

// standing is the state of a member, and since when.
//
// Invariant: that of a member that ends counts for itself at once. Reason: what it
// gives away shall be meant for whom the others see there, once they have heard.
func (m *Machine) standing(other *member) (MemberState, Instant) {
	if m.stopping && other.Name == m.cfg.Member {
		return m.self.state, m.now
	}
	return other.State, other.stateSince
}
