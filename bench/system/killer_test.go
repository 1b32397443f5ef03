// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package system

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func TestWaitersShareAKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns []int
		back := make(chan struct{})
		k := idleKiller()
		k.kill = func(turn int) error { turns = append(turns, turn); return nil }
		k.revive = func(int) error { <-back; return nil }

		require.NoError(t, k.wait())
		var others sync.WaitGroup
		for range 3 {
			others.Go(func() { require.NoError(t, k.wait()) })
		}
		synctest.Wait()
		require.Equal(t, []int{0}, turns, "nobody is killed before the first is back")
		back <- struct{}{}
		others.Wait()
		require.Equal(t, []int{0, 1}, turns)

		back <- struct{}{}
		require.NoError(t, k.rest())
		go func() { back <- struct{}{} }()
		require.NoError(t, k.wait(), "after a rest there is a next time")
		require.NoError(t, k.rest())
		require.Equal(t, []int{0, 1, 2}, turns)
	})
}

func TestFailedRevivalIsTold(t *testing.T) {
	lost := errors.New("it does not come back")
	k := idleKiller()
	k.kill = func(int) error { return nil }
	k.revive = func(int) error { return lost }
	require.NoError(t, k.wait())
	require.ErrorIs(t, k.rest(), lost)
	require.ErrorIs(t, k.wait(), lost, "and nobody else is killed")
}
