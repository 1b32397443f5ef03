// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"time"

	"github.com/banyan-hns/banyan/shard"
)

// Content knows what is in the shards. It is asked at each scrape and by each reader
// of /shards, so it must be cheap.
type Content interface {
	// Key returns the key that a namespace belongs to, and whether it exists.
	Key(namespace string) (key string, exists bool)
	// Census counts.
	Census() Census
}

// Census is what is in the shards, as one replica sees it.
type Census struct {
	Shards map[shard.ID]ShardContent
}

// hottest returns the largest share of all namespaces that one key has, 0 to 1, and the
// shard of that key, among those shards that are asked for. A key cannot be divided among
// replicas. If nothing is in them, the share is 0.
func (c Census) hottest(asked func(shard.ID) bool) (share float64, hot shard.ID) {
	total, largest := 0, 0
	for id, in := range c.Shards {
		total += in.Namespaces
		if asked(id) && (in.Largest > largest || in.Largest == largest && id < hot) {
			largest, hot = in.Largest, id
		}
	}
	if largest == 0 {
		return 0, 0
	}
	return float64(largest) / float64(total), hot
}

// ShardContent is what is in one shard.
type ShardContent struct {
	// Roots is the number of keys, Namespaces that of namespaces, Largest that of the
	// namespaces of one key.
	Roots, Namespaces, Largest int
	// Pending namespaces wait to be read again since the shard was acquired; Oldest is
	// how long the first of them has been in the queue.
	Pending int
	Oldest  time.Duration
}

func (m *Member) census() Census {
	if m.opts.Content == nil {
		return Census{}
	}
	return m.opts.Content.Census()
}
