// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package gate lets a write pass only while this replica holds the shard that it
// falls into. It is the one place where ownership is asked.
//
// A write passes three times:
//
//  1. Client derives the shard from the namespace that is written to, refuses
//     what is not held or not conditional, counts the write, and bounds it by
//     the write timeout.
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
	"sync"
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

	holding  atomic.Pointer[shard.Holding]
	inflight []flight
	counts   Counts
}

// flight is the writes into one shard that have begun and not ended.
type flight struct {
	mu      sync.Mutex
	begun   uint64 // how many have, ever
	writes  map[uint64]struct{}
	waiters map[chan struct{}]uint64 // for the end of all that had begun by then
}

// Counts of decisions since the start, for metrics.
type Counts struct {
	Allowed, NotOwner, Moving, Suspended, Unconditional, Ungated atomic.Int64
	// TimedOut are writes that were admitted, and cut off at their bound.
	TimedOut atomic.Int64
}

// New returns a gate that admits nothing yet. Each write is bounded by timeout;
// clock must be the one that the holdings are made with.
func New(shards int, timeout time.Duration, clock func() shard.Instant) *Gate {
	g := &Gate{clock: clock, timeout: timeout, inflight: make([]flight, shards)}
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

// Open reports whether the shard is held, be it suspended or not. It is a hint, for
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

type (
	permitKey      struct{}
	acknowledgeKey struct{}
)

// permit is what Transport looks for in the context of a request.
type permit struct {
	id    shard.ID
	epoch int64
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
	epoch, err := g.admit(id)
	if err != nil {
		flight.end(write)
		return nil, nil, fmt.Errorf("writing into shard %d: %w", id, err)
	}
	g.counts.Allowed.Add(1)
	bounded, cancel := context.WithTimeout(context.WithValue(ctx, permitKey{}, permit{id, epoch}), g.timeout)
	return bounded, func() {
		timedOut := errors.Is(bounded.Err(), context.DeadlineExceeded)
		cancel()
		if timedOut {
			g.counts.TimedOut.Add(1)
			// The server may still carry it out: it gives up when we do, but not
			// in the same moment.
			time.AfterFunc(shard.GuardSlack, func() { flight.end(write) })
			return
		}
		flight.end(write)
	}, nil
}

func (g *Gate) admit(id shard.ID) (epoch int64, err error) {
	holding := g.Holding()
	switch {
	case broken || holding.Owns(id, g.clock()):
		return holding.Epoch(id), nil
	case holding.Open(id):
		g.counts.Suspended.Add(1)
		return 0, ErrSuspended
	default:
		g.counts.NotOwner.Add(1)
		return 0, ErrNotOwner
	}
}

// Drain waits until the writes into the shard that have begun before have ended.
// After a shard was closed by Publish these are all.
func (g *Gate) Drain(ctx context.Context, id shard.ID) error {
	select {
	case <-g.inflight[id].ended():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("draining shard %d: %w", id, ctx.Err())
	}
}

func (f *flight) begin() (write uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begun++
	f.writes[f.begun] = struct{}{}
	return f.begun
}

func (f *flight) end(write uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.writes, write)
	for waiter, last := range f.waiters {
		if !f.under(last) {
			close(waiter)
			delete(f.waiters, waiter)
		}
	}
}

// under reports whether a write is under way that began no later than this one.
func (f *flight) under(last uint64) bool {
	for write := range f.writes {
		if write <= last {
			return true
		}
	}
	return false
}

// ended returns a channel that is closed when all that have begun have ended.
func (f *flight) ended() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	waiter := make(chan struct{})
	if f.under(f.begun) {
		f.waiters[waiter] = f.begun
	} else {
		close(waiter)
	}
	return waiter
}
