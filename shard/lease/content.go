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
	// HotShare is the largest share of all namespaces that one key has, 0 to 1, and
	// HotShard the shard of that key. A key cannot be divided among replicas.
	HotShare float64
	HotShard shard.ID
}

// ShardContent is what is in one shard.
type ShardContent struct {
	// Roots is the number of keys, Namespaces that of namespaces.
	Roots, Namespaces int
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
