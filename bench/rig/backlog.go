// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package rig

import (
	"context"
	"time"
)

// Backlog is what some replicas had to read again, at one moment.
type Backlog struct {
	At      time.Time
	Pending int
	// Oldest is how long the first of it had waited in a queue.
	Oldest time.Duration
}

// Names of the metrics of a backlog.
const (
	metricPending = "banyan_resync_pending"
	metricOldest  = "banyan_resync_oldest_seconds"
)

// WatchBacklog of the named replicas until the context ends, and tell of it each time.
func (r *Rig) WatchBacklog(ctx context.Context, tell func(Backlog), names ...string) error {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		var seen Backlog
		for _, name := range names {
			values, err := r.Metrics(context.WithoutCancel(ctx), name, metricPending, metricOldest)
			if err != nil {
				return err
			}
			seen.Pending += int(values[metricPending])
			seen.Oldest = max(seen.Oldest, time.Duration(values[metricOldest]*float64(time.Second)))
		}
		seen.At = time.Now()
		tell(seen)
	}
}
