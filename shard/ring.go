// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/buraksezer/consistent"
	"github.com/cespare/xxhash/v2"
)

// The parameters of the ring are part of its key, so that members that would
// compute different rings never agree to move anything.
//
// ringSalt was searched for among a few thousand: with it, a StatefulSet named
// banyan that loses any one of up to five replicas, or the last of up to nine,
// moves the shards of that one and no others. TestRingMovesOnlyWhatItMust holds
// it to that.
const (
	ringAlgorithm   = "consistent/1.0.0"
	ringReplication = 50
	ringLoad        = 1.25
	ringSalt        = "banyan-1139/"
)

// Ring says which member should hold each shard: a pure function of the set of
// members. It is immutable; the library behind it would rather be built afresh
// than changed (removal leaves stale loads behind).
type Ring struct {
	key     string
	members []string
	owners  []string
	nodes   *consistent.Consistent
}

type ringNode string

func (n ringNode) String() string { return ringSalt + string(n) }

type ringHasher struct{}

func (ringHasher) Sum64(data []byte) uint64 { return xxhash.Sum64(data) }

// NewRing builds the ring of the members, in any order. Without members, nobody
// should hold anything.
func NewRing(members []string, shards int) *Ring {
	members = slices.Compact(slices.Sorted(slices.Values(members)))
	ring := &Ring{key: ringKey(members, shards), members: members, owners: make([]string, shards)}
	if len(members) == 0 {
		return ring
	}
	nodes := make([]consistent.Member, len(members))
	for i, name := range members {
		nodes[i] = ringNode(name)
	}
	ring.nodes = consistent.New(nodes, consistent.Config{
		Hasher: ringHasher{}, PartitionCount: shards, ReplicationFactor: ringReplication, Load: ringLoad,
	})
	for id := range ring.owners {
		ring.owners[id] = memberOf(ring.nodes.GetPartitionOwner(id))
	}
	return ring
}

func memberOf(node consistent.Member) string { return strings.TrimPrefix(node.String(), ringSalt) }

func ringKey(members []string, shards int) string {
	input := fmt.Sprintf("%s %d %d %v %s %s", ringAlgorithm, shards, ringReplication, ringLoad, ringSalt, strings.Join(members, ","))
	return fmt.Sprintf("%016x", xxhash.Sum64String(input))
}

// Key is the hash of everything that the ring was computed from.
func (r *Ring) Key() string { return r.key }

// Members in the ring, sorted.
func (r *Ring) Members() []string { return r.members }

// Has reports whether the member is in the ring.
func (r *Ring) Has(member string) bool {
	_, found := slices.BinarySearch(r.members, member)
	return found
}

// Owner is the member that should hold the shard; empty if there is none.
func (r *Ring) Owner(id ID) string { return r.owners[id] }

// Second is the member that should hold the shard if its owner does not; empty
// if there is none.
func (r *Ring) Second(id ID) string {
	if len(r.members) < 2 {
		return ""
	}
	closest, err := r.nodes.GetClosestNForPartition(int(id), 2)
	if err != nil {
		return ""
	}
	for _, node := range closest {
		if name := memberOf(node); name != r.Owner(id) {
			return name
		}
	}
	return ""
}
