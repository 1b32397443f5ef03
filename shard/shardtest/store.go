// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shardtest

import (
	"maps"

	"github.com/banyan-hns/banyan/shard"
)

// store keeps the records as the API server would: one revision counter over
// all of them, compare-and-swap on the version of each.
type store struct {
	revision shard.Version
	members  map[string]shard.MemberRecord
	shards   map[shard.ID]shard.Record
	history  []shard.Record // every state of every shard record, in order

	forgetful bool // it keeps no history
}

func (s *store) clone() *store {
	c := *s
	c.members, c.shards = maps.Clone(s.members), maps.Clone(s.shards)
	return &c
}

func newStore() *store {
	return &store{members: map[string]shard.MemberRecord{}, shards: map[shard.ID]shard.Record{}}
}

func (s *store) putMember(record shard.MemberRecord, expect shard.Version) (shard.MemberRecord, bool) {
	if s.members[record.Name].Version != expect {
		return s.members[record.Name], false
	}
	s.revision++
	record.Version = s.revision
	s.members[record.Name] = record
	return record, true
}

func (s *store) deleteMember(name string, expect shard.Version) bool {
	if expect == 0 || s.members[name].Version != expect {
		return false
	}
	s.revision++
	delete(s.members, name)
	return true
}

func (s *store) putShard(record shard.Record, expect shard.Version) (shard.Record, bool) {
	if s.shards[record.ID].Version != expect {
		return s.shards[record.ID], false
	}
	s.revision++
	record.Version = s.revision
	s.shards[record.ID] = record
	if !s.forgetful {
		s.history = append(s.history, record)
	}
	return record, true
}
