// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"
)

// Instant is a reading of a monotonic clock that also runs while the machine
// sleeps. Only differences of instants of one host mean anything.
type Instant = time.Duration

// Config is what a member needs to know. The durations must be equal on all
// members but for the time of a rolling change; lengthen before you rely on it.
type Config struct {
	// Member is the stable name of this replica, such as its pod's.
	Member string
	// Instance distinguishes pods that had the same name in turn, such as the
	// pod's UID. Where it is empty, a restarted replica waits LeaseDuration
	// before it takes its place, unless its predecessor said goodbye.
	Instance string
	// Incarnation distinguishes the processes of one instance. It must be
	// unique, such as a random UUID.
	Incarnation string

	// Shards is the number of shards P, a power of two. Default 128.
	Shards int

	// LeaseDuration is how long a silent member is believed. Default 10s.
	LeaseDuration time.Duration
	// RenewPeriod is the time between heartbeats. Default 2s.
	RenewPeriod time.Duration
	// WriteTimeout bounds each single write, of records and of work. Default 2s.
	WriteTimeout time.Duration
	// Guard is how long before the end of its lease a member stops to write.
	// Default WriteTimeout + 500ms.
	Guard time.Duration

	// Settle is how long the ring must not have grown before shards move to a
	// newcomer, so that replicas that start together count as one change.
	// Default 3s; it never delays the take-over from a dead member.
	Settle time.Duration
	// RestartGrace is how long the place of a restarting member is kept.
	// Default 20s; 0 gives its shards away at once.
	RestartGrace time.Duration
	// RestartPolicy says who has the shards of a restarting member. Empty: Reserve.
	RestartPolicy RestartPolicy
	// Budget bounds the shards that are handed over at a time by one member, and to
	// one. Default 8.
	Budget int
	// TouchPeriod is how often, on average, the record of a shard is written anew by
	// its holder, for those who read no heartbeats. Zero: 10m.
	TouchPeriod time.Duration
	// StaleAfter is how long a heartbeat that nobody owns any more is kept. Zero: 1h.
	StaleAfter time.Duration
}

// Defaults of a Config, and the slack that Guard must have over WriteTimeout
// for scheduling and clock drift.
const (
	DefaultShards        = 128
	DefaultLeaseDuration = 10 * time.Second
	DefaultRenewPeriod   = 2 * time.Second
	DefaultWriteTimeout  = 2 * time.Second
	DefaultSettle        = 3 * time.Second
	DefaultRestartGrace  = 20 * time.Second
	DefaultBudget        = 8
	DefaultTouchPeriod   = 10 * time.Minute
	DefaultStaleAfter    = time.Hour

	GuardSlack = 500 * time.Millisecond

	// MaxShards keeps a typing error from filling the cluster with Leases.
	MaxShards = 4096
)

// Validate returns all faults, joined. Each names the field and the remedy.
func (c Config) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if c.Member == "" {
		fault("replica-name: is empty; set it to a stable name, such as the pod's")
	}
	if c.Incarnation == "" {
		fault("incarnation: is empty; set it to a unique value")
	}
	if c.Shards < 1 || c.Shards > MaxShards || bits.OnesCount(uint(c.Shards)) != 1 {
		fault("shards: is %d; set it to a power of two between 1 and %d", c.Shards, MaxShards)
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{
		{"lease-duration", c.LeaseDuration}, {"renew-period", c.RenewPeriod}, {"write-timeout", c.WriteTimeout},
	} {
		if d.value <= 0 {
			fault("%s: is %v; set it to a positive duration", d.name, d.value)
		}
	}
	if c.Guard < GuardFor(c.WriteTimeout) {
		fault("write-timeout: %v plus %v exceeds the guard of %v; lower it", c.WriteTimeout, GuardSlack, c.Guard)
	}
	if need := c.Guard + 2*c.RenewPeriod; need >= c.LeaseDuration {
		fault("lease-duration: is %v, but must exceed the guard of %v and two renew periods (%v in all); raise it, or lower renew-period or write-timeout",
			c.LeaseDuration, c.Guard, need)
	}
	if c.Settle < 0 {
		fault("settle: is %v; set it to zero or more", c.Settle)
	}
	if c.RestartGrace < 0 {
		fault("restart-grace: is %v; set it to zero or more", c.RestartGrace)
	}
	if !slices.Contains([]RestartPolicy{"", Reserve, Spare}, c.RestartPolicy) {
		fault("restart-policy: is %q; set it to %s or %s", c.RestartPolicy, Reserve, Spare)
	}
	if c.Budget < 1 {
		fault("budget: is %d; set it to one or more", c.Budget)
	}
	return errors.Join(faults...)
}
