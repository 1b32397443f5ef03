// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestNoBlameOutsideTheRing: a member whose restart took longer than its grace was
// not asked to take anything.
func TestNoBlameOutsideTheRing(t *testing.T) {
	d := drive(t, func(c *Config) { c.RestartGrace = 20 * time.Second }).join("c", "e")
	d.observe("c", "", MemberRestarting) // goodbye
	d.shard(0, "", "c")
	d.run(5 * time.Second)
	d.observe("c", NewIdentity("c", "uid-c", "two.0"), MemberRestarting) // back, caches not synced
	d.run(21 * time.Second)
	require.False(t, d.m.ring.Has("c"))
	d.shard(0, life("e"), "") // as it should
	d.observe("c", NewIdentity("c", "uid-c", "two.0"), MemberActive)
	require.LessOrEqual(t, d.m.members["c"].shunned, d.now, "shunned for %v", d.m.members["c"].shunned-d.now)
}
