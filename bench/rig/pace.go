// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package rig

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Paced calls work n times, so many a second, each in a goroutine of its own, and
// waits for all. Work is told when it was due. It begins no more of them after the end of
// the context, and returns the cause of that.
//
// Nothing waits for an answer before the next begins: who waited would not see what users
// see.
func Paced(ctx context.Context, rate, n int, work func(i int, due time.Time)) error {
	var all sync.WaitGroup
	defer all.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	began := time.Now()
	for i := range n {
		due := began.Add(time.Duration(i) * time.Second / time.Duration(rate))
		timer.Reset(time.Until(due))
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
		}
		all.Go(func() { work(i, due) })
	}
	return nil
}

// Pause for some time, or until the context ends.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// Quantile of times: the smallest of them that the given share does not exceed.
func Quantile(times []time.Duration, q float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	ordered := slices.Sorted(slices.Values(times))
	return ordered[min(len(ordered)-1, int(q*float64(len(ordered))))]
}
