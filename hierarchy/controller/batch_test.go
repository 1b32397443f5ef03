// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// TestBatch: whoever comes while a reading is under way is not served by it, but
// all of them together by the next.
func TestBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b batches
		var readings atomic.Int32
		proceed := make(chan struct{})
		read := func() error {
			readings.Add(1)
			<-proceed
			return nil
		}
		var all sync.WaitGroup
		join := func() { all.Go(func() { require.NoError(t, b.join(t.Context(), "place a", read)) }) }
		join()
		synctest.Wait()
		require.EqualValues(t, 1, readings.Load())
		for range 5 {
			join()
		}
		synctest.Wait()
		require.EqualValues(t, 1, readings.Load(), "the second has to wait for the first")
		proceed <- struct{}{}
		synctest.Wait()
		require.EqualValues(t, 2, readings.Load(), "it began after all five had asked")
		proceed <- struct{}{}
		all.Wait()
		require.Empty(t, b.of, "nothing is remembered")
	})
}

func TestBatchThatFails(t *testing.T) {
	var b batches
	down := errors.New("the API server is down")
	require.ErrorIs(t, b.join(t.Context(), "place a", func() error { return down }), down)
	require.NoError(t, b.join(t.Context(), "place a", func() error { return nil }), "the next one reads again")
}
