// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package rig

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/banyan-hns/banyan/bench/requests"
)

const (
	// quietFor is how long nobody must have written. The back-off of whoever had to
	// try again is shorter.
	quietFor = time.Second
	// lookEvery is seldom enough not to keep the API server busy with its metrics.
	lookEvery = 250 * time.Millisecond
	// quietBound is how long anybody may go on writing.
	quietBound = 5 * time.Minute
)

// background is written all the time, or at any time later.
var background = []string{"leases", "events"}

// Quiet waits until nobody writes anything but Leases and Events, and returns the
// API server's counts at that time.
func (r *Rig) Quiet(ctx context.Context) (requests.Counts, error) {
	var counts requests.Counts
	total, since := -1, time.Now()
	err := wait.PollUntilContextTimeout(ctx, lookEvery, quietBound, true, func(ctx context.Context) (bool, error) {
		var err error
		if counts, err = requests.Scrape(ctx, r.server.Discovery().RESTClient()); err != nil {
			return false, err
		}
		if now := counts.Except(background...); now != total {
			total, since = now, time.Now()
		}
		return time.Since(since) >= quietFor, nil
	})
	if err != nil {
		return nil, fmt.Errorf("waiting until nobody writes: %w", err)
	}
	return counts, nil
}

// Settle waits until all replicas are ready, every shard has its owner, and every
// namespace was read again after the shards were acquired.
func (r *Rig) Settle(ctx context.Context) error {
	if err := r.Set.WaitReady(ctx, r.Names...); err != nil {
		return err
	}
	if err := r.Set.WaitSettled(ctx, r.Names...); err != nil {
		return err
	}
	return r.Swept(ctx, r.Names...)
}

// Swept waits until the named replicas have nothing left to read again.
func (r *Rig) Swept(ctx context.Context, names ...string) error {
	err := wait.PollUntilContextCancel(ctx, lookEvery, true, func(ctx context.Context) (bool, error) {
		for _, name := range names {
			if pending, err := r.Metric(ctx, name, metricPending); err != nil || pending > 0 {
				return false, err
			}
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the sweeps to end: %w", err)
	}
	return nil
}

// metricBound is how long a replica that has other things to do is asked again.
const metricBound = 30 * time.Second

// Metric of one replica; see Metrics.
func (r *Rig) Metric(ctx context.Context, replica, name string) (float64, error) {
	values, err := r.Metrics(ctx, replica, name)
	return values[name], err
}

// Metrics of one replica. Unlike that of the Set, it does not give up at once: on a
// busy machine an answer may be late, and a long measurement is not to end with it.
func (r *Rig) Metrics(ctx context.Context, replica string, names ...string) (map[string]float64, error) {
	var values map[string]float64
	var last error
	err := wait.PollUntilContextTimeout(ctx, lookEvery, metricBound, true, func(ctx context.Context) (bool, error) {
		values, last = r.Set.Metrics(ctx, replica, names...)
		return last == nil, nil
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, last)
	}
	return values, nil
}
