// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/bench/rig"
)

// TestShortChaos is a small world for a short time: what a change breaks at once, it
// shows.
func TestShortChaos(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	o, err := parse([]string{"-seed", "3", "-duration", "30s", "-replicas", "3", "-namespaces", "40", "-trees", "4", "-rate", "10",
		"-kind", "kill", "-kind", "stop-inside", "-kind", "stall", "-kind", "partition-up", "-kind", "holder"})
	require.NoError(t, err)
	ground, err := rig.Prepare(ctx, t.TempDir(), "", io.Discard, "-tags=stopgate")
	require.NoError(t, err)
	r, err := torment(ctx, o, ground)
	require.NoError(t, err)
	require.NotEmpty(t, r.deeds)
	require.NoError(t, r.verdict(), r.text())
	require.Contains(t, r.svg(), "banyan-2")
	t.Log(r.text())
}
