// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestOfGolden pins the shard of some keys: it must never change, since two
// versions that disagree would both write.
func TestOfGolden(t *testing.T) {
	for key, want := range map[string]ID{ClusterKey: 97, "acme": 12, "team-a": 51, "": 25} {
		require.Equalf(t, want, Of(key, 128), "key %q", key)
	}
}

// TestOfLineage: doubling the shards splits each shard i into i and i+P, so that
// no key leaves its lineage.
func TestOfLineage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.String().Draw(t, "key")
		shards := 1 << rapid.IntRange(0, 11).Draw(t, "log2")
		require.Equal(t, Of(key, shards), Of(key, 2*shards)%ID(shards))
	})
}
