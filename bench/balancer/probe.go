// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package balancer

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// probeUntil asks all backends at once, then each period again, until the context ends.
func (b *Balancer) probeUntil(ctx context.Context) {
	tick := time.NewTicker(b.period)
	defer tick.Stop()
	for {
		b.probeAll(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// probeAll returns when every backend has answered or had its time. A slow backend delays no other's answer.
func (b *Balancer) probeAll(ctx context.Context) {
	b.mu.Lock()
	backends := b.backends // Set makes a new slice, so this one stays as it is
	b.mu.Unlock()

	var asked sync.WaitGroup
	for _, backend := range backends {
		asked.Go(func() {
			ready := b.answers(ctx, backend.ReadyURL)
			b.mu.Lock()
			backend.ready = ready
			b.mu.Unlock()
		})
	}
	asked.Wait()
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
