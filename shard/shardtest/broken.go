// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shardtest

import (
	"time"

	"github.com/banyan-hns/banyan/shard"
)

// Broken is a mistake that every member makes: the negative control of a search.
// A check that never fires proves nothing.
type Broken int

const (
	// Sound: no mistake.
	Sound Broken = iota
	// NoDeadline: a member writes until it is told that it was fenced.
	NoDeadline
	// NoGuard: a member writes until its lease ends, and its writes take as long
	// as half of that.
	NoGuard
	// BlindRelease: a member that gives a shard back reads its record, and writes
	// over whatever it read, as electors of leaders do.
	BlindRelease
	// ForeignClock: a member takes another for silent when the time that the other
	// wrote into its heartbeat is old by its own wall clock; those differ.
	ForeignClock
	// NoSuspend: a member that was out of touch goes on where it left off, once its
	// heartbeat is good.
	NoSuspend
)

// Controls are all mistakes, by what they are called.
var Controls = map[string]Broken{
	"no deadline": NoDeadline, "no guard, and long writes": NoGuard,
	"a release that does not compare": BlindRelease, "expiry by the clock of another": ForeignClock,
	"a gap that changes nothing": NoSuspend,
}

// until is when the gate of a member closes.
func (b Broken) until(holding shard.Holding, cfg shard.Config) shard.Instant {
	switch {
	case b == NoDeadline && holding.Until > 0:
		return 1 << 62
	case b == NoGuard && holding.Until > 0:
		return holding.Until + cfg.Guard
	}
	return holding.Until
}

// open reports whether a member takes a shard for one that is open. Whoever does not
// look at the time does not see that it has to suspend it, either.
func (b Broken) open(holding shard.Holding, id shard.ID) bool {
	return b.knows(holding, id) || (b == NoDeadline || b == NoGuard) && holding.Suspended(id)
}

// knows reports whether a member takes what it knows of a shard for new enough.
func (b Broken) knows(holding shard.Holding, id shard.ID) bool {
	return holding.Open(id) || b == NoSuspend && holding.Suspended(id)
}

// writeTime is how long one write of a member may take.
func (b Broken) writeTime(cfg shard.Config) time.Duration {
	if b == NoGuard {
		return cfg.LeaseDuration / 2
	}
	return cfg.WriteTimeout
}

// expect is the version that a write of a shard compares with.
func (b Broken) expect(put shard.PutShard, present shard.Version) shard.Version {
	if b == BlindRelease && put.Record.Holder == "" {
		return present
	}
	return put.Expect
}

// skew of the wall clock of a member: that of the last one in the alphabet is ahead.
func (b Broken) skew(name string, cfg shard.Config) time.Duration {
	if b == ForeignClock && name == Names[len(Names)-1] {
		return cfg.LeaseDuration
	}
	return 0
}
