// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"time"

	"github.com/banyan-hns/banyan/shard"
)

// silence notices that this life has been suspended for longer than its guard. From
// then on others may write in its shards, and what it still has queued on its sockets
// must not be delivered when the network comes back.
type silence struct {
	guard time.Duration
	held  bool // the hold was good, and silence has not been noticed since
}

// begins reports whether the guard has passed since the end of the hold: once,
// until the hold has been good again.
func (s *silence) begins(h shard.Holding, now shard.Instant) bool {
	if now < h.Until {
		s.held = true
	}
	begins := s.held && now >= h.Until+s.guard
	s.held = s.held && !begins
	return begins
}

// hush drops the writes when silence begins.
func (m *Member) hush(h shard.Holding, now shard.Instant) {
	if m.silence.begins(h, now) && shard.DropsSilenced {
		m.opts.Log.Info("has not renewed its lease for so long that its writes are dropped", "member", m.opts.Config.Member)
		m.opts.DropWrites()
	}
}
