// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package rig

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParallel(t *testing.T) {
	t.Run("does each piece of work once, by as many workers as it was told", func(t *testing.T) {
		const workers, n = 3, 30
		var done [n]atomic.Int32
		var meet sync.WaitGroup
		meet.Add(workers)
		require.NoError(t, Parallel(t.Context(), workers, n, func(_ context.Context, i int) error {
			done[i].Add(1)
			if i < workers { // they can only meet if they are under way at the same time
				meet.Done()
				meet.Wait()
			}
			return nil
		}))
		for i := range done {
			require.EqualValues(t, 1, done[i].Load(), i)
		}
	})
	t.Run("begins nothing after an error, and returns that", func(t *testing.T) {
		bad := errors.New("bad")
		calls := 0
		err := Parallel(t.Context(), 1, 10, func(_ context.Context, i int) error {
			calls++
			if i == 4 {
				return bad
			}
			return nil
		})
		require.ErrorIs(t, err, bad)
		require.Equal(t, 5, calls)
	})
	t.Run("begins nothing when the context has ended", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := Parallel(ctx, 2, 10, func(context.Context, int) error {
			t.Error("was called")
			return nil
		})
		require.ErrorIs(t, err, context.Canceled)
	})
	t.Run("has nothing to do", func(t *testing.T) {
		require.NoError(t, Parallel(t.Context(), 2, 0, nil))
	})
}
