// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/big"
	"net"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/banyan-hns/banyan/bench/rig"
)

// stepBound is how long anything that is waited for may take, on a machine with other
// work to do.
const stepBound = 2 * time.Minute

// measurement is under way.
type measurement struct {
	*rig.Rig
	options
	turns   []turn
	outages outages
}

// measure probes while disturbances and rotations go on.
func (m *measurement) measure(ctx context.Context) (result, error) {
	r := result{done: map[string]int{}}
	if err := m.scene(ctx); err != nil {
		return r, err
	}
	probing, end := context.WithCancel(ctx)
	defer end()
	var group sync.WaitGroup
	var probers []*prober
	for _, p := range probes {
		prober := &prober{probe: p, client: m.Client, every: m.every}
		probers = append(probers, prober)
		group.Go(func() { prober.run(probing) })
	}
	var rotated error
	group.Go(func() { r.rotations, rotated = m.rotations(probing) })

	began := time.Now()
	disturbed := m.disturb(ctx, r.done)
	r.took = time.Since(began)
	end()
	group.Wait()
	r.outages = m.outages.all
	for _, p := range probers {
		r.hooks = append(r.hooks, hook{webhook: p.webhook, answered: p.answered, slowest: p.slowest, failures: p.failures})
	}
	return r, errors.Join(disturbed, rotated)
}

// disturb takes turns until the time is over, each as a whole, and at least one of each.
func (m *measurement) disturb(ctx context.Context, done map[string]int) error {
	for i, began := 0, time.Now(); i < len(m.turns) || time.Since(began) < m.duration; i++ {
		if err := pause(ctx, m.calm); err != nil {
			return err
		}
		turn, replica := m.turns[i%len(m.turns)], m.Names[i%len(m.Names)]
		m.Say("%s of %s", turn.kind, replica)
		if err := m.take(ctx, turn, replica); err != nil {
			return fmt.Errorf("%s of %s: %w", turn.kind, replica, err)
		}
		done[turn.kind]++
	}
	return nil
}

// take a turn, and wait until all is well again.
func (m *measurement) take(ctx context.Context, turn turn, replica string) error {
	ctx, cancel := context.WithTimeout(ctx, stepBound)
	defer cancel()
	if err := turn.do(m, ctx, replica); err != nil {
		return err
	}
	return m.Settle(ctx)
}

// rotations of the certificate, until the context ends. Each waits until all replicas
// that are ready serve it.
func (m *measurement) rotations(ctx context.Context) (int, error) {
	if m.rotate == 0 {
		return 0, nil
	}
	for count := 0; ; count++ {
		if pause(ctx, m.rotate) != nil {
			return count, nil
		}
		serial, err := m.Set.Rotate()
		if err != nil {
			return count, err
		}
		err = m.until(ctx, "all replicas serve the new certificate", func(ctx context.Context) error {
			for _, name := range m.Set.Ready() {
				if err := m.serves(ctx, name, serial); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
			return nil
		})
		if ctx.Err() != nil {
			return count, nil
		}
		if err != nil {
			return count, err
		}
	}
}

// serves objects if a replica shows another certificate.
func (m *measurement) serves(ctx context.Context, name string, want *big.Int) error {
	dialer := tls.Dialer{
		NetDialer: &net.Dialer{Timeout: time.Second},
		Config:    &tls.Config{InsecureSkipVerify: true}, // only the number is of interest
	}
	conn, err := dialer.DialContext(ctx, "tcp", strings.TrimPrefix(m.Set.WebhookURL(name), "https://"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if got := conn.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber; got.Cmp(want) != 0 {
		return fmt.Errorf("it serves certificate %v, not %v", got, want)
	}
	return nil
}

// until something has no objection.
func (m *measurement) until(ctx context.Context, what string, check func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 200*time.Millisecond, stepBound, true, func(ctx context.Context) (bool, error) {
		last = check(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("waiting until %s: %w: %w", what, err, last)
	}
	return nil
}
