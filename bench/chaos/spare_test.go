// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/bench/audit"
	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/shard"
)

// TestRollWithASpare replaces three replicas of which one is a spare, that one first:
// each shard is handed over once, to another replica, and nobody waits for a pod.
func TestRollWithASpare(t *testing.T) {
	o, err := parse([]string{"-seed", "1", "-replicas", "3", "-namespaces", "10", "-trees", "4"})
	require.NoError(t, err)
	ground, err := rig.Prepare(t.Context(), t.TempDir(), os.Getenv("BANYAN_BINARY"), io.Discard)
	require.NoError(t, err)
	s, err := open(t.Context(), o, ground)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	u := &teller{T: t, stage: s, world: "spare"}
	u.restart("--restart-policy=" + string(shard.Spare))
	root := u.named("root", u.Names[0])
	u.namespace(root)
	u.child(root, root+"-child")

	spare := u.spare()
	order := append([]string{spare}, slices.DeleteFunc(slices.Clone(u.Names), func(name string) bool { return name == spare })...)
	began := time.Now()
	for _, name := range order {
		require.NoError(t, s.Set.Terminate(name))
		u.role(root, "without-"+name) // somebody owns it, though this one is gone
		u.arrives(root+"-child", "without-"+name)
		require.NoError(t, s.Set.ReplaceReplica(t.Context(), name))
		require.NoError(t, s.settled(t.Context(), u.Names))
		require.Equal(t, name, u.spare(), "whoever comes back is the next spare")
	}
	ended := time.Now()

	report, err := s.audited()
	require.NoError(t, err)
	require.Empty(t, report.Violations, report.String())
	moves := report.Moves(began, ended)
	for id := range shard.ID(shard.DefaultShards) {
		require.Equalf(t, 1, moves[id], "moves of shard %d", id)
	}
	var gaps []time.Duration
	for _, gap := range report.Gaps {
		if !gap.From.Before(began) && gap.To.Before(ended) {
			require.Equalf(t, audit.CauseHandover, gap.Cause, "shard %d from %s to %s", gap.Shard, gap.Before, gap.After)
			gaps = append(gaps, gap.Duration())
		}
	}
	require.Len(t, gaps, shard.DefaultShards)
	slices.Sort(gaps)
	t.Logf("without an owner: median %v, p99 %v, longest %v", quantile(gaps, 50), quantile(gaps, 99), quantile(gaps, 100))
}

// spare is the one replica that has no shard, and shall have none.
func (u *teller) spare() string {
	u.Helper()
	report, err := u.Set.Shards(u.Context(), u.Names[0])
	require.NoError(u, err)
	var idle []string
	for _, member := range report.Ring.Members {
		if member.Desired == 0 && member.Owned == 0 {
			idle = append(idle, member.Name)
		}
	}
	require.Len(u, idle, 1)
	return idle[0]
}
