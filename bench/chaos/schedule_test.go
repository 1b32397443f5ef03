// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPlanIsThatOfItsSeed(t *testing.T) {
	plan := Plan(7, 5, time.Hour)
	require.Equal(t, plan, Plan(7, 5, time.Hour))
	require.NotEqual(t, plan, Plan(8, 5, time.Hour))
}

// TestPlanHasEveryFault: a run of the default length shows each at least once.
func TestPlanHasEveryFault(t *testing.T) {
	o, err := parse(nil)
	require.NoError(t, err)
	for seed := range uint64(500) {
		seen := map[string]bool{}
		for _, f := range Plan(seed, o.replicas, o.duration) {
			seen[f.Label()] = true
		}
		for _, f := range round() {
			require.Truef(t, seen[f.Label()], "seed %d has no %s", seed, f.Label())
		}
	}
}

// TestPlanIsBearable: in time and in order, no more than two replicas in trouble at
// once, none twice, and what concerns the whole is alone.
func TestPlanIsBearable(t *testing.T) {
	for seed := range uint64(50) {
		plan := Plan(seed, 5, time.Hour)
		require.Greater(t, len(plan), 200)
		for i, f := range plan {
			require.Less(t, f.At, time.Hour)
			require.Less(t, f.Replica, 5)
			trouble := 1
			for _, before := range plan[:i] {
				require.LessOrEqual(t, before.At, f.At)
				if before.At+before.takes() <= f.At {
					continue
				}
				require.NotEqual(t, before.Replica, f.Replica, "%s during %s", f, before)
				require.GreaterOrEqual(t, min(before.Replica, f.Replica), 0, "%s during %s", f, before)
				trouble++
			}
			require.LessOrEqual(t, trouble, 2)
		}
	}
}

func TestPlanOfSomeKinds(t *testing.T) {
	for _, f := range Plan(1, 3, time.Minute, Kill, Roll) {
		require.Contains(t, []Kind{Kill, Roll}, f.Kind)
	}
	require.Empty(t, Plan(1, 3, time.Minute, "unknown"))
}
