// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shardtest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/shardtest"
)

func names(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("banyan-%d", i)
	}
	return all
}

// moved is how many moves between two rings there must be.
func moved(before, after int) (n int) {
	a, b := shard.NewRing(names(before), 128), shard.NewRing(names(after), 128)
	for id := range shard.ID(128) {
		if a.Owner(id) != b.Owner(id) {
			n++
		}
	}
	return n
}

// TestMoves: what an operator does moves each shard at most once, and no shard that
// need not move.
func TestMoves(t *testing.T) {
	roll := func(n int) (script string) {
		for i := n - 1; i >= 0; i-- {
			script += fmt.Sprintf("stop banyan-%d\nrun 3s\nstart banyan-%d\nrun 8s\n", i, i)
		}
		return script
	}
	for name, tc := range map[string]struct {
		replicas int
		policy   shard.RestartPolicy
		before   string // what happens before it
		script   string
		want     int
		most     int // of one shard; 0: one
	}{
		"a rolling update of three":                        {replicas: 3, script: roll(3)},
		"a rolling update of five":                         {replicas: 5, script: roll(5)},
		"a rolling update of three, with a spare":          {replicas: 3, policy: shard.Spare, script: roll(3), want: 128},
		"a rolling update of five, with a spare":           {replicas: 5, policy: shard.Spare, script: roll(5), want: 128},
		"a rolling update of two, of which one is a spare": {replicas: 2, policy: shard.Spare, script: roll(2), want: 128},
		// The spare is now the one that restarts as the last, so the seat that moves to
		// it first has to move again.
		"the next rolling update, with a spare": {
			replicas: 3, policy: shard.Spare, before: roll(3), script: roll(3),
			want: 128 + seated(3, "banyan-1"), most: 2,
		},
		"from three to five": {
			replicas: 3, want: moved(3, 5),
			script: "scale banyan 5\nstart banyan-3\nrun 1s\nstart banyan-4\nrun 30s\n",
		},
		"from three to five, with a spare": {
			replicas: 3, policy: shard.Spare, want: moved(2, 4),
			script: "scale banyan 5\nstart banyan-3\nrun 1s\nstart banyan-4\nrun 30s\n",
		},
		"from five to two, one after the other": {
			replicas: 5, want: moved(5, 2),
			script: "scale banyan 2\nrun 200ms\nleave banyan-4\nrun 2s\nleave banyan-3\nrun 2s\nleave banyan-2\nrun 5s\n",
		},
		"from five to two, long before they are told": {
			replicas: 5, want: moved(5, 2), script: "scale banyan 2\nrun 30s\n",
		},
		"from five to three, with a spare": {
			replicas: 5, policy: shard.Spare, want: moved(4, 2),
			script: "scale banyan 3\nrun 200ms\nleave banyan-4\nrun 2s\nleave banyan-3\nrun 5s\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config(128)
			cfg.RestartPolicy = tc.policy
			w := shardtest.New(cfg, 1)
			play(t, w, fmt.Sprintf("start %s\nscale banyan %d\nrun 12s\n", strings.Join(names(tc.replicas), " "), tc.replicas)+tc.before)
			require.NotContains(t, w.Owners(), "")
			before, began := w.Owners(), len(w.History())
			play(t, w, tc.script)
			require.NotContains(t, w.Owners(), "")
			require.Empty(t, w.Faulted())

			moves, each := 0, map[shard.ID]int{}
			for _, record := range w.History()[began:] {
				if holder := record.Holder.Member(); holder != "" && holder != before[record.ID] {
					before[record.ID] = holder
					moves++
					each[record.ID]++
					require.Equal(t, shard.ReasonHandover, record.Reason)
					require.LessOrEqual(t, each[record.ID], max(1, tc.most), "moves of shard %d", record.ID)
				}
			}
			require.Equal(t, tc.want, moves)
		})
	}
}

// seated is how many shards a seat has, of one less than there are replicas.
func seated(replicas int, seat string) (n int) {
	ring := shard.NewRing(names(replicas-1), 128)
	for id := range shard.ID(128) {
		if ring.Owner(id) == seat {
			n++
		}
	}
	return n
}

func play(t *testing.T, w *shardtest.World, script string) {
	t.Helper()
	_, err := shardtest.Play(w, script)
	require.NoError(t, err)
}
