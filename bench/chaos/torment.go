// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/banyan-hns/banyan/bench/rig"
)

// torment a cluster by plan, let it come to rest, and judge it.
func torment(ctx context.Context, o options, ground rig.Ground) (r *result, err error) {
	s, err := open(ctx, o, ground)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	r = &result{options: o, facts: ground.Facts, names: s.Names, lanes: &lanes{}}
	if r.facts, err = s.Complete(ground.Facts); err != nil {
		return nil, err
	}
	forest, err := s.grow(ctx)
	if err != nil {
		return nil, err
	}
	s.users = &users{Client: s.Client, forest: forest, seed: o.seed, rate: o.rate}
	if err := s.users.settleIn(ctx); err != nil {
		return nil, err
	}
	if err := s.chaos(ctx, r); err != nil {
		return nil, err
	}
	return r, s.judge(ctx, r)
}

// chaos is the time with users and faults.
func (s *stage) chaos(ctx context.Context, r *result) error {
	working, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() { s.users.work(working) })
	all.Go(func() { r.lanes.watch(working, s.Set, s.Names) })
	err := s.perform(ctx, Plan(s.options.seed, s.options.replicas, s.options.duration, s.options.kinds...))
	if err == nil {
		s.Say("the last fault is over")
		err = s.settled(ctx, s.Names)
	}
	cancel()
	all.Wait()
	r.began, r.ended, r.deeds = s.began, time.Now(), s.deeds
	r.changes = fmt.Sprintf("%d done, %d refused, %d failed", s.users.done.Load(), s.users.refused.Load(), s.users.failed.Load())
	s.Say("changes by users: %s", r.changes)
	return err
}
