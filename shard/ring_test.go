// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var rewrite = flag.Bool("rewrite", false, "write the golden file of the ring anew")

func ordinals(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("banyan-%d", i)
	}
	return names
}

// TestRingGolden pins who holds what for one to nine replicas. A difference
// means that a new version of the library, or of our parameters, would move
// shards in every cluster that is upgraded: change ringAlgorithm with it.
func TestRingGolden(t *testing.T) {
	const file = "testdata/ring.txt"
	var got strings.Builder
	for n := 1; n <= 9; n++ {
		ring := NewRing(ordinals(n), DefaultShards)
		fmt.Fprintf(&got, "%d %s", n, ring.Key())
		for id := range DefaultShards {
			fmt.Fprintf(&got, " %s", strings.TrimPrefix(ring.Owner(ID(id)), "banyan-"))
		}
		got.WriteString("\n")
	}
	if *rewrite {
		require.NoError(t, os.WriteFile(file, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}

func TestRingMovesOnlyWhatItMust(t *testing.T) {
	for n := 2; n <= 9; n++ {
		full := NewRing(ordinals(n), DefaultShards)
		victims := ordinals(n)
		if n > 5 {
			victims = victims[n-1:]
		}
		for _, victim := range victims {
			rest := NewRing(slices.DeleteFunc(ordinals(n), func(name string) bool { return name == victim }), DefaultShards)
			for id := range ID(DefaultShards) {
				if full.Owner(id) != victim {
					require.Equalf(t, full.Owner(id), rest.Owner(id), "shard %d of %d replicas after the loss of %s", id, n, victim)
				}
			}
		}
	}
}

func TestRingBalance(t *testing.T) {
	for n := 1; n <= 9; n++ {
		ring := NewRing(ordinals(n), DefaultShards)
		counts := map[string]int{}
		for id := range ID(DefaultShards) {
			counts[ring.Owner(id)]++
		}
		require.Lenf(t, counts, n, "members that hold something, of %d", n)
		for name, count := range counts {
			require.LessOrEqualf(t, float64(count)*float64(n)/DefaultShards, 1.2, "share of %s among %d", name, n)
		}
	}
}

// TestRingIsAFunctionOfTheSet: the order and repetition of names do not matter;
// the key tells different inputs apart.
func TestRingIsAFunctionOfTheSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfDistinct(rapid.StringMatching("[a-z]{1,8}-[0-9]"), rapid.ID[string]).Draw(t, "names")
		shuffled := append(rapid.Permutation(names).Draw(t, "shuffled"), names...)
		a, b := NewRing(names, 32), NewRing(shuffled, 32)
		require.Equal(t, a.Key(), b.Key())
		require.Equal(t, a.owners, b.owners)
		require.NotEqual(t, a.Key(), NewRing(append(names, "another"), 32).Key())
		require.NotEqual(t, a.Key(), NewRing(names, 64).Key())
		for id := range ID(32) {
			if second := a.Second(id); len(names) > 1 {
				require.NotEmpty(t, second)
				require.NotEqual(t, a.Owner(id), second)
			} else {
				require.Empty(t, second)
			}
		}
	})
}

func TestEmptyRing(t *testing.T) {
	ring := NewRing(nil, 4)
	require.Empty(t, ring.Owner(3))
	require.Empty(t, ring.Second(3))
	require.False(t, ring.Has("a"))
	require.NotEmpty(t, ring.Key())
}
