// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"fmt"
	"maps"
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

// Ring says which member should hold each shard: a pure function of the seats that
// are taken, and of who sits there. It is immutable; the library behind it would
// rather be built afresh than changed (removal leaves stale loads behind).
type Ring struct {
	key     string
	seating Seating
	members []string
	owners  []string
	nodes   *consistent.Consistent
}

type ringNode string

func (n ringNode) String() string { return ringSalt + string(n) }

type ringHasher struct{}

func (ringHasher) Sum64(data []byte) uint64 { return xxhash.Sum64(data) }

// NewRing builds the ring of the members, in any order, each on a seat of its own.
// Without members, nobody should hold anything.
func NewRing(members []string, shards int) *Ring { return NewSeatedRing(ownSeats(members), shards) }

// NewSeatedRing builds the ring of those who sit on its seats. Who sits there does
// not matter to which shards a seat has.
func NewSeatedRing(seating Seating, shards int) *Ring {
	ring := &Ring{
		key: ringKey(seating, shards), seating: seating, owners: make([]string, shards),
		members: slices.Sorted(maps.Values(seating)),
	}
	if len(seating) == 0 {
		return ring
	}
	var nodes []consistent.Member
	for _, seat := range slices.Sorted(maps.Keys(seating)) {
		nodes = append(nodes, ringNode(seat))
	}
	ring.nodes = consistent.New(nodes, consistent.Config{
		Hasher: ringHasher{}, PartitionCount: shards, ReplicationFactor: ringReplication, Load: ringLoad,
	})
	for id := range ring.owners {
		ring.owners[id] = ring.memberOf(ring.nodes.GetPartitionOwner(id))
	}
	return ring
}

func (r *Ring) memberOf(node consistent.Member) string {
	return r.seating[strings.TrimPrefix(node.String(), ringSalt)]
}

func ringKey(seating Seating, shards int) string {
	var seats []string
	for _, seat := range slices.Sorted(maps.Keys(seating)) {
		if member := seating[seat]; member != seat {
			seat += "=" + member
		}
		seats = append(seats, seat)
	}
	input := fmt.Sprintf("%s %d %d %v %s %s", ringAlgorithm, shards, ringReplication, ringLoad, ringSalt, strings.Join(seats, ","))
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

// SeatOf the member; empty if it has none.
func (r *Ring) SeatOf(member string) string {
	for seat, name := range r.seating {
		if name == member {
			return seat
		}
	}
	return ""
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
		if name := r.memberOf(node); name != r.Owner(id) {
			return name
		}
	}
	return ""
}
