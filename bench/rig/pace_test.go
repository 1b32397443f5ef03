// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package rig

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPaced: work that takes long delays none that is due, and is waited for.
func TestPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var ended atomic.Int64
		require.NoError(t, Paced(t.Context(), 10, 5, func(i int, due time.Time) {
			require.Equal(t, time.Duration(i)*100*time.Millisecond, due.Sub(began))
			require.Equal(t, due, time.Now())
			time.Sleep(time.Minute)
			ended.Add(1)
		}))
		require.EqualValues(t, 5, ended.Load())
		require.Equal(t, time.Minute+400*time.Millisecond, time.Since(began))
	})
}

func TestPacedEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	over := errors.New("over")
	err := Paced(ctx, 1000, 1000, func(i int, _ time.Time) {
		if i == 3 {
			cancel(over)
		}
	})
	require.ErrorIs(t, err, over)
	require.ErrorIs(t, Pause(ctx, time.Hour), over)
}

func TestQuantile(t *testing.T) {
	var times []time.Duration
	for i := range 100 {
		times = append(times, time.Duration(100-i))
	}
	require.EqualValues(t, 51, Quantile(times, 0.5))
	require.EqualValues(t, 100, Quantile(times, 0.99))
	require.Zero(t, Quantile(nil, 0.5))
}
