// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"time"

	"github.com/banyan-hns/banyan/bench/rig"
)

// Kinds of disturbance.
const (
	kill   = "kill"   // SIGKILL, and a new container later
	stop   = "stop"   // SIGTERM, and a new container later
	freeze = "freeze" // SIGSTOP, and SIGCONT later
	roll   = "roll"   // SIGTERM and a new pod at once, of every replica in turn
)

// turn is a kind of disturbance and how it is done to one replica, or begun with it. It
// returns when the replica is on its way back.
type turn struct {
	kind string
	do   func(m *measurement, ctx context.Context, replica string) error
}

// turns are taken one after the other.
var turns = []turn{
	{kill, (*measurement).kill},
	{stop, (*measurement).stop},
	{freeze, (*measurement).freeze},
	{roll, (*measurement).roll},
}

// busiest is the replica that the API server has most connections to. It keeps them for
// long, so that any other might not be asked at all.
func (m *measurement) busiest() string {
	return slices.MaxFunc(m.Names, func(a, b string) int { return m.Set.Connections(a) - m.Set.Connections(b) })
}

func (m *measurement) kill(ctx context.Context, replica string) error {
	o := outage{kind: kill, replica: replica, from: time.Now()}
	if err := m.Set.Kill(replica); err != nil {
		return err
	}
	if err := m.notice(ctx, &o); err != nil {
		return err
	}
	m.outages.add(o)
	if err := rig.Pause(ctx, time.Until(o.from.Add(m.down))); err != nil {
		return err
	}
	return m.Set.StartReplica(ctx, replica)
}

// stop leaves nothing to explain: a replica that is told to end answers to the last.
func (m *measurement) stop(ctx context.Context, replica string) error {
	if err := m.Set.Terminate(replica); err != nil {
		return err
	}
	if err := rig.Pause(ctx, m.down); err != nil {
		return err
	}
	return m.Set.StartReplica(ctx, replica)
}

// freeze: the API server keeps its connections to a replica that is frozen, and has no
// answer on them, until it gives them up by itself or the replica goes on.
func (m *measurement) freeze(ctx context.Context, replica string) error {
	o := outage{kind: freeze, replica: replica, from: time.Now()}
	if err := m.Set.Signal(replica, syscall.SIGSTOP); err != nil {
		return err
	}
	noticing, cancel := context.WithTimeout(ctx, m.down)
	defer cancel()
	given := m.notice(noticing, &o) == nil
	if err := rig.Pause(ctx, time.Until(o.from.Add(m.down))); err != nil {
		return err
	}
	if err := m.Set.Signal(replica, syscall.SIGCONT); err != nil {
		return err
	}
	err := m.Set.WaitReady(ctx, replica)
	if !given {
		o.until = time.Now()
	}
	m.outages.add(o)
	return err
}

// roll replaces all replicas, as a StatefulSet does: the last first, each when the one
// before is ready. It leaves nothing to explain either.
func (m *measurement) roll(ctx context.Context, _ string) error {
	for _, replica := range slices.Backward(m.Names) {
		if err := m.Set.Terminate(replica); err != nil {
			return err
		}
		if err := m.Set.ReplaceReplica(ctx, replica); err != nil {
			return err
		}
		if err := m.Set.WaitReady(ctx, replica); err != nil {
			return err
		}
	}
	return nil
}

// notice waits until no request can meet the replica any more.
func (m *measurement) notice(ctx context.Context, o *outage) error {
	ticker := time.NewTicker(slack / 5)
	defer ticker.Stop()
	for {
		ready := slices.Contains(m.Set.Ready(), o.replica)
		if !ready && o.noticed.IsZero() {
			o.noticed = time.Now()
		}
		if !ready && m.Set.Connections(o.replica) == 0 {
			o.until = time.Now()
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting until nobody is sent to %s: %w", o.replica, context.Cause(ctx))
		case <-ticker.C:
		}
	}
}
