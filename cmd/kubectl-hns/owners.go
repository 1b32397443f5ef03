// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/lease"
)

// owners tells who owns which shard. The names in its JSON are those of the
// /shards page of a replica, where both know the same thing.
type owners struct {
	Ring    ring    `json:"ring"`
	Summary summary `json:"summary"`
	Shards  []slot  `json:"shards"` // by ID, without gaps
}

type ring struct {
	ActiveP   int      `json:"activeP"`
	Agreement bool     `json:"agreement"` // all active members publish one hash
	Members   []member `json:"members"`   // by name
}

// member is a replica, or what it left behind.
type member struct {
	Name     string     `json:"name"`
	State    string     `json:"state"`
	RingHash string     `json:"ringHash"`
	Owned    int        `json:"owned"`
	Shards   []shard.ID `json:"shards"`
}

// slot is one shard.
type slot struct {
	ID     shard.ID `json:"id"`
	Lease  string   `json:"lease"`
	Holder string   `json:"holder"` // the member that owns it; empty: nobody
	Epoch  int64    `json:"epoch"`
	// Vacancy says why nobody owns it.
	Vacancy string `json:"vacancy,omitempty"`
	// AcquireTime is by the clock of the member that took it.
	AcquireTime    *time.Time   `json:"acquireTime,omitempty"`
	LastTransition shard.Reason `json:"lastTransition,omitempty"`

	record shard.Record
}

type summary struct {
	Owned   int `json:"owned"`
	Unowned int `json:"unowned"`
}

// ownersOf reads the Leases of one installation. Faults are Leases that it could
// not read, and that it left out.
func ownersOf(leases []coordinationv1.Lease) (o owners, faults []error) {
	members, slots, faults := decode(leases)
	for _, ofCount := range slots {
		for i := range ofCount {
			ofCount[i].Holder, ofCount[i].Vacancy = judge(ofCount[i].record, members)
		}
	}
	count := activeCount(slots)
	o.Shards = complete(slots[count], count)
	o.Ring = newRing(members, o.Shards)
	o.Summary = summarize(o.Shards)
	return o, faults
}

// decode sorts members by name, and slots by the number of shards that they are
// out of.
func decode(leases []coordinationv1.Lease) (members map[string]shard.MemberRecord, slots map[int][]slot, faults []error) {
	members, slots = map[string]shard.MemberRecord{}, map[int][]slot{}
	for i := range leases {
		var err error
		switch l := &leases[i]; l.Labels[lease.LabelKind] {
		case lease.KindMember:
			var record shard.MemberRecord
			if record, err = lease.DecodeMember(l); err == nil {
				members[record.Name] = record
			}
		case lease.KindShard:
			var s slot
			var count int
			if s, count, err = decodeSlot(l); err == nil {
				slots[count] = append(slots[count], s)
			}
		}
		if err != nil {
			faults = append(faults, err)
		}
	}
	return members, slots, faults
}

func decodeSlot(l *coordinationv1.Lease) (slot, int, error) {
	record, count, err := lease.DecodeShard(l)
	if err == nil && count > shard.MaxShards {
		err = fmt.Errorf("reading Lease %s: its name says that there are more than %d shards", l.Name, shard.MaxShards)
	}
	s := slot{ID: record.ID, Lease: l.Name, Epoch: record.Epoch, LastTransition: record.Reason, record: record}
	if l.Spec.AcquireTime != nil {
		s.AcquireTime = &l.Spec.AcquireTime.Time
	}
	return s, count, err
}

// judge says which member owns a shard, or why none does.
//
// Invariant: a shard is owned by the life that its Lease names, and only while
// the Lease of that member names the same life. Reason: a replica that was
// restarted or fenced has lost its shards, though their Leases still name it.
func judge(record shard.Record, members map[string]shard.MemberRecord) (holder, vacancy string) {
	name := record.Holder.Member()
	m, exists := members[name]
	switch {
	case record.Holder == "" && record.HandoffTo != "":
		return "", fmt.Sprintf("free, meant for %s", record.HandoffTo)
	case record.Holder == "":
		return "", "free"
	case !exists:
		return "", fmt.Sprintf("held by %s, which has no Lease", name)
	case m.State == shard.MemberFenced:
		return "", fmt.Sprintf("held by %s, which is fenced", name)
	case m.Holder == "":
		return "", fmt.Sprintf("held by %s, which is gone", name)
	case m.Holder != record.Holder:
		return "", fmt.Sprintf("held by an earlier life of %s", name)
	default:
		return name, ""
	}
}

// activeCount is the number of shards that is in use: the one of which most are
// owned. Others are left from before it was changed.
func activeCount(slots map[int][]slot) int {
	best, bestOwned := 0, -1
	for count, ofCount := range slots {
		owned := summarize(ofCount).Owned
		if owned > bestOwned || owned == bestOwned && count > best {
			best, bestOwned = count, owned
		}
	}
	return best
}

// complete orders the slots and adds those that no Lease speaks of.
func complete(known []slot, count int) []slot {
	all := make([]slot, count)
	for i := range all {
		id := shard.ID(i)
		all[i] = slot{ID: id, Lease: lease.ShardName(id, count), Vacancy: "has no Lease"}
	}
	for _, s := range known {
		all[s.ID] = s
	}
	return all
}

func newRing(records map[string]shard.MemberRecord, slots []slot) ring {
	owned := map[string][]shard.ID{}
	for _, s := range slots {
		owned[s.Holder] = append(owned[s.Holder], s.ID)
	}
	r := ring{ActiveP: len(slots), Agreement: true, Members: []member{}}
	active := map[string]bool{}
	for name, record := range records {
		ids := append([]shard.ID{}, owned[name]...)
		r.Members = append(r.Members, member{
			Name: name, State: record.State.String(), RingHash: record.RingKey, Owned: len(ids), Shards: ids,
		})
		if record.State == shard.MemberActive {
			active[record.RingKey] = true
		}
	}
	r.Agreement = len(active) <= 1
	slices.SortFunc(r.Members, func(a, b member) int { return strings.Compare(a.Name, b.Name) })
	return r
}

func summarize(slots []slot) summary {
	var s summary
	for _, one := range slots {
		if one.Holder != "" {
			s.Owned++
		} else {
			s.Unowned++
		}
	}
	return s
}
