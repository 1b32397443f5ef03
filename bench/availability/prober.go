// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// askBound is longer than any request may take that waits for webhooks.
	askBound = 10 * time.Second
	// longest is what a request takes of which two webhooks, one after the other, do not
	// answer in time.
	longest = 5 * time.Second
)

// prober sends one kind of request, again and again, however long the answers take. It
// stops for a moment only when so many are open that the machine, or the API server,
// must be what is in the way.
type prober struct {
	probe
	client client.Client
	every  time.Duration

	mu       sync.Mutex
	answered int
	slowest  time.Duration
	failures []failure
}

// failure of one request.
type failure struct {
	began, ended time.Time
	err          error
}

func (f failure) took() time.Duration { return f.ended.Sub(f.began).Round(time.Millisecond) }

// run until the context ends, and then until the last answer is there.
func (p *prober) run(ctx context.Context) {
	var requests sync.WaitGroup
	defer requests.Wait()
	places := make(chan struct{}, max(1, int(longest/p.every)))
	ticker := time.NewTicker(p.every)
	defer ticker.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		select {
		case <-ctx.Done():
			return
		case places <- struct{}{}:
		}
		requests.Go(func() {
			defer func() { <-places }()
			p.send(ctx, fmt.Sprintf("probe-%d", i))
		})
	}
}

// send one request. The end of the probing must not look like a failure.
func (p *prober) send(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askBound)
	defer cancel()
	began := time.Now()
	err := p.ask(ctx, p.client, name)
	ended := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.failures = append(p.failures, failure{began, ended, err})
		return
	}
	p.answered++
	p.slowest = max(p.slowest, ended.Sub(began))
}

// sofar is what became of the requests until now.
func (p *prober) sofar() hook {
	p.mu.Lock()
	defer p.mu.Unlock()
	return hook{webhook: p.webhook, answered: p.answered, slowest: p.slowest, failures: slices.Clone(p.failures)}
}
