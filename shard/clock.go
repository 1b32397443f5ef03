// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

// connectedClock runs only while this member is itself in touch with the store.
//
// Invariant: it never runs ahead of the host's clock, and stands still while our
// own heartbeats fail or do not come back to us. Reason: while the store is out
// of reach for everybody, silence says nothing about anybody, and must not move
// a single shard.
type connectedClock struct {
	time      Instant // time counted so far
	last      Instant // host time of the latest reading
	connected bool
	began     bool // it was connected once
}

// advance counts the time since the last reading, if the member was connected at
// both ends of it. After a gap, everybody's silence starts anew.
func (m *Machine) advance() {
	delta := m.now - m.clock.last
	m.clock.last = m.now
	connected := m.connected()
	m.clock.began = m.clock.began || connected
	began := m.clock.began || m.now-m.listedAt > m.cfg.RenewPeriod
	if m.listed && (delta > m.cfg.RenewPeriod || !connected && began) {
		m.missUnwritten()
	}
	switch {
	case connected && m.clock.connected:
		// A reading that comes late (a paused process) counts for one period
		// at the most: what happened in between, we did not watch.
		m.clock.time += min(delta, m.cfg.RenewPeriod)
	case connected:
		for _, other := range m.members {
			other.heard = m.clock.time
		}
	}
	m.clock.connected = connected
}

// connected: our heartbeat was taken lately, and we saw it come back.
func (m *Machine) connected() bool {
	lately := 2*m.cfg.RenewPeriod + m.cfg.WriteTimeout
	return m.self.registered && m.now-m.self.renewed <= lately && m.now-m.self.echoed <= lately
}
