// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"fmt"
	"slices"
	"time"
)

// Distribution tells how long something took, over all times that it happened.
// The zero Distribution is of nothing.
type Distribution struct {
	Count                               int
	Min, Median, P90, P99, Max, Average time.Duration
	Sum                                 time.Duration
}

func distribute(durations []time.Duration) Distribution {
	n := len(durations)
	if n == 0 {
		return Distribution{}
	}
	sorted := slices.Sorted(slices.Values(durations))
	// The smallest that so many percent do not exceed.
	percentile := func(percent int) time.Duration { return sorted[(percent*n+99)/100-1] }
	d := Distribution{
		Count: n, Min: sorted[0], Median: percentile(50), P90: percentile(90), P99: percentile(99), Max: sorted[n-1],
	}
	for _, duration := range sorted {
		d.Sum += duration
	}
	d.Average = d.Sum / time.Duration(n)
	return d
}

// String is one line, without the count.
func (d Distribution) String() string {
	if d.Count == 0 {
		return "none"
	}
	round := func(t time.Duration) time.Duration { return t.Round(time.Millisecond) }
	return fmt.Sprintf("min %v, median %v, p90 %v, p99 %v, max %v", round(d.Min), round(d.Median), round(d.P90), round(d.P99), round(d.Max))
}
