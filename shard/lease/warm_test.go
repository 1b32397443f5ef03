// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/shard"
)

// TestWarm: a shard is opened when it is known what is in it, however long that takes,
// and never because nobody waits for it any more.
func TestWarm(t *testing.T) {
	for name, tc := range map[string]struct {
		end  func(known, ends context.CancelFunc)
		want []shard.Event
	}{
		"it is known":      {func(known, _ context.CancelFunc) { known() }, []shard.Event{shard.Warmed{ID: 3, Epoch: 7}}},
		"the process ends": {func(_, ends context.CancelFunc) { ends() }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &Member{events: make(chan shard.Event, 1), stopped: make(chan struct{})}
				is, known := context.WithCancel(t.Context())
				m.opts.Warm = func(ctx context.Context, _ shard.ID, _ shard.Reason) {
					select {
					case <-is.Done():
					case <-ctx.Done():
					}
				}
				ctx, ends := context.WithCancel(t.Context())
				go m.warm(ctx, shard.Warm{ID: 3, Epoch: 7})
				time.Sleep(time.Hour)
				synctest.Wait()
				require.Empty(t, m.events)
				tc.end(known, ends)
				synctest.Wait()
				close(m.events)
				var got []shard.Event
				for e := range m.events {
					got = append(got, e)
				}
				require.Equal(t, tc.want, got)
				known()
				ends()
			})
		})
	}
}
