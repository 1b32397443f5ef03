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
	until shard.Instant // the end of the hold after which it was noticed
}

// begins reports whether the guard has passed since the end of the hold; once for
// each hold that ended so.
func (s *silence) begins(h shard.Holding, now shard.Instant) bool {
	if h.Until == 0 || h.Until == s.until || now < h.Until+s.guard {
		return false
	}
	s.until = h.Until
	return true
}

// hush drops the writes when silence begins.
func (m *Member) hush(h shard.Holding, now shard.Instant) {
	if m.silence.begins(h, now) {
		m.opts.Log.Info("has not renewed its lease for so long that its writes are dropped", "member", m.opts.Config.Member)
		m.opts.DropWrites()
	}
}
