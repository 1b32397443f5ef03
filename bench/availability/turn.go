// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"time"
)

// Kinds of disturbance.
const (
	kill = "kill" // SIGKILL, and a new container later
	stop = "stop" // SIGSTOP, and SIGCONT later
	roll = "roll" // SIGTERM, and a new pod
)

// turn is a kind of disturbance and how it is done to one replica. It returns when the
// replica is on its way back.
type turn struct {
	kind string
	do   func(m *measurement, ctx context.Context, replica string) error
}

// turns are taken one after the other, each by the next replica.
var turns = []turn{
	{kill, (*measurement).kill},
	{stop, (*measurement).stop},
	{roll, (*measurement).roll},
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
	if err := pause(ctx, time.Until(o.from.Add(m.down))); err != nil {
		return err
	}
	return m.Set.StartReplica(ctx, replica)
}

// stop: the API server keeps its connections to a replica that is stopped, and has no
// answer on them, until it gives them up by itself or the replica goes on.
func (m *measurement) stop(ctx context.Context, replica string) error {
	o := outage{kind: stop, replica: replica, from: time.Now()}
	if err := m.Set.Signal(replica, syscall.SIGSTOP); err != nil {
		return err
	}
	noticing, cancel := context.WithTimeout(ctx, m.down)
	defer cancel()
	given := m.notice(noticing, &o) == nil
	if err := pause(ctx, time.Until(o.from.Add(m.down))); err != nil {
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

// roll leaves nothing to explain: a replica that is told to end answers to the last.
func (m *measurement) roll(ctx context.Context, replica string) error {
	if err := m.Set.Terminate(replica); err != nil {
		return err
	}
	return m.Set.ReplaceReplica(ctx, replica)
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

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
