// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/banyan-hns/banyan/bench/rig"
)

// stepBound is how long anything that is waited for may take, on a machine with other
// work to do.
const stepBound = 2 * time.Minute

// measurement is under way.
type measurement struct {
	*rig.Rig
	options
	turns   []turn
	outages outages
	probers []*prober
}

// measure probes while disturbances and rotations go on.
func (m *measurement) measure(ctx context.Context) (result, error) {
	r := result{done: map[string]int{}}
	if err := m.scene(ctx); err != nil {
		return r, err
	}
	probing, end := context.WithCancel(ctx)
	defer end()
	var group sync.WaitGroup
	for _, p := range probes {
		prober := &prober{probe: p, client: m.Client, every: m.every}
		m.probers = append(m.probers, prober)
		group.Go(func() { prober.run(probing) })
	}
	var rotated error
	if !m.issued && m.rotate > 0 {
		group.Go(func() { rotated = m.rotateFiles(probing) })
	}
	group.Go(func() { r.served = m.watchCertificates(probing) })

	began := time.Now()
	disturbed := m.disturb(ctx, r.done)
	r.took = time.Since(began)
	end()
	group.Wait()
	r.outages, r.hooks = m.outages.list(), m.sofar()
	return r, errors.Join(disturbed, rotated)
}

func (m *measurement) sofar() (hooks []hook) {
	for _, p := range m.probers {
		hooks = append(hooks, p.sofar())
	}
	return hooks
}

// disturb takes turns until the time is over, each as a whole, and at least one of each.
func (m *measurement) disturb(ctx context.Context, done map[string]int) error {
	for i, began := 0, time.Now(); i < len(m.turns) || time.Since(began) < m.duration; i++ {
		if err := rig.Pause(ctx, m.calm); err != nil {
			return err
		}
		turn, replica := m.turns[i%len(m.turns)], m.busiest()
		m.Say("%s, %s first", turn.kind, replica)
		if err := m.take(ctx, turn, replica); err != nil {
			return fmt.Errorf("%s of %s: %w", turn.kind, replica, err)
		}
		done[turn.kind]++
		m.Say("%v", result{outages: m.outages.list(), hooks: m.sofar()}.tally())
	}
	return nil
}

// take a turn, and wait until all is well again.
func (m *measurement) take(ctx context.Context, turn turn, replica string) error {
	ctx, cancel := context.WithTimeout(ctx, stepBound)
	defer cancel()
	if err := turn.do(m, ctx, replica); err != nil {
		return err
	}
	return m.Settle(ctx)
}

// until something has no objection.
func (m *measurement) until(ctx context.Context, what string, check func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 200*time.Millisecond, stepBound, true, func(ctx context.Context) (bool, error) {
		last = check(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("waiting until %s: %w: %w", what, err, last)
	}
	return nil
}
