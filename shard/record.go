// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import "strings"

// Version orders the states of one record, as the store numbers them. Zero
// means that the record does not exist.
type Version uint64

// Identity names one life of one member: name/instance/incarnation. The empty
// identity is nobody.
type Identity string

// NewIdentity joins the three parts.
func NewIdentity(member, instance, incarnation string) Identity {
	return Identity(member + "/" + instance + "/" + incarnation)
}

// Member returns the name of the member.
func (i Identity) Member() string {
	name, _, _ := strings.Cut(string(i), "/")
	return name
}

// Instance returns the middle part.
func (i Identity) Instance() string {
	_, rest, _ := strings.Cut(string(i), "/")
	instance, _, _ := strings.Cut(rest, "/")
	return instance
}

// MemberState is what a member says of itself, or what others made of it. States
// are ordered from worst to best.
type MemberState int

const (
	// MemberFenced: others stopped believing it; it holds nothing.
	MemberFenced MemberState = iota
	// MemberLeaving: it gives its shards away and will not be back.
	MemberLeaving
	// MemberJoining: it is alive but could not work yet.
	MemberJoining
	// MemberRestarting: it will be back, or is back and could not work yet; its
	// place in the ring is kept for RestartGrace.
	MemberRestarting
	// MemberActive: it has its place in the ring.
	MemberActive
)

var memberStates = [...]string{"fenced", "leaving", "joining", "restarting", "active"}

func (s MemberState) String() string { return memberStates[s] }

// ParseMemberState reads what String wrote. What it does not know, it takes for
// the worst state, so that nothing is ever given to such a member.
func ParseMemberState(s string) MemberState {
	for i, name := range memberStates {
		if name == s {
			return MemberState(i)
		}
	}
	return MemberFenced
}

// MemberRecord is the heartbeat of one member.
type MemberRecord struct {
	Name string
	// Holder is the life that the record belongs to; empty when it has left or
	// was fenced.
	Holder  Identity
	State   MemberState
	RingKey string // hash of the ring's input as this member sees it
	Seat    string // under Spare, where it sits as it sees it; empty: nowhere
	Version Version
}

// Reason says how a shard came to its holder.
type Reason string

const (
	// ReasonFree: nobody held it.
	ReasonFree Reason = "free"
	// ReasonHandover: the holder before gave it to this one.
	ReasonHandover Reason = "handover"
	// ReasonTakeover: the holder before was fenced, or came back as a new life.
	ReasonTakeover Reason = "takeover"
	// ReasonResumed: it was suspended here, and nobody else has held it since. No
	// record says so.
	ReasonResumed Reason = "resumed"
)

// Record is the record of one shard.
type Record struct {
	ID     ID
	Holder Identity
	// Epoch grows by one with each new holder.
	Epoch int64
	// HandoffTo names the member for which a released shard is meant.
	HandoffTo string
	Reason    Reason
	Version   Version
}
