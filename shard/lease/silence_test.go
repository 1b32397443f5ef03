// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/shard"
)

// TestSilence: the sockets of writes are closed once when the guard is over, and
// again only after a heartbeat has succeeded in between.
func TestSilence(t *testing.T) {
	s := silence{guard: 2 * time.Second}
	for _, step := range []struct {
		what       string
		until, now shard.Instant
		want       bool
	}{
		{"nothing was ever held", 0, 20 * time.Second, false},
		{"the first heartbeat has not come back", 10 * time.Second, 20 * time.Second, false},
		{"the hold is good", 30 * time.Second, 29 * time.Second, false},
		{"it has ended", 30 * time.Second, 31 * time.Second, false},
		{"the guard is over", 30 * time.Second, 32 * time.Second, true},
		{"it still is", 30 * time.Second, 33 * time.Second, false},
		{"a heartbeat succeeded", 43 * time.Second, 34 * time.Second, false},
		{"the process was stopped for long", 43 * time.Second, 90 * time.Second, true},
	} {
		require.Equal(t, step.want, s.begins(shard.NewHolding("a/uid/one", step.until, nil), step.now), step.what)
	}
}
