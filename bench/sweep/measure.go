// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/bench/trees"
)

// Bounds of what is waited for.
const (
	buildBound = time.Hour // a forest, and its copies
	sweepBound = 20 * time.Minute
	lastBound  = time.Minute // for changes that are under way at the end
)

const (
	lookEvery = 100 * time.Millisecond
	sayEvery  = 5 * time.Second
)

// measurement is under way.
type measurement struct {
	trees.Grower
	rate   int
	before time.Duration

	mu      sync.Mutex
	backlog []rig.Backlog
}

// measure changes while everything is calm, then while there is a sweep.
func (m *measurement) measure(ctx context.Context) (result, error) {
	r := result{namespaces: len(m.Forest), trees: len(m.Forest.At(0)), copies: m.Copies(), rate: m.rate}
	probes, err := m.prepare(ctx)
	if err != nil {
		return r, err
	}
	r.probes = len(probes)
	changer := newChanger(m.Client, probes)
	ctx, cancel := context.WithTimeout(ctx, m.before+sweepBound)
	defer cancel()
	copies, err := rig.Watch(ctx, m.Client, &rbacv1.RoleList{}, labels.Set{labelProbe: "true"})
	if err != nil {
		return r, err
	}
	var group sync.WaitGroup
	var watched error
	group.Go(func() { watched = changer.follow(copies.ResultChan()) })

	changing, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() {
		// It ends only because it is told to.
		_ = rig.Paced(changing, m.rate, math.MaxInt, func(int, time.Time) { changer.change(ctx) })
	})
	err = m.disturb(changing, changer, &r)
	stop()
	all.Wait()
	if err == nil {
		m.Say("waiting for the last changes")
		err = m.arrived(ctx, changer)
	}
	copies.Stop()
	group.Wait()
	r.changes, r.refusal = changer.all()
	r.counts, r.backlog = changer.counts(), m.backlog
	return r, errors.Join(err, watched)
}

// disturb kills a replica after a while, and returns when others have read again all that
// it had.
func (m *measurement) disturb(ctx context.Context, changer *changer, r *result) error {
	m.Say("changing one of %d sources %d times a second", len(changer.probes), m.rate)
	if err := rig.Pause(ctx, m.before); err != nil {
		return err
	}
	v, err := m.heaviest(ctx)
	if err != nil {
		return err
	}
	r.victim = v
	read, err := m.itemsRead(ctx, v.survivors)
	if err != nil {
		return err
	}
	watching, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	var watched error
	group.Go(func() { watched = m.WatchBacklog(watching, m.see(changer), v.survivors...) })

	m.Say("killing %s, which has %d namespaces in %d shards", v.name, v.namespaces, len(v.shards))
	r.killed = time.Now()
	err = m.Set.Kill(v.name)
	if err == nil {
		r.opened, err = m.openings(ctx, v)
	}
	if err == nil {
		m.Say("all of its shards are open again")
		r.items, err = m.swept(ctx, v, read)
		r.swept = time.Now()
	}
	stop()
	group.Wait()
	return errors.Join(err, watched)
}

// see keeps what a backlog was, and tells of it now and then.
func (m *measurement) see(changer *changer) func(rig.Backlog) {
	var said time.Time
	return func(b rig.Backlog) {
		m.mu.Lock()
		m.backlog = append(m.backlog, b)
		m.mu.Unlock()
		if b.At.Sub(said) >= sayEvery {
			n := changer.counts()
			m.Say("%d namespaces to read again, the oldest for %.1f s; %d changes have arrived, %d are under way", b.Pending, b.Oldest.Seconds(), n.done, n.underWay)
			said = b.At
		}
	}
}

// arrived waits until nothing is under way.
func (m *measurement) arrived(ctx context.Context, changer *changer) error {
	err := wait.PollUntilContextTimeout(ctx, lookEvery, lastBound, true, func(context.Context) (bool, error) {
		return changer.counts().underWay == 0, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return changer.lost()
	}
	if err != nil {
		return fmt.Errorf("waiting for the last changes: %w", err)
	}
	return nil
}
