// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Kind of a fault.
type Kind string

// Kinds of faults of one replica.
const (
	Kill         Kind = "kill"           // SIGKILL; a new process follows at once, or when the lease is over
	Terminate    Kind = "terminate"      // SIGTERM, and a new process
	Stop         Kind = "stop"           // SIGSTOP, then SIGCONT
	StopTerm     Kind = "stop-term"      // SIGSTOP and SIGTERM, then SIGCONT when others have taken over
	Partition    Kind = "partition"      // nothing passes, and what was sent is lost
	PartitionUp  Kind = "partition-up"   // the replica hears, and is not heard
	PartitionOff Kind = "partition-down" // the replica is heard, and hears nothing
	Slow         Kind = "slow"           // each piece of data is late
	Stall        Kind = "stall"          // nothing passes for a while; then all of it comes
	Reset        Kind = "reset"          // all connections break, again and again
	StopInside   Kind = "stop-inside"    // it stops at a point of a write, then SIGCONT
	MemberLease  Kind = "member-lease"   // somebody deletes its heartbeat
)

// Kinds of faults of the whole.
const (
	ShardLease Kind = "shard-lease" // somebody deletes Leases of shards
	Holder     Kind = "holder"      // somebody writes another holder into Leases of shards
	APIServer  Kind = "api-server"  // it is gone
	Etcd       Kind = "etcd"        // it answers by fits and starts
	Webhooks   Kind = "webhooks"    // nobody answers admission
	Cycle      Kind = "cycle"       // admission is off, and cycles are made and broken
	Moves      Kind = "moves"       // namespaces move between trees, in a burst
	Scale      Kind = "scale"       // of 5 replicas to 3, 5, 2, and 5
	Roll       Kind = "roll"        // every replica is replaced, from the last to the first
)

// Fault is one thing that goes wrong.
type Fault struct {
	// At is when it is to begin, after the start. A fault waits for those before it
	// that concern the same replica, or the whole.
	At   time.Duration
	Kind Kind
	// Replica is the ordinal of the one that it concerns, -1 for the whole.
	Replica int
	// Lasts is how long it is left to itself; recovery may take longer.
	Lasts time.Duration
	// Point of a write, for StopInside.
	Point string
}

func (f Fault) String() string {
	s := fmt.Sprintf("%6.1fs %s", f.At.Seconds(), f.Label())
	if f.Replica >= 0 {
		s += fmt.Sprintf(" of banyan-%d", f.Replica)
	}
	return s
}

// Label is the fault in a few words, without its time.
func (f Fault) Label() string {
	s := string(f.Kind)
	if f.Point != "" {
		s += " " + f.Point
	}
	if f.Lasts > 0 {
		s += " " + f.Lasts.String()
	}
	return s
}

// points of a write at which a replica can stop itself; package gate has them.
var points = []string{"before-begin", "after-begin", "after-check", "after-write"}

// round has every fault once. Each is a thing of its own, so that a run that is long
// enough for a round has shown them all.
func round() []Fault {
	one := func(k Kind, lasts time.Duration) Fault { return Fault{Kind: k, Lasts: lasts} }
	all := func(k Kind, lasts time.Duration) Fault { return Fault{Kind: k, Lasts: lasts, Replica: -1} }
	const second = time.Second
	faults := []Fault{
		one(Kill, second), one(Kill, 14*second), one(Terminate, second),
		one(Stop, 3*second), one(Stop, 9*second), one(Stop, 25*second), one(StopTerm, 14*second),
		one(Partition, 14*second), one(PartitionUp, 14*second), one(PartitionOff, 14*second),
		one(Slow, 8*second), one(Stall, 3*second), one(Reset, 4*second), one(MemberLease, 0),
		all(ShardLease, 0), all(Holder, 0), all(APIServer, 5*second), all(APIServer, 30*second),
		all(Etcd, 8*second), all(Webhooks, 4*second), all(Cycle, 4*second), all(Moves, 0),
		all(Scale, 0), all(Roll, 0),
	}
	for _, point := range points {
		faults = append(faults, Fault{Kind: StopInside, Lasts: 13 * second, Point: point})
	}
	return faults
}

// takes is how long a fault keeps its replica, or the whole, busy: an estimate, by
// which faults are spread over the time.
func (f Fault) takes() time.Duration {
	switch f.Kind {
	case Scale:
		return 35 * time.Second
	case Roll:
		return 40 * time.Second
	case Terminate:
		return 10 * time.Second
	default:
		return f.Lasts + 3*time.Second
	}
}

// Plan draws faults for a time. Rounds follow each other, each with all faults of
// the kinds in an order of its own; at most two replicas are in trouble at once, and
// what concerns the whole is alone. The same arguments give the same plan.
func Plan(seed uint64, replicas int, lasts time.Duration, kinds ...Kind) []Fault {
	r := rand.New(rand.NewPCG(seed, uint64(replicas)))
	p := planner{Rand: r, busy: make([]time.Duration, replicas), lasts: lasts}
	for p.more() {
		faults := round()
		if len(kinds) > 0 {
			faults = slices.DeleteFunc(faults, func(f Fault) bool { return !slices.Contains(kinds, f.Kind) })
		}
		if len(faults) == 0 {
			return nil
		}
		r.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
		for _, f := range faults {
			p.place(f)
		}
	}
	slices.SortStableFunc(p.plan, func(a, b Fault) int { return int(a.At - b.At) })
	return p.plan
}

// planner knows until when each replica is busy.
type planner struct {
	*rand.Rand
	busy  []time.Duration
	lasts time.Duration
	plan  []Fault
}

// more: the one that is free first is free before the end.
func (p *planner) more() bool { return slices.Min(p.busy) < p.lasts }

func (p *planner) place(f Fault) {
	pause := time.Duration(500+p.IntN(1500)) * time.Millisecond
	if f.Replica < 0 {
		f.At = slices.Max(p.busy) + pause
		for i := range p.busy {
			p.busy[i] = f.At + f.takes()
		}
	} else {
		f.Replica = p.IntN(len(p.busy))
		f.At = max(p.busy[f.Replica], p.second()) + pause
		p.busy[f.Replica] = f.At + f.takes()
	}
	if f.At < p.lasts {
		p.plan = append(p.plan, f)
	}
}

// second is when no more than one replica is busy.
func (p *planner) second() time.Duration {
	sorted := slices.Sorted(slices.Values(p.busy))
	return sorted[max(0, len(sorted)-2)]
}
