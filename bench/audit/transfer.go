// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/lease"
)

// transfer is C2, applied to a Lease write of a replica right before it is folded.
// It returns what is wrong with it.
//
//  1. Each identity is written into a Lease by its own process only.
//  2. The epoch grows by one with each new holder, and with nothing else.
//  3. A holder goes only if it gives the shard back itself, or after its
//     heartbeat came to name somebody else, or nobody.
func transfer(w *world, e *event) []string {
	name, id, isMember, isShard := w.ours(e.ref)
	if !w.isReplica(e.writer) || !isMember && !isShard {
		return nil
	}
	if e.gone {
		return transferNowhere(w, name, id, isMember)
	}
	object, known := e.object.(*coordinationv1.Lease)
	if !known {
		return nil
	}
	if isMember {
		return transferMember(w.member(name), e, holderOf(object))
	}
	record, _, err := lease.DecodeShard(object)
	if err != nil {
		return []string{err.Error()}
	}
	return transferShard(w, w.shard(id), e, record)
}

// transferNowhere: a record that names somebody must not be deleted.
func transferNowhere(w *world, name string, id shard.ID, isMember bool) []string {
	holder := w.shard(id).holder
	if isMember {
		holder = w.member(name).holder
	}
	if holder == "" {
		return nil
	}
	return []string{fmt.Sprintf("it was deleted while it named %s", holder)}
}

func transferMember(m *memberState, e *event, now shard.Identity) []string {
	if now != "" && !e.writer.lives(now) && (m.unseen || now != m.holder) {
		return []string{fmt.Sprintf("it names %s, which only that process may write", now)}
	}
	return nil
}

func transferShard(w *world, s *shardState, e *event, now shard.Record) []string {
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }

	if s.unseen || !s.exists && !s.deleted && e.verb != "create" {
		return nil // what was before is not in the log
	}
	if now.Holder != s.holder && now.Holder != "" && !e.writer.lives(now.Holder) {
		fault("it names %s, which only that process may write", now.Holder)
	}
	if want := nextEpoch(s, now); now.Epoch != want && (!s.deleted || now.Epoch != 1) {
		fault("the epoch went from %d to %d; it should be %d", s.epoch, now.Epoch, want)
	}
	before := s.holder
	if s.deleted {
		before = s.claim
	}
	if before != "" && now.Holder != before && !mayGo(w, before, e.writer, now.Holder) {
		fault("the holder %s did not give the shard back, and its heartbeat still names it", before)
	}
	return faults
}

// nextEpoch is the epoch that the record must have. A record that was deleted is
// written anew like one for a new holder.
func nextEpoch(s *shardState, now shard.Record) int64 {
	if now.Holder != "" && (now.Holder != s.holder || s.deleted) {
		return s.epoch + 1
	}
	return s.epoch
}

// mayGo reports whether a holder may be replaced, by that writer, with another or
// with nobody.
func mayGo(w *world, before shard.Identity, by writer, now shard.Identity) bool {
	if now == "" {
		return by.lives(before)
	}
	m := w.member(before.Member())
	return m.unseen || m.exists && m.holder != before
}
