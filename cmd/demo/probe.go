// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// prober asks for admission all the time, as a user would notice it: each request
// creates an anchor, for show only (dry run), and passes through the balancer.
type prober struct {
	client client.Client
	cancel context.CancelFunc
	done   chan struct{}

	mu       sync.Mutex
	answered int
	failures []failure
	slowest  time.Duration
}

// failure of one request that got no answer from any replica.
type failure struct {
	began time.Time
	err   error
}

const probeEvery = 20 * time.Millisecond

func startProber(ctx context.Context, c client.Client) *prober {
	ctx, cancel := context.WithCancel(ctx)
	p := &prober{client: c, cancel: cancel, done: make(chan struct{})}
	go p.run(ctx)
	return p
}

func (p *prober) run(ctx context.Context) {
	defer close(p.done)
	var requests sync.WaitGroup
	defer requests.Wait()
	ticker := time.NewTicker(probeEvery)
	defer ticker.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			requests.Go(func() { p.ask(i) })
		}
	}
}

// ask sends one request. It has a context of its own: the end of the probing must
// not look like a failure.
func (p *prober) ask(i int) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	anchor := &api.SubnamespaceAnchor{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: fmt.Sprintf("probe-%d", i)}}
	began := time.Now()
	err := p.client.Create(ctx, anchor, client.DryRunAll)
	took := time.Since(began)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.failures = append(p.failures, failure{began, err})
		return
	}
	p.answered++
	p.slowest = max(p.slowest, took)
}

// stop ends the probing and waits for the last answer.
func (p *prober) stop() {
	p.cancel()
	<-p.done
}

// judge tells the failures that the killed replica explains, since the balancer had
// not noticed yet, from those that nothing explains.
func (p *prober) judge(killed, unready time.Time) (explained int, unexplained []failure) {
	for _, f := range p.failures {
		broken := strings.Contains(f.err.Error(), "failed calling webhook")
		if broken && f.began.After(killed.Add(-time.Second)) && f.began.Before(unready) {
			explained++
			continue
		}
		unexplained = append(unexplained, f)
	}
	return explained, unexplained
}
