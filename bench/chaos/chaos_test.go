// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/bench/audit"
	"github.com/banyan-hns/banyan/bench/rig"
)

// TestShortChaos is a small world for a short time: what a change breaks at once, it
// shows. Its seed is one that fits seven kinds of faults into half a minute, of which
// the last is a rolling update.
func TestShortChaos(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	o, err := parse([]string{"-seed", "19593", "-duration", "32s", "-replicas", "3", "-namespaces", "40", "-trees", "4", "-rate", "10",
		"-kind", "kill", "-kind", "terminate", "-kind", "stall", "-kind", "reset", "-kind", "stop-inside", "-kind", "shard-lease",
		"-kind", "holder", "-kind", "moves", "-kind", "roll", "-kind", "webhooks", "-kind", "cycle"})
	require.NoError(t, err)
	ground, err := rig.Prepare(ctx, t.TempDir(), "", io.Discard, "-tags=stopgate")
	require.NoError(t, err)
	r, err := torment(ctx, o, ground)
	require.NoError(t, err)
	text := r.text()
	require.NoError(t, r.verdict(), text)

	kinds := map[Kind]bool{}
	for _, d := range r.deeds {
		kinds[d.Kind] = true
	}
	require.Len(t, kinds, 7)
	judged := map[string]int{}
	for _, rule := range r.report.Rules {
		judged[rule.Rule] = rule.Judged
	}
	for _, rule := range []string{
		audit.RuleOwner, audit.RuleStamp, audit.RuleTransfer, audit.RuleFence, audit.RuleGap, audit.RuleMoves, audit.RuleCost,
	} {
		require.Positive(t, judged[rule], "%s judged nothing:\n%s", rule, text)
	}
	require.Contains(t, r.svg(), "banyan-2")
	t.Log(text)
}
