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
	// suspended are the shards that were open, and are to be again.
	suspended map[ID]struct{}
}

// NewHolding is for tests and tools; a member's comes from its Machine.
func NewHolding(holder Identity, until Instant, epochs map[ID]int64, suspended ...ID) Holding {
	h := Holding{Holder: holder, Until: until, epochs: epochs, suspended: map[ID]struct{}{}}
	for _, id := range suspended {
		h.suspended[id] = struct{}{}
	}
	return h
}

// Owns reports whether the shard may be written to at that time.
func (h Holding) Owns(id ID, now Instant) bool {
	return h.Open(id) && now < h.Until
}

// Open reports whether the shard was open when the holding was made. The hold may
// have ended since.
func (h Holding) Open(id ID) bool {
	_, open := h.epochs[id]
	return open
}

// Suspended reports whether the shard is closed only until our heartbeat is good again,
// and what is in it known anew.
func (h Holding) Suspended(id ID) bool {
	_, suspended := h.suspended[id]
	return suspended
}

// Epoch of an open shard, else 0.
func (h Holding) Epoch(id ID) int64 { return h.epochs[id] }

// Len is the number of open shards.
func (h Holding) Len() int { return len(h.epochs) }
