// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/bench/trees"
)

// Bounds of what is waited for.
const (
	buildBound = time.Hour // a forest, and its copies
	stepBound  = 2 * time.Minute
)

// getRate is how many GETs a second the API server is asked for, to compare with. They
// are few enough not to be a load.
const getRate = 10

// measurement is under way.
type measurement struct {
	trees.Grower
	rate     int
	duration time.Duration
}

// measure builds the forest, then asks while shards change hands.
func (m *measurement) measure(ctx context.Context) (result, error) {
	r := result{namespaces: len(m.Forest), trees: len(m.Forest.At(0)), copies: m.Copies(), rate: m.rate, duration: m.duration}
	all, err := m.prepare(ctx)
	if err != nil {
		return r, err
	}
	asked := m.Names[0]
	before, err := scrape(ctx, m.Set.MetricsURL(asked))
	if err != nil {
		return r, err
	}
	s, err := newSender(m.Set.WebhookURL(asked), m.Set.CABundle(), m.rate)
	if err != nil {
		return r, err
	}
	m.Say("sending %d requests to %s in %v", len(all), asked, m.duration)
	if err := m.together(ctx, &r, s, all); err != nil {
		return r, err
	}
	after, err := scrape(ctx, m.Set.MetricsURL(asked))
	if err != nil {
		return r, err
	}
	for _, path := range paths() {
		r.hooks = append(r.hooks, hook{
			path: path, denied: s.denied[path], times: s.times[path], handler: after[path].since(before[path]),
		})
	}
	r.wrong = s.wrong
	return r, nil
}

// prepare grows the forest and encodes the requests.
func (m *measurement) prepare(ctx context.Context) ([]sendable, error) {
	ctx, cancel := context.WithTimeout(ctx, buildBound)
	defer cancel()
	m.Say("growing %d namespaces in %d trees", len(m.Forest), len(m.Forest.At(0)))
	if _, err := m.Grow(ctx); err != nil {
		return nil, err
	}
	m.Say("copying to all of them: %d copies", m.Copies())
	if _, err := m.FanOut(ctx); err != nil {
		return nil, err
	}
	places, err := m.newPlaces(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := m.Quiet(ctx); err != nil {
		return nil, err
	}
	asks, err := newAsks(places)
	if err != nil {
		return nil, err
	}
	sequence, err := newMix(asks)
	if err != nil {
		return nil, err
	}
	return sequence.sequence(int(m.duration.Seconds()) * m.rate), nil
}

// together sends, asks the API server, disturbs and watches, all at the same time.
func (m *measurement) together(ctx context.Context, r *result, s *sender, all []sendable) error {
	var errs [4]error
	sending, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		errs[0] = s.run(ctx, all)
		stop()
	})
	group.Go(func() { r.gets, errs[1] = m.get(sending) })
	group.Go(func() { r.resync, errs[2] = m.watchResync(sending, m.Names[0]) })
	group.Go(func() { errs[3] = m.disturb(ctx, m.Names[len(m.Names)-1]) })
	group.Wait()
	return errors.Join(errs[:]...)
}

// get namespaces, until the context ends.
func (m *measurement) get(ctx context.Context) (times []time.Duration, err error) {
	var mu sync.Mutex
	n := int(m.duration.Seconds()) * getRate
	ended := rig.Paced(ctx, getRate, n, func(i int, due time.Time) {
		name := m.Forest[i%len(m.Forest)].Name
		failed := m.Client.Get(context.WithoutCancel(ctx), client.ObjectKey{Name: name}, &corev1.Namespace{})
		took := time.Since(due)
		mu.Lock()
		defer mu.Unlock()
		times = append(times, took)
		err = errors.Join(err, failed)
	})
	if ended != nil && ctx.Err() == nil {
		return nil, ended
	}
	return times, err
}

// resync is what one replica had to read again meanwhile.
type resync struct {
	most  int // namespaces that waited
	lasts time.Duration
}

// watchResync until the context ends.
func (m *measurement) watchResync(ctx context.Context, name string) (resync, error) {
	var seen resync
	last := time.Now()
	err := m.WatchBacklog(ctx, func(b rig.Backlog) {
		if b.Pending > 0 {
			seen.most, seen.lasts = max(seen.most, b.Pending), seen.lasts+b.At.Sub(last)
		}
		last = b.At
	}, name)
	return seen, err
}

// disturb: after a while a replica is killed, the others take its shards and read its
// namespaces again; later it comes back, and is given what it had.
func (m *measurement) disturb(ctx context.Context, name string) error {
	if err := rig.Pause(ctx, m.duration/10); err != nil {
		return err
	}
	m.Say("killing %s", name)
	if err := m.Set.Kill(name); err != nil {
		return err
	}
	if err := rig.Pause(ctx, m.duration*6/10); err != nil {
		return err
	}
	m.Say("starting %s again", name)
	if err := m.Set.StartReplica(ctx, name); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, stepBound)
	defer cancel()
	return m.Set.WaitReady(ctx, m.Names...)
}

// until something is so.
func (m *measurement) until(ctx context.Context, what string, so func(context.Context) (bool, error)) error {
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, stepBound, true, so)
	if err != nil {
		return fmt.Errorf("waiting until %s: %w", what, err)
	}
	return nil
}
