// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

// Event is something that a member learns.
type Event interface{ event() }

// Tick: time has passed.
type Tick struct{}

// Listed: every record that existed has been observed once.
type Listed struct{}

// Ready: this replica could work now. Before, it takes no place in the ring.
type Ready struct{}

// Stop: this replica shall end. Leaving says that it will not be back.
type Stop struct{ Leaving bool }

// Eligible: of the members that are called Set-0, Set-1 and so on, only those from
// Set-Start, Replicas of them, have a place. It says nothing of others.
type Eligible struct {
	Set             string
	Start, Replicas int
}

// MemberObserved: the store has this heartbeat.
type MemberObserved struct{ Record MemberRecord }

// MemberGone: the store had the heartbeat of this member, and has it no more.
type MemberGone struct{ Name string }

// ShardObserved: the store has this record of a shard.
type ShardObserved struct{ Record Record }

// ShardGone: the store had a record of this shard, and has it no more.
type ShardGone struct{ ID ID }

// Outcome of a compare-and-swap.
type Outcome int

const (
	// Unknown: no answer, or an error that does not say whether the write was
	// done. It may be done, now or later.
	Unknown Outcome = iota
	// Done: the record in the event is now in the store.
	Done
	// Lost: the store had another version; the record in the event, or its
	// absence (Version 0), is what it has.
	Lost
)

// MemberWritten answers PutMember.
type MemberWritten struct {
	Put     PutMember
	Outcome Outcome
	Record  MemberRecord
}

// ShardWritten answers PutShard.
type ShardWritten struct {
	Put     PutShard
	Outcome Outcome
	Record  Record
}

// MemberDeleted answers DeleteMember.
type MemberDeleted struct {
	Delete  DeleteMember
	Outcome Outcome
}

// Drained answers Drain: no write into the shard is in flight.
type Drained struct {
	ID    ID
	Epoch int64
}

// Warmed answers Warm: what is known here is new enough.
type Warmed struct {
	ID    ID
	Epoch int64
}

func (Tick) event()           {}
func (Listed) event()         {}
func (Ready) event()          {}
func (Stop) event()           {}
func (Eligible) event()       {}
func (MemberDeleted) event()  {}
func (MemberObserved) event() {}
func (MemberGone) event()     {}
func (ShardObserved) event()  {}
func (ShardGone) event()      {}
func (MemberWritten) event()  {}
func (ShardWritten) event()   {}
func (Drained) event()        {}
func (Warmed) event()         {}

// Effect is something that the caller shall do.
type Effect interface{ effect() }

// PutMember writes a heartbeat if the store has version Expect of it (0: has
// none), within WriteTimeout. Answer: MemberWritten.
type PutMember struct {
	Record MemberRecord
	Expect Version
	// Sent is when the Machine asked for it. The caller keeps it.
	Sent Instant
}

// DeleteMember removes a heartbeat if the store has version Expect of it, within
// WriteTimeout. Answer: MemberDeleted.
type DeleteMember struct {
	Name   string
	Expect Version
}

// PutShard writes the record of a shard if the store has version Expect of it
// (0: has none), within WriteTimeout. Answer: ShardWritten.
type PutShard struct {
	Record Record
	Expect Version
}

// Drain waits until no write into the shard is in flight; the Holding published
// before already admits no new one. Answer: Drained.
type Drain struct {
	ID    ID
	Epoch int64
}

// Warm waits until what is known here is as new as the moment in which it was asked
// for. The shard stays closed until then. Answer: Warmed.
type Warm struct {
	ID     ID
	Epoch  int64
	Reason Reason
}

// Opened: this member may now write for the shard; look at everything in it.
// No answer.
type Opened struct {
	ID     ID
	Epoch  int64
	Reason Reason
}

// Closed: this member may no longer write for the shard, which is in another state
// now: Draining, Suspended, or Idle if it was lost. No answer.
type Closed struct {
	ID   ID
	Into State
}

// Fenced: this life of the member is over, and the next one begins. Writes that
// are still queued must not reach the store. No answer.
type Fenced struct{}

// Stopped: everything has been given back; this replica may end. No answer.
type Stopped struct{}

func (PutMember) effect()    {}
func (DeleteMember) effect() {}
func (PutShard) effect()     {}
func (Drain) effect()        {}
func (Warm) effect()         {}
func (Opened) effect()       {}
func (Closed) effect()       {}
func (Fenced) effect()       {}
func (Stopped) effect()      {}
