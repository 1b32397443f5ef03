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
		script   string
		want     int
	}{
		"a rolling update of three": {replicas: 3, script: roll(3)},
		"a rolling update of five":  {replicas: 5, script: roll(5)},
		"from three to five": {
			replicas: 3, want: moved(3, 5),
			script: "scale banyan 5\nstart banyan-3\nrun 1s\nstart banyan-4\nrun 30s\n",
		},
		"from five to two, one after the other": {
			replicas: 5, want: moved(5, 2),
			script: "scale banyan 2\nrun 200ms\nleave banyan-4\nrun 2s\nleave banyan-3\nrun 2s\nleave banyan-2\nrun 5s\n",
		},
		"from five to two, long before they are told": {
			replicas: 5, want: moved(5, 2), script: "scale banyan 2\nrun 30s\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := shardtest.New(config(128), 1)
			play(t, w, fmt.Sprintf("start %s\nscale banyan %d\nrun 12s\n", strings.Join(names(tc.replicas), " "), tc.replicas))
			require.NotContains(t, w.Owners(), "")
			before, began := w.Owners(), len(w.History())
			play(t, w, tc.script)
			require.NotContains(t, w.Owners(), "")
			require.Empty(t, w.Faulted())

			moves := 0
			for _, record := range w.History()[began:] {
				if holder := record.Holder.Member(); holder != "" && holder != before[record.ID] {
					before[record.ID] = holder
					moves++
				}
			}
			require.Equal(t, tc.want, moves)
		})
	}
}

func play(t *testing.T, w *shardtest.World, script string) {
	t.Helper()
	_, err := shardtest.Play(w, script)
	require.NoError(t, err)
}
