// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestVacancy: may a shard that names a holder be taken? The versions matter: a
// heartbeat older than the shard's record proves nothing.
func TestVacancy(t *testing.T) {
	second := NewIdentity("x", "uid-x", "one.1")
	for name, tc := range map[string]struct {
		record    Record
		claim     claim
		heartbeat *MemberRecord // of x
		want      vacancy
	}{
		"no record at all":        {want: free},
		"a record without holder": {record: Record{Version: 5}, want: free},
		"one that says for whom":  {record: Record{Version: 5, HandoffTo: "b"}, want: meant},
		"its holder renews": {
			claim: claim{life("x"), 5}, heartbeat: &MemberRecord{Holder: life("x"), Version: 9}, want: held,
		},
		"its holder renewed before it took the shard": {
			claim: claim{life("x"), 5}, heartbeat: &MemberRecord{Holder: life("x"), Version: 3}, want: held,
		},
		"its holder was fenced later": {
			claim: claim{life("x"), 5}, heartbeat: &MemberRecord{Version: 9}, want: orphaned,
		},
		"its holder was fenced earlier, so a later life may have taken it": {
			claim: claim{life("x"), 5}, heartbeat: &MemberRecord{Version: 3}, want: held,
		},
		"another life of its holder began later": {
			claim: claim{life("x"), 5}, heartbeat: &MemberRecord{Holder: second, Version: 9}, want: orphaned,
		},
		"the life that took it began before, but we saw an older one": {
			claim: claim{second, 5}, heartbeat: &MemberRecord{Holder: life("x"), Version: 3}, want: held,
		},
		"nobody knows its holder":                  {claim: claim{life("x"), 5}, want: held},
		"the heartbeat of its holder was deleted":  {claim: claim{life("x"), 5}, heartbeat: &MemberRecord{Holder: life("x")}, want: held},
		"its record was deleted, its holder lives": {claim: claim{life("x"), 5}, heartbeat: &MemberRecord{Holder: life("x"), Version: 9}, want: held},
		"our own record was deleted":               {claim: claim{self1, 5}, want: free},
		"our own record is there":                  {record: Record{Version: 5, Holder: self1}, claim: claim{self1, 5}, want: held},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t)
			if tc.heartbeat != nil {
				tc.heartbeat.Name = "x"
				d.m.members["x"] = &member{MemberRecord: *tc.heartbeat}
			}
			require.Equal(t, tc.want, d.m.vacancy(&slot{record: tc.record, claim: tc.claim}))
		})
	}
}

// TestSlotLosesItsPlace: what closes a shard that b owns.
func TestSlotLosesItsPlace(t *testing.T) {
	for name, tc := range map[string]struct {
		event    func(d *driver, own Record) Event
		wantOpen bool
	}{
		"a later record that names another": {
			event: func(d *driver, own Record) Event {
				return ShardObserved{Record: Record{ID: own.ID, Holder: life("a"), Epoch: own.Epoch + 1, Version: d.next()}}
			},
		},
		"a later record that names nobody": {
			event: func(d *driver, own Record) Event {
				return ShardObserved{Record: Record{ID: own.ID, Epoch: own.Epoch, Version: d.next()}}
			},
		},
		"an earlier record does not": {
			event: func(d *driver, own Record) Event {
				return ShardObserved{Record: Record{ID: own.ID, Holder: life("a"), Version: own.Version - 1}}
			},
			wantOpen: true,
		},
		"its own record again does not": {
			event:    func(_ *driver, own Record) Event { return ShardObserved{Record: own} },
			wantOpen: true,
		},
		"the record is deleted": {event: func(_ *driver, own Record) Event { return ShardGone{ID: own.ID} }},
		"another life took our heartbeat": {
			event: func(d *driver, _ Record) Event {
				return MemberObserved{Record: MemberRecord{Name: "b", Holder: NewIdentity("b", "uid-2", "two.0"), Version: d.next()}}
			},
		},
		"our heartbeat was fenced": {
			event: func(d *driver, _ Record) Event {
				return MemberObserved{Record: MemberRecord{Name: "b", Version: d.next()}}
			},
		},
		"our heartbeat was deleted": {event: func(*driver, Record) Event { return MemberGone{Name: "b"} }},
		"the record of a shard that does not exist": {
			event:    func(d *driver, _ Record) Event { return ShardObserved{Record: Record{ID: 99, Version: d.next()}} },
			wantOpen: true,
		},
		"the end of a shard that does not exist": {
			event: func(*driver, Record) Event { return ShardGone{ID: -1} }, wantOpen: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t).join("a")
			id := d.pick(1)
			d.own(id)
			d.step(tc.event(d, d.m.slots[id].record))
			require.Equal(t, tc.wantOpen, d.m.Holding().Open(id))
			require.Equal(t, !tc.wantOpen, has[Closed](d))
		})
	}
}

