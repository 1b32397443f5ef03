// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package system

import (
	"context"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/bench/replicas"
	"github.com/banyan-hns/banyan/shard"
)

// Midway blocks until a replica has been killed after the call. Whoever waits at
// the same time shares one kill; the replicas take turns. The one that was killed
// comes back, now at once, now only when the others have taken its shards, and
// no other is killed before all is well again.
func (s *System) Midway() {
	s.Helper()
	require.NoError(s, s.killer.wait())
}

// Rest waits until whoever was killed is back, and all is well.
func (s *System) Rest() {
	s.Helper()
	require.NoError(s, s.killer.rest())
}

// Outage kills all replicas, and starts them again after the function. It must
// not be called while others wait for a kill.
func (s *System) Outage(do func()) {
	s.Helper()
	s.Rest()
	for _, name := range Names {
		require.NoError(s, s.Set.Kill(name))
	}
	do()
	for _, name := range Names {
		require.NoError(s, s.Set.StartReplica(s.ctx, name))
	}
	s.Ready()
}

// killer ends one replica at a time, for those who wait for it.
type killer struct {
	kill   func(turn int) error
	revive func(turn int) error

	mu      sync.Mutex
	waiting []chan error
	idle    chan struct{} // closed while nobody works
	turn    int
	failed  error // of a revival, which nobody waited for
}

// moments that a killed replica stays away: it is restarted at once, or its lease
// ends before.
var moments = []time.Duration{time.Second, shard.DefaultLeaseDuration + shard.GuardFor(shard.DefaultWriteTimeout) + time.Second}

func newKiller(ctx context.Context, set *replicas.Set) *killer {
	k := idleKiller()
	k.kill = func(turn int) error { return set.Kill(Names[turn%len(Names)]) }
	k.revive = func(turn int) error {
		if err := pause(ctx, moments[turn%len(moments)]); err != nil {
			return err
		}
		return restart(ctx, set, Names[turn%len(Names)])
	}
	return k
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// recovery is how long it may take until all is well after a replica was started.
const recovery = 2 * time.Minute

// restart a replica, and wait until all is well.
func restart(ctx context.Context, set *replicas.Set, name string) error {
	ctx, cancel := context.WithTimeout(ctx, recovery)
	defer cancel()
	if err := set.StartReplica(ctx, name); err != nil {
		return err
	}
	if err := set.WaitReady(ctx, Names...); err != nil {
		return err
	}
	return set.WaitSettled(ctx, Names...)
}

func idleKiller() *killer {
	k := &killer{idle: make(chan struct{})}
	close(k.idle)
	return k
}

func (k *killer) wait() error {
	done := make(chan error, 1)
	k.mu.Lock()
	k.waiting = append(k.waiting, done)
	select {
	case <-k.idle:
		k.idle = make(chan struct{})
		go k.work()
	default:
	}
	k.mu.Unlock()
	return <-done
}

// work kills until nobody waits.
func (k *killer) work() {
	for {
		k.mu.Lock()
		waiting := k.waiting
		k.waiting = nil
		if len(waiting) == 0 {
			close(k.idle)
			k.mu.Unlock()
			return
		}
		turn, err := k.turn, k.failed
		k.turn++
		k.mu.Unlock()

		if err == nil {
			err = k.kill(turn)
		}
		for _, done := range waiting {
			done <- err
		}
		if err == nil {
			err = k.revive(turn)
		}
		k.mu.Lock()
		k.failed = err
		k.mu.Unlock()
	}
}

// rest returns when all is well again.
func (k *killer) rest() error {
	k.mu.Lock()
	idle := k.idle
	k.mu.Unlock()
	<-idle
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.failed
}
