// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/banyan-hns/banyan/bench/audit"
	"github.com/banyan-hns/banyan/shard"
)

// limits are how long a shard may be without an owner, in seconds. Two replicas may
// be in trouble at once, so the one that should take a shard can be the next to be found
// dead: each costs a lease. When all were killed at once, nobody knows who lives before
// that: a lease is over then for each, from when they are ready.
func limits() map[audit.Cause]float64 {
	lease, restart := shard.DefaultLeaseDuration.Seconds(), shard.DefaultRestartGrace.Seconds()
	return map[audit.Cause]float64{
		audit.CauseTakeover:  2*lease + 2,
		audit.CauseHandover:  lease + 2,
		audit.CauseRestart:   restart + lease,
		audit.CauseHand:      lease + 2,
		audit.CauseColdStart: lease + 2,
	}
}

// required are the rules that must have judged something: all, unless the run leaves
// out what some of them are about.
func (o options) required() []string {
	rules := slices.Clone(audit.Rules())
	if len(o.kinds) > 0 || o.replicas <= few {
		rules = slices.DeleteFunc(rules, func(rule string) bool { return rule == audit.RuleMoves || rule == audit.RuleFresh })
	}
	return rules
}

// told is what the checker is told of a run. The zero value is of a run in which
// nothing was done.
type told struct {
	mu    sync.Mutex
	marks audit.Marks
}

func (t *told) add(change func(*audit.Marks)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(&t.marks)
}

// scenario lets the ring judge what is done: from one time when all shards have their
// owners to the next, each shard moves as the ring demands, and no more.
func (s *stage) scenario(ctx context.Context, name string, after, restarted []string, do func() error) error {
	before := s.Names[:s.running]
	if err := s.settled(ctx, before); err != nil {
		return err
	}
	from := time.Now()
	if err := do(); err != nil {
		return err
	}
	if err := s.settled(ctx, after); err != nil {
		return err
	}
	s.told.add(func(m *audit.Marks) {
		m.Scenarios = append(m.Scenarios, audit.Scenario{
			Name: name, Span: audit.Span{From: from, To: time.Now()}, Before: before, After: after, Restarted: restarted,
		})
	})
	return nil
}

// steady lets the number of heartbeats be judged, while nothing happens.
func (s *stage) steady(ctx context.Context, name string, lasts time.Duration) error {
	from := time.Now()
	if err := pause(ctx, lasts); err != nil {
		return err
	}
	s.told.add(func(m *audit.Marks) {
		m.Steady = append(m.Steady, audit.Steady{
			Name: name, Span: audit.Span{From: from, To: time.Now()}, Members: s.running, Renew: shard.DefaultRenewPeriod.Seconds(),
		})
	})
	return nil
}
