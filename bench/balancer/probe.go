// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package balancer

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// Patience with a backend that was ready, as the manifest of Banyan has it: a busy machine is not to take every backend
// away at once.
const (
	probeTimeout     = 2 * time.Second
	failureThreshold = 2
)

// probeUntil asks all backends at once, then each period again, until the context ends.
func (b *Balancer) probeUntil(ctx context.Context) {
	var asked sync.WaitGroup
	defer asked.Wait()
	tick := time.NewTicker(b.period)
	defer tick.Stop()
	for {
		b.probeAll(ctx, &asked)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// probeAll asks those that have answered the last time, or have had their time. It does not wait: a slow backend delays no
// other's answer.
func (b *Balancer) probeAll(ctx context.Context, asked *sync.WaitGroup) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, backend := range b.backends {
		if backend.asked {
			continue
		}
		backend.asked = true
		asked.Go(func() {
			answers := b.answers(ctx, backend.ReadyURL)
			b.mu.Lock()
			defer b.mu.Unlock()
			backend.told(answers)
		})
	}
}

// told what the last probe said.
func (b *backend) told(answers bool) {
	b.asked = false
	if answers {
		b.ready, b.failed = true, 0
		return
	}
	b.failed++
	b.ready = b.ready && b.failed < failureThreshold
}

func (b *Balancer) answers(ctx context.Context, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	response, err := b.probe.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}