// TestAnswersOfAnotherEpoch: what was asked for an earlier grant opens and
// releases nothing.
func TestAnswersOfAnotherEpoch(t *testing.T) {
	d := drive(t).join("a")
	id := d.pick(1)
	grant := d.shard(id, self1, "")
	d.step(Warmed{ID: id, Epoch: grant.Epoch - 1})
	require.False(t, d.m.Holding().Open(id))
	d.step(Warmed{ID: id, Epoch: grant.Epoch})
	require.True(t, d.m.Holding().Open(id))
	require.EqualValues(t, grant.Epoch, d.m.Holding().Epoch(id))
	d.step(Drained{ID: id, Epoch: grant.Epoch})
	require.True(t, d.m.Holding().Open(id), "nobody asked to drain it")
	d.step(Stop{})
	d.step(Drained{ID: id, Epoch: grant.Epoch - 1})
	require.Empty(t, d.take())
	d.step(Warmed{ID: id, Epoch: grant.Epoch})
	require.False(t, d.m.Holding().Open(id), "it does not open again")
	d.step(Drained{ID: id, Epoch: grant.Epoch})
	require.Empty(t, d.one().Record.Holder)
}

// TestDeletedByHand: the record of a shard vanishes.
func TestDeletedByHand(t *testing.T) {
	t.Run("its holder writes it anew, with a later epoch", func(t *testing.T) {
		d := drive(t).join("a", "c", "d")
		id := d.pick(1)
		d.own(id)
		before := d.m.slots[id].record
		d.step(ShardGone{ID: id})
		put := d.one()
		require.Zero(t, put.Expect)
		require.Equal(t, before.Epoch+1, put.Record.Epoch)
		require.False(t, d.m.Holding().Open(id))
		d.done(put)
		d.step(Warmed{ID: id, Epoch: put.Record.Epoch})
		require.True(t, d.m.Holding().Open(id))
	})
	t.Run("others do not touch what a living member held", func(t *testing.T) {
		d := drive(t).join("a")
		d.step(ShardGone{ID: d.pick(1)})
		require.EqualValues(t, -1, d.askedAfter(d.pick(1), time.Minute))
	})
	t.Run("an orphan is taken only when its last holder must know", func(t *testing.T) {
		d := drive(t).join("a")
		id := d.pick(1)
		d.shard(id, life("x"), "")
		d.step(ShardGone{ID: id})
		d.observe("x", "", MemberFenced)
		require.Equal(t, DefaultLeaseDuration+GuardFor(DefaultWriteTimeout), d.askedAfter(id, time.Minute))
	})
	t.Run("what was there before the deletion does not come back", func(t *testing.T) {
		d := drive(t).join("a")
		id := d.pick(1)
		d.own(id)
		before := d.m.slots[id].record
		d.step(Stop{})
		d.step(Drained{ID: id, Epoch: before.Epoch})
		d.step(ShardWritten{Put: d.one(), Outcome: Lost})
		d.step(ShardObserved{Record: before})
		require.Zero(t, d.m.slots[id].record.Version)
		require.Equal(t, Idle, d.m.slots[id].state)
	})
	t.Run("a grant that was deleted before its answer came is no grant", func(t *testing.T) {
		d := drive(t).join("a")
		id := d.pick(1)
		d.shard(id, "", "b")
		put := d.one()
		d.step(ShardGone{ID: id})
		d.done(put)
		require.NotEqual(t, Warming, d.m.slots[id].state)
		anew := d.one()
		require.Zero(t, anew.Expect)
		require.Equal(t, put.Record.Epoch+1, anew.Record.Epoch)
	})
	t.Run("a deletion that we hear of late is put right by the store", func(t *testing.T) {
		d := drive(t).join("a")
		id := d.pick(1)
		d.own(id)
		live := d.m.slots[id].record
		d.step(ShardGone{ID: id})
		d.step(ShardWritten{Put: d.one(), Outcome: Lost, Record: live})
		d.step(Warmed{ID: id, Epoch: live.Epoch})
		require.True(t, d.m.Holding().Open(id))
	})
	t.Run("nor does it hide what the watch brings after it", func(t *testing.T) {
		d := drive(t).join("a")
		id := d.pick(2)
		d.shard(id, life("a"), "")
		live := d.m.slots[id].record
		d.step(ShardGone{ID: id}) // of before
		d.step(ShardObserved{Record: live})
		require.Equal(t, "a", d.m.Status().Shards[id].Holder)
	})
	t.Run("a shard that was perhaps released already is not written anew at once", func(t *testing.T) {
		d := drive(t).join("a")
		id := ownedBy(t, "c", "a", "b", "c")
		d.own(id)
		d.observe("c", life("c"), MemberActive)
		d.run(5 * time.Second)
		d.step(Drained{ID: id, Epoch: d.m.slots[id].record.Epoch})
		release := d.one()
		d.step(ShardWritten{Put: release}) // it will be done, late; c gets the shard, and it is deleted
		d.run(3 * tick)
		d.step(ShardWritten{Put: d.one(), Outcome: Lost})
		require.EqualValues(t, -1, d.askedAfter(id, DefaultLeaseDuration+GuardFor(DefaultWriteTimeout)-tick))
	})
}
