// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shardtest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/shardtest"
)

// The searches of the tests are small; `make search` runs the large ones.
const (
	searchFrom, searchTo = 4, 10
	randomRuns           = 600
)

func runs() uint64 {
	if testing.Short() {
		return randomRuns / 6
	}
	return randomRuns
}

// TestSearch: whatever goes wrong with one of three members at any tick, no
// invariant breaks. The negative control is TestMistakesAreFound.
func TestSearch(t *testing.T) {
	for _, policy := range []shard.RestartPolicy{shard.Reserve, shard.Spare} {
		t.Run(string(policy), func(t *testing.T) {
			s := &shardtest.Search{Faults: 1, From: searchFrom, To: searchTo, Policy: policy}
			s.Run()
			require.Empty(t, s.Broke)
			require.Greater(t, s.States, 10_000, "states that were told apart")
			require.Greater(t, s.Histories, 500, "histories that came to their end")
		})
	}
}

// TestRandomRuns: nor does it whatever goes wrong with all of them.
func TestRandomRuns(t *testing.T) {
	moves := 0
	for seed := range runs() {
		faults, moved := shardtest.RandomRun(seed, shardtest.Sound)
		require.Emptyf(t, faults, "seed %d", seed)
		moves += moved
	}
	require.Greater(t, moves, 10*int(runs()), "changes of holders")
}

// TestMistakesAreFound is the negative control of both: members that make a mistake
// are caught by the same searches.
func TestMistakesAreFound(t *testing.T) {
	for name, mistake := range shardtest.Controls {
		t.Run(name+", by the search", func(t *testing.T) {
			s := &shardtest.Search{Faults: 1, From: searchFrom, To: searchTo, Broken: mistake, Stop: true}
			s.Run()
			require.NotEmpty(t, s.Broke)
		})
		t.Run(name+", at random", func(t *testing.T) {
			for seed := range runs() {
				if faults, _ := shardtest.RandomRun(seed, mistake); len(faults) > 0 {
					return
				}
			}
			t.Fatalf("nothing broke in %d runs", runs())
		})
	}
}
