// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shardtest_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/shardtest"
)

var rewrite = flag.Bool("rewrite", false, "write the transcripts of the scripts anew")

func config(shards int) shard.Config {
	return shard.Config{
		Shards:        shards,
		LeaseDuration: shard.DefaultLeaseDuration,
		RenewPeriod:   shard.DefaultRenewPeriod,
		WriteTimeout:  shard.DefaultWriteTimeout,
		Guard:         shard.GuardFor(shard.DefaultWriteTimeout),
		Settle:        shard.DefaultSettle,
		RestartGrace:  shard.DefaultRestartGrace,
		Budget:        shard.DefaultBudget,
	}
}

// TestScripts plays each story and compares what it printed. Read the scripts as
// the specification of the protocol; run with -rewrite after a change and read
// the difference.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			script, err := os.ReadFile(file)
			require.NoError(t, err)
			world := shardtest.New(config(128), 1)
			got, err := shardtest.Play(world, string(script))
			require.NoError(t, err)
			if *rewrite {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			require.Equal(t, string(script), got)
			if !strings.Contains(string(script), "loosen") {
				require.Empty(t, world.Faulted())
			}
		})
	}
}

// TestRandomFaults: whatever is killed, paused, cut off, deleted or lost, no
// invariant breaks, and after quiet each shard has the owner that the ring names.
func TestRandomFaults(t *testing.T) {
	for name, tc := range map[string]struct {
		seeds   int
		faults  shardtest.Faults
		latency shardtest.Latency
		policy  shard.RestartPolicy
	}{
		"on a good network": {
			seeds: 30, faults: shardtest.Faults{LoseRequest: 0.03, LoseAnswer: 0.03, Late: 0.03},
			latency: shardtest.Latency{Request: 10 * time.Millisecond, Watch: 20 * time.Millisecond},
		},
		"on a bad network": {
			seeds: 15, faults: shardtest.Faults{LoseRequest: 0.1, LoseAnswer: 0.1, Late: 0.1},
			latency: shardtest.Latency{Request: 10 * time.Millisecond, Watch: 20 * time.Millisecond},
		},
		"on a slow network": {
			seeds: 15, faults: shardtest.Faults{LoseRequest: 0.03, LoseAnswer: 0.03, Late: 0.03},
			latency: shardtest.Latency{Request: 300 * time.Millisecond, Watch: time.Second},
		},
		"on a good network, with a spare": {
			seeds: 30, faults: shardtest.Faults{LoseRequest: 0.03, LoseAnswer: 0.03, Late: 0.03},
			latency: shardtest.Latency{Request: 10 * time.Millisecond, Watch: 20 * time.Millisecond}, policy: shard.Spare,
		},
		"on a slow network, with a spare": {
			seeds: 15, faults: shardtest.Faults{LoseRequest: 0.03, LoseAnswer: 0.03, Late: 0.03},
			latency: shardtest.Latency{Request: 300 * time.Millisecond, Watch: time.Second}, policy: shard.Spare,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() {
				tc.seeds = 5
			}
			for seed := range tc.seeds {
				cfg := config(8)
				cfg.RestartPolicy = tc.policy
				world := shardtest.New(cfg, uint64(seed))
				world.Faults, world.Latency = tc.faults, tc.latency
				if tc.policy == shard.Spare {
					world.Scale("seat", len(shardtest.Names))
				}
				disturbAndCalm(t, world, uint64(seed))
			}
		})
	}
}

func disturbAndCalm(t *testing.T, world *shardtest.World, seed uint64) {
	shardtest.Disturb(world, seed, 2*time.Minute)
	require.Emptyf(t, world.Faulted(), "seed %d", seed)

	world.Faults = shardtest.Faults{}
	shardtest.Calm(world)
	world.Run(time.Minute)
	require.Emptyf(t, world.Faulted(), "seed %d, after quiet", seed)
	require.NotContainsf(t, world.Owners(), "", "seed %d: a shard has no owner after a quiet minute", seed)
	for _, name := range shardtest.Names {
		for _, s := range world.Status(name).Shards {
			require.Equalf(t, s.Expected, s.Holder, "seed %d: shard %d as %s sees it", seed, s.ID, name)
		}
	}
}
