// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package gate lets a write pass only while this replica holds the shard that it
// falls into. It is the one place where ownership is asked.
//
// A write passes three times:
//
//  1. Client derives the shard from the namespace that is written to, refuses
//     what is not held or not conditional, counts the write, and bounds it by
//     the write timeout and by what is left of the lease.
//  2. Transport looks again in the moment before the request leaves, and refuses
//     every request that would change something and did not come through Client.
//  3. The API server compares the resourceVersion that each update, patch and
//     delete carries.
//
// The gate narrows the window between look and write to that of the last step; it
// cannot close it. What protects the rest is the guard time of package shard, and
// the conditions on the writes.
package gate

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/banyan-hns/banyan/shard"
)

var (
	// ErrNotOwner: another replica holds the shard, or nobody does.
	ErrNotOwner = errors.New("this replica does not hold the shard")
	// ErrMoving: the namespace is changing its tree. It is an ErrNotOwner: whoever holds
	// it afterwards looks at everything in it.
	ErrMoving = fmt.Errorf("the namespace is changing its tree: %w", ErrNotOwner)
	// ErrSuspended: this replica holds the shard, but could not renew its lease.
	ErrSuspended = errors.New("this replica has not renewed its lease in time")
	// ErrUnconditional: the write would change whatever it finds.
	ErrUnconditional = errors.New("the write carries no resourceVersion or precondition")
	// ErrUngated: the request did not come through the gated client.
	ErrUngated = errors.New("the request has no permit; write through the gated client")
)

// Gate admits writes to the shards of the Holding that was published last.
type Gate struct {
	clock   func() shard.Instant
	timeout time.Duration
	guard   time.Duration

	holding  atomic.Pointer[shard.Holding]
	inflight []flight
	counts   Counts
}

// Counts of decisions since the start, for metrics.
type Counts struct {
	Allowed, NotOwner, Moving, Suspended, Unconditional, Ungated atomic.Int64
	// TimedOut are writes that were admitted, and cut off at their bound.
	TimedOut atomic.Int64
	// Unanswered are writes that were sent, and ended here before the API server said
	// what became of them. Those that timed out are among them.
	Unanswered atomic.Int64
}

// New returns a gate that admits nothing yet. Each write is bounded by timeout, and
// ends before guard has passed since the end of the hold; clock must be the one that
// the holdings are made with.
func New(shards int, timeout, guard time.Duration, clock func() shard.Instant) *Gate {
	g := &Gate{clock: clock, timeout: timeout, guard: guard, inflight: make([]flight, shards)}
	for i := range g.inflight {
		g.inflight[i].writes = map[uint64]struct{}{}
		g.inflight[i].waiters = map[chan struct{}]uint64{}
	}
	g.holding.Store(&shard.Holding{})
	return g
}

// Publish makes a holding the one that is asked from now on.
func (g *Gate) Publish(h shard.Holding) { g.holding.Store(&h) }

// Holding that was published last.
func (g *Gate) Holding() shard.Holding { return *g.holding.Load() }

// Open reports whether the shard is held and open. It is a hint, for
// work that would come to nothing otherwise; only Begin admits writes.
func (g *Gate) Open(id shard.ID) bool { return broken || g.Holding().Open(id) }

// Counts of decisions.
func (g *Gate) Counts() *Counts { return &g.counts }

// Shards is the number of shards P.
func (g *Gate) Shards() int { return len(g.inflight) }

// InFlight is the number of writes that have begun and not ended.
func (g *Gate) InFlight() int {
	total := 0
	for i := range g.inflight {
		g.inflight[i].mu.Lock()
		total += len(g.inflight[i].writes)
		g.inflight[i].mu.Unlock()
	}
	return total
}

// Begin admits one write into a shard. The context that it returns bounds the
// write and carries the permit; end must be called when the write has ended.
//
// Invariant: a write that was admitted is counted before the holding is read.
// Reason: whoever closes the shard publishes first and counts afterwards, so it
// either sees the write or the write sees it.
func (g *Gate) Begin(ctx context.Context, id shard.ID) (_ context.Context, end func(), err error) {
	pass(beforeBegin)
	flight := &g.inflight[id]
	write := flight.begin()
	now := g.clock()
	holding, err := g.admit(id, now)
	bound := g.bound(holding, now)
	if err == nil && bound <= 0 {
		g.counts.Suspended.Add(1)
		err = ErrSuspended
	}
	if err != nil {
		flight.end(write)
		return nil, nil, fmt.Errorf("writing into shard %d: %w", id, err)
	}
	g.counts.Allowed.Add(1)
	p := &permit{id: id, epoch: holding.Epoch(id)}
	bounded, cancel := context.WithTimeout(context.WithValue(ctx, permitKey{}, p), bound)
	return bounded, func() {
		timedOut := errors.Is(bounded.Err(), context.DeadlineExceeded)
		cancel()
		if timedOut {
			g.counts.TimedOut.Add(1)
		}
		wait := p.undecided(g.timeout, time.Now())
		if timedOut {
			wait = max(wait, shard.GuardSlack)
		}
		if wait > 0 {
			g.counts.Unanswered.Add(1)
			time.AfterFunc(wait, func() { flight.end(write) })
			return
		}
		flight.end(write)
	}, nil
}

// bound of a write that begins now.
func (g *Gate) bound(holding shard.Holding, now shard.Instant) time.Duration {
	if broken {
		return g.timeout
	}
	return shard.WriteBound(now, holding.Until, g.timeout, g.guard)
}

// admit returns the holding by which the shard may be written to.
func (g *Gate) admit(id shard.ID, now shard.Instant) (shard.Holding, error) {
	holding := g.Holding()
	switch {
	case broken || holding.Owns(id, now):
		return holding, nil
	case holding.Open(id) || holding.Suspended(id):
		g.counts.Suspended.Add(1)
		return holding, ErrSuspended
	default:
		g.counts.NotOwner.Add(1)
		return holding, ErrNotOwner
	}
}

// Drain waits until the writes into the shard that have begun before have ended.
// After a shard was closed by Publish these are all. A write whose outcome is not
// known ends when the API server has given it up.
func (g *Gate) Drain(ctx context.Context, id shard.ID) error {
	select {
	case <-g.inflight[id].ended():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("draining shard %d: %w", id, ctx.Err())
	}
}
