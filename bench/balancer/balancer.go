// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package balancer forwards TCP connections to those backends that say they are ready, as a Service in front of Pods does.
//
// It stands between an API server without a cluster around it and several replicas that answer its webhooks. What it copies from
// kube-proxy, since tests depend on it:
//
//   - Readiness decides about new connections only. An open one stays with its backend, ready or not, until one side closes it.
//   - Ready backends take turns. A connection that meets no ready backend is closed.
//   - A backend is not ready until its ready URL has answered 200 once. It is until that has failed twice in a row.
//
// It knows nothing of what it forwards; TLS passes through.
package balancer

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Backend is one replica. Two backends are the same if all their fields are.
type Backend struct {
	// Name is what Ready reports.
	Name string
	// Addr is where connections go, as host:port.
	Addr string
	// ReadyURL answers 200 when the backend may get connections.
	ReadyURL string
}

// Balancer is a listener, and the backends behind it.
type Balancer struct {
	listener net.Listener
	period   time.Duration
	probe    *http.Client

	mu       sync.Mutex
	backends []*backend
	turn     int
	only     []string            // names; empty: all
	open     map[net.Conn]string // connections of clients, and to whom they go
}

// backend is a Backend and what its last probes said. Balancer.mu guards it.
type backend struct {
	Backend
	ready  bool
	asked  bool // a probe is under way
	failed int  // probes in a row
}

// New listens at once, so that Addr is known, and forwards when Run is called. Each backend is probed once a period, or when
// the last probe has ended, if that is later.
func New(listen string, backends []Backend, period time.Duration) (*Balancer, error) {
	if period <= 0 {
		return nil, errors.New("making a balancer: the period must be positive")
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("making a balancer: %w", err)
	}
	b := &Balancer{
		listener: listener,
		period:   period,
		open:     map[net.Conn]string{},
		probe: &http.Client{
			Timeout: probeTimeout,
			Transport: &http.Transport{
				// A connection that is kept would hide that the backend accepts no more.
				DisableKeepAlives: true,
				// A kubelet does not verify the certificate of what it probes either.
				TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
			},
			// A probe that is sent elsewhere says nothing about this backend.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	b.Set(backends)
	return b, nil
}

// Addr is where the balancer listens, as host:port.
func (b *Balancer) Addr() string { return b.listener.Addr().String() }

// Set replaces the backends. One that stays keeps its readiness, a new one has to show it. Connections to one that is gone stay,
// as they do when it turns unready.
func (b *Balancer) Set(backends []Backend) {
	b.mu.Lock()
	defer b.mu.Unlock()

	known := make(map[Backend]bool, len(b.backends))
	for _, old := range b.backends {
		known[old.Backend] = old.ready
	}
	b.backends = make([]*backend, 0, len(backends))
	for _, wanted := range backends {
		b.backends = append(b.backends, &backend{Backend: wanted, ready: known[wanted]})
	}
}

// Only lets connections go to the named backends and no others, and closes those that do; without a name, to all again. It is
// what a test needs that asks one backend after the other.
func (b *Balancer) Only(names ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.only = names
	for connection, name := range b.open {
		if !b.may(name) {
			_ = connection.Close()
		}
	}
}

func (b *Balancer) may(name string) bool { return len(b.only) == 0 || slices.Contains(b.only, name) }

// opened notes where a connection goes. It reports false if it may not go there any more.
func (b *Balancer) opened(client net.Conn, name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open[client] = name
	return b.may(name)
}

func (b *Balancer) closed(client net.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, client)
}

// Ready names the backends that get connections, in the order in which Set gave them.
func (b *Balancer) Ready() []string {
	b.mu.Lock()
	defer b.mu.Unlock()

	var names []string
	for _, backend := range b.backends {
		if backend.ready {
			names = append(names, backend.Name)
		}
	}
	return names
}

// Connections is how many are open to the backends of a name, ready or not.
func (b *Balancer) Connections(name string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	count := 0
	for _, to := range b.open {
		if to == name {
			count++
		}
	}
	return count
}

// Run probes and forwards until the context ends; then it closes the listener and all connections, waits for them, and returns
// nil. It may be called once.
func (b *Balancer) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = b.listener.Close() })
	defer stop()

	var running sync.WaitGroup
	defer running.Wait()
	defer cancel() // before the wait

	running.Go(func() { b.probeUntil(ctx) })
	for {
		connection, err := b.listener.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				_ = connection.Close()
			}
			return nil
		case err != nil:
			return fmt.Errorf("accepting a connection: %w", err)
		}
		running.Go(func() { b.forward(ctx, connection) })
	}
}

// next gives the ready backend whose turn it is.
func (b *Balancer) next() (Backend, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()

	for range b.backends {
		b.turn = (b.turn + 1) % len(b.backends)
		if candidate := b.backends[b.turn]; candidate.ready && b.may(candidate.Name) {
			return candidate.Backend, true
		}
	}
	return Backend{}, false
}
