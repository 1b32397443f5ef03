// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

// Holding is what one member may write, and until when. It is a value: a later
// view of the same member is another Holding.
type Holding struct {
	// Holder is the life that holds.
	Holder Identity
	// Until is the end of the hold, on the clock of this host. At and after it,
	// nothing is held.
	Until Instant
	// epochs of the shards that are open, by ID.
	epochs map[ID]int64
}

// NewHolding is for tests and tools; a member's comes from its Machine.
func NewHolding(holder Identity, until Instant, epochs map[ID]int64) Holding {
	return Holding{Holder: holder, Until: until, epochs: epochs}
}

// Owns reports whether the shard may be written to at that time.
func (h Holding) Owns(id ID, now Instant) bool {
	return h.Open(id) && now < h.Until
}

// Open reports whether the shard is held, be it suspended for want of a
// heartbeat or not.
func (h Holding) Open(id ID) bool {
	_, open := h.epochs[id]
	return open
}

// Epoch of an open shard, else 0.
func (h Holding) Epoch(id ID) int64 { return h.epochs[id] }

// Len is the number of open shards.
func (h Holding) Len() int { return len(h.epochs) }
