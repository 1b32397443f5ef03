// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// askBound is longer than any webhook may take.
const askBound = 10 * time.Second

// prober sends one kind of request, again and again, however long the answers take.
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

// run until the context ends, and then until the last answer is there.
func (p *prober) run(ctx context.Context) {
	var requests sync.WaitGroup
	defer requests.Wait()
	ticker := time.NewTicker(p.every)
	defer ticker.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			requests.Go(func() { p.send(ctx, fmt.Sprintf("probe-%d", i)) })
		}
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
