// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDistribution(t *testing.T) {
	upTo := func(n int) (durations []time.Duration) {
		for i := n; i > 0; i-- {
			durations = append(durations, time.Duration(i)*time.Millisecond)
		}
		return durations
	}
	const ms = time.Millisecond
	tests := map[string]struct {
		durations []time.Duration
		want      Distribution
		wantText  string
	}{
		"of nothing": {wantText: "none"},
		"of one":     {upTo(1), Distribution{1, ms, ms, ms, ms, ms, ms, ms}, "min 1ms, median 1ms, p90 1ms, p99 1ms, max 1ms"},
		"of three":   {upTo(3), Distribution{3, ms, 2 * ms, 3 * ms, 3 * ms, 3 * ms, 2 * ms, 6 * ms}, "min 1ms, median 2ms, p90 3ms, p99 3ms, max 3ms"},
		"of two hundred": {upTo(200), Distribution{200, ms, 100 * ms, 180 * ms, 198 * ms, 200 * ms, 100500 * time.Microsecond, 20100 * ms},
			"min 1ms, median 100ms, p90 180ms, p99 198ms, max 200ms"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := distribute(tc.durations)
			require.Equal(t, tc.want, got)
			require.Equal(t, tc.wantText, got.String())
		})
	}
}
