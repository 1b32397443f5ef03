// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

// budget bounds the shards that are in hand-over at a time.
//
// Invariant: of what one member gives away, no more than Budget is closed or
// without a holder; and neither is more of what one member shall get. The second
// is kept without asking anybody: each of those that may give has its share. So a
// member that has just begun is not given everything at once.
type budget struct {
	left  int            // for this source
	given map[string]int // by this source, to each target
	share int            // for each target
}

func (m *Machine) budget() budget {
	b := budget{left: m.cfg.Budget, given: map[string]int{}, share: max(1, m.cfg.Budget/max(1, len(m.ring.Members())-1))}
	for i := range m.slots {
		switch s := &m.slots[i]; {
		case s.state == Draining || s.state == Releasing:
			b.spend(m.ring.Owner(s.id))
		case s.given:
			b.spend(s.record.HandoffTo)
		}
	}
	return b
}

func (b *budget) spend(target string) {
	b.left--
	b.given[target]++
}

// allows one more shard to go to the target.
func (b *budget) allows(target *member) bool {
	share := b.share
	if target.strikes > 0 {
		share = 1 // on trial
	}
	return b.left > 0 && b.given[target.Name] < share
}

// A member that does not take what it is given is left alone for a while that
// doubles, in units of LeaseDuration.
const (
	shunFirst = 3
	shunMost  = 60
)

// judge a member by what became of a shard that was meant for it.
//
// A member may renew its heartbeat and agree about the ring, and yet never write
// the record of a shard. Everybody sees that the shard went to another after all,
// and nobody gives it one again until some time has passed, and then a single one.
func (m *Machine) judge(before, after Record) {
	if after.Holder == "" || after.Holder == before.Holder {
		return
	}
	if taker, exists := m.members[after.Holder.Member()]; exists {
		taker.strikes, taker.shunned = 0, 0
	}
	meant, exists := m.members[before.HandoffTo]
	if !exists || before.Holder != "" || meant.Holder == "" || before.HandoffTo == after.Holder.Member() || m.now < meant.shunned {
		return
	}
	if !m.ring.Has(before.HandoffTo) {
		return // it was slow to come back, and others had to take it
	}
	meant.shunned = m.now + m.cfg.LeaseDuration*Instant(min(shunFirst<<min(meant.strikes, 8), shunMost))
	meant.strikes++
}
