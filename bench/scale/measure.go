// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/banyan-hns/banyan/bench/trees"
)

// buildBound is how long a forest may take to grow, and its copies to arrive.
const buildBound = time.Hour

// measurement is under way.
type measurement struct {
	trees.Grower
	idle time.Duration
}

// measure builds the forest, then looks at the replicas doing nothing, then
// restarts one of them.
func (m *measurement) measure(ctx context.Context) (size, error) {
	s := size{namespaces: len(m.Forest), trees: len(m.Forest.At(0)), copies: m.Copies(), idle: m.idle}
	ctx, cancel := context.WithTimeout(ctx, buildBound)
	defer cancel()

	m.Say("growing %d namespaces in %d trees", s.namespaces, s.trees)
	started, err := m.processorTime(ctx)
	if err != nil {
		return s, err
	}
	if s.grew, err = m.Grow(ctx); err != nil {
		return s, err
	}
	grown, err := m.quietProcessorTime(ctx)
	if err != nil {
		return s, err
	}
	m.Say("copying to all of them: %d copies", s.copies)
	if s.fannedOut, err = m.FanOut(ctx); err != nil {
		return s, err
	}
	full, err := m.quietProcessorTime(ctx)
	if err != nil {
		return s, err
	}

	idled, quiet, err := m.watchIdle(ctx)
	if err != nil {
		return s, err
	}
	for i, name := range m.Names {
		u := use{name: name, growCPU: grown[i] - started[i], fanOutCPU: full[i] - grown[i], idleCPU: idled[i] - full[i]}
		if u.memory, err = m.afterCollection(ctx, name, quiet); err != nil {
			return s, err
		}
		s.replicas = append(s.replicas, u)
	}
	s.restart, err = m.restart(ctx, m.Names[0])
	return s, err
}

// watchIdle returns the processor time afterwards, and when the idle time began.
func (m *measurement) watchIdle(ctx context.Context) ([]float64, time.Time, error) {
	m.Say("watching %d replicas do nothing for %v", len(m.Names), m.idle)
	quiet := time.Now()
	select {
	case <-time.After(m.idle):
	case <-ctx.Done():
		return nil, quiet, context.Cause(ctx)
	}
	idled, err := m.processorTime(ctx)
	return idled, quiet, err
}

func (m *measurement) quietProcessorTime(ctx context.Context) ([]float64, error) {
	if _, err := m.Quiet(ctx); err != nil {
		return nil, err
	}
	return m.processorTime(ctx)
}

// processorTime of each replica since it started, in seconds.
func (m *measurement) processorTime(ctx context.Context) ([]float64, error) {
	var times []float64
	for _, name := range m.Names {
		seconds, err := m.Metric(ctx, name, "process_cpu_seconds_total")
		if err != nil {
			return nil, err
		}
		times = append(times, seconds)
	}
	return times, nil
}

// collectionBound: Go collects garbage at least every two minutes, unasked.
const collectionBound = 4 * time.Minute

// afterCollection waits until the replica has collected its garbage, so that its
// heap is what it needs and not what it has thrown away.
func (m *measurement) afterCollection(ctx context.Context, name string, since time.Time) (memory, error) {
	m.Say("waiting until %s has collected its garbage (up to two minutes)", name)
	err := wait.PollUntilContextTimeout(ctx, 2*time.Second, collectionBound, true, func(ctx context.Context) (bool, error) {
		last, err := m.Metric(ctx, name, "go_memstats_last_gc_time_seconds")
		return last > float64(since.UnixNano())/1e9, err
	})
	if err != nil {
		return memory{}, fmt.Errorf("waiting for %s to collect its garbage: %w", name, err)
	}
	return m.memory(ctx, name)
}

func (m *measurement) memory(ctx context.Context, name string) (memory, error) {
	resident, err := m.Metric(ctx, name, "process_resident_memory_bytes")
	if err != nil {
		return memory{}, err
	}
	heap, err := m.Metric(ctx, name, "go_memstats_heap_inuse_bytes")
	return memory{resident: resident, heap: heap}, err
}

// restart a replica, as a StatefulSet's container is.
func (m *measurement) restart(ctx context.Context, name string) (restart, error) {
	m.Say("restarting %s", name)
	if err := m.Set.Terminate(name); err != nil {
		return restart{}, err
	}
	began := time.Now()
	if err := m.Set.StartReplica(ctx, name); err != nil {
		return restart{}, err
	}
	if err := m.awaitReady(ctx, name); err != nil {
		return restart{}, err
	}
	r := restart{took: time.Since(began)}
	var err error
	if r.cpu, err = m.Metric(ctx, name, "process_cpu_seconds_total"); err != nil {
		return r, err
	}
	r.memory, err = m.memory(ctx, name)
	return r, err
}

// awaitReady asks the replica itself, more often than a balancer would.
func (m *measurement) awaitReady(ctx context.Context, name string) error {
	err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, 5*time.Minute, true, func(ctx context.Context) (bool, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, m.Set.HealthURL(name)+"/readyz", http.NoBody)
		if err != nil {
			return false, err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return false, nil // it does not listen yet
		}
		defer func() { _ = response.Body.Close() }()
		return response.StatusCode == http.StatusOK, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for %s to be ready: %w", name, err)
	}
	return nil
}
