// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import "github.com/cespare/xxhash/v2"

// ID numbers a shard, from 0 to P-1.
type ID int

// ClusterKey is the key of everything that belongs to no namespace. It shares
// its shard with whatever else falls there.
const ClusterKey = "cluster"

// Of returns the shard of a key, out of P shards. P must be positive; a power
// of two lets shards be split without moving any key to another holder.
func Of(key string, shards int) ID {
	return ID(xxhash.Sum64String(key) % uint64(shards))
}
