// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"sync"
	"time"

	"github.com/banyan-hns/banyan/hierarchy/controller"
	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/lease"
)

// censusAge is how old the answer of content may be. A census walks over the whole
// forest, and pages ask every other second.
const censusAge = 5 * time.Second

// content tells package lease what is in the shards, which only this package knows.
type content struct {
	live   *controller.Live
	resync *controller.Resync
	shards int

	mu    sync.Mutex
	taken time.Time
	last  lease.Census
}

// Key of a namespace, and whether it exists.
func (c *content) Key(namespace string) (key string, exists bool) { return c.live.KeyNow(namespace) }

// Census counts at most once per censusAge.
func (c *content) Census() lease.Census {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.taken.IsZero() || time.Since(c.taken) > censusAge {
		c.last, c.taken = c.count(), time.Now()
	}
	return c.last
}

func (c *content) count() lease.Census {
	keys := c.live.Census()
	census := lease.Census{Shards: map[shard.ID]lease.ShardContent{}}
	for key, namespaces := range keys {
		id := shard.Of(key, c.shards)
		in := census.Shards[id]
		in.Roots++
		in.Namespaces += namespaces
		in.Largest = max(in.Largest, namespaces)
		census.Shards[id] = in
	}
	for name, waited := range c.resync.Waiting() {
		key, _ := c.live.KeyNow(name)
		id := shard.Of(key, c.shards)
		in := census.Shards[id]
		in.Pending++
		in.Oldest = max(in.Oldest, waited)
		census.Shards[id] = in
	}
	return census
}
