// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// TestStop: in whatever state a shard is, b ends with nothing, and only then.
func TestStop(t *testing.T) {
	for name, tc := range map[string]struct {
		arrange    func(d *driver, id ID)
		wantDrain  bool // writes in flight are awaited
		wantPut    bool // the record is written before the goodbye
		wantNoWord bool // there is no goodbye to say
	}{
		"it holds nothing": {arrange: func(*driver, ID) {}},
		"it owns a shard":  {arrange: func(d *driver, id ID) { d.own(id) }, wantDrain: true, wantPut: true},
		"a shard is warming": {
			arrange: func(d *driver, id ID) { d.shard(id, self1, "") }, wantDrain: true, wantPut: true,
		},
		"a shard was asked for, and is granted after all": {
			arrange: func(d *driver, id ID) {
				d.shard(id, "", "b")
				put := d.one()
				d.step(Stop{})
				require.False(d, has[Stopped](d), "the answer may make it ours")
				d.done(put)
				d.step(Tick{})
			},
			wantDrain: true, wantPut: true,
		},
		"a shard was asked for, and another got it": {
			arrange: func(d *driver, id ID) {
				d.shard(id, "", "b")
				put := d.one()
				d.step(Stop{})
				d.step(ShardWritten{Put: put, Outcome: Lost, Record: d.shard(id, life("a"), "")})
			},
		},
		"a shard was asked for, and nobody knows": {
			arrange: func(d *driver, id ID) {
				d.shard(id, "", "b")
				put := d.one()
				d.step(Stop{})
				d.step(ShardWritten{Put: put})
			},
		},
		"it is fenced meanwhile": {
			arrange: func(d *driver, id ID) {
				d.own(id)
				d.step(Stop{})
				d.mute = true
				d.step(MemberObserved{Record: MemberRecord{Name: "b", Version: d.next()}})
				require.True(d, has[Fenced](d))
				d.effects = append(d.effects, Drain{}) // of before
			},
			wantDrain: true, wantNoWord: true,
		},
		"its record is deleted meanwhile": {
			arrange: func(d *driver, _ ID) { d.step(MemberGone{Name: "b"}); d.step(Stop{}) }, wantNoWord: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t).join("a")
			id := d.pick(1)
			tc.arrange(d, id)
			d.step(Stop{})
			d.run(3 * tick)
			if tc.wantDrain {
				require.True(t, has[Drain](d))
				if tc.wantPut {
					require.False(t, has[Stopped](d))
				}
				d.step(Drained{ID: id, Epoch: d.m.slots[id].record.Epoch})
			}
			if puts := d.take(); tc.wantPut {
				require.Len(t, puts, 1)
				require.Empty(t, puts[0].Record.Holder)
				require.False(t, has[Stopped](d))
				d.done(puts[0])
			} else {
				require.Empty(t, puts)
			}
			require.True(t, has[Stopped](d))
			require.Zero(t, d.m.Holding().Len())
			last := d.beats[len(d.beats)-1].Record
			if !tc.wantNoWord {
				require.Equal(t, MemberRecord{Name: "b", State: MemberRestarting, RingKey: last.RingKey}, last)
			}
			d.effects, d.beats = nil, nil
			d.run(time.Minute)
			require.Empty(t, d.effects)
			require.Empty(t, d.beats, "it said all that it had to say")
		})
	}
}

// TestStopSays what will become of b.
func TestStopSays(t *testing.T) {
	for name, tc := range map[string]struct {
		grace time.Duration
		stop  Stop
		want  MemberState
	}{
		"it will be back":                   {grace: time.Second, want: MemberRestarting},
		"it leaves":                         {grace: time.Second, stop: Stop{Leaving: true}, want: MemberLeaving},
		"where no place is kept, all leave": {want: MemberLeaving},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, func(c *Config) { c.RestartGrace = tc.grace }).join("a")
			id := d.pick(1)
			d.own(id)
			d.step(tc.stop)
			d.run(time.Second)
			last := d.beats[len(d.beats)-1].Record
			require.Equal(t, tc.want.String(), last.State.String())
			require.Equal(t, self1, last.Holder, "it is alive until its last write has ended")
		})
	}
}

func TestStopBeforeTheListing(t *testing.T) {
	d := drive(t)
	d.step(Stop{})
	require.True(t, has[Stopped](d))
	d.step(Listed{})
	d.step(Ready{})
	d.run(time.Minute)
	require.Empty(t, d.beats)
}

func TestStopWhileRegistering(t *testing.T) {
	d := drive(t)
	d.mute = true
	d.step(Listed{})
	put := d.late[0]
	d.step(Stop{})
	require.False(t, has[Stopped](d), "the record may become ours")
	d.mute = false
	d.renew(put)
	require.True(t, has[Stopped](d))
	require.Empty(t, d.beats[len(d.beats)-1].Record.Holder)
}

// TestJoin is the life of the first member, from nothing to all shards.
func TestJoin(t *testing.T) {
	d := drive(t)
	d.step(Listed{})
	require.Equal(t, MemberJoining, d.beats[0].Record.State)
	require.Empty(t, d.m.Ring().Members(), "it could not work yet")
	d.run(time.Minute)
	require.Empty(t, d.puts)
	d.step(Ready{})
	d.run(time.Second)
	require.Equal(t, []string{"b"}, d.m.Ring().Members())
	d.run(DefaultSettle)
	puts := d.take()
	require.Len(t, puts, 8)
	for _, put := range puts {
		d.done(put)
		d.step(Warmed{ID: put.Record.ID, Epoch: 1})
	}
	require.Equal(t, 8, d.m.Holding().Len())
	require.True(t, d.m.Holding().Owns(7, d.now))
}

func TestStatus(t *testing.T) {
	d := drive(t).join("a")
	id := d.pick(1)
	d.own(id)
	d.run(2 * time.Second)
	status := d.m.Status()
	require.Equal(t, self1, status.Self)
	require.Equal(t, MemberActive, status.State)
	require.Equal(t, d.m.Holding().Until-d.now, status.Remain)
	require.True(t, status.Agreed)

	expected := len(shardsOf(d.m.Ring(), "b"))
	want := []MemberStatus{
		{Name: "a", Holder: life("a"), State: MemberActive, RingKey: status.RingKey, Expected: 8 - expected},
		{Name: "b", Holder: self1, State: MemberActive, RingKey: status.RingKey, Owned: 1, Expected: expected},
		{Name: "elsewhere", Holder: life("elsewhere"), State: MemberJoining, RingKey: status.RingKey, Owned: 7},
	}
	for i := range status.Members {
		require.LessOrEqual(t, status.Members[i].Silent, DefaultRenewPeriod)
		status.Members[i].Silent = 0
	}
	require.Empty(t, cmp.Diff(want, status.Members))
	require.Empty(t, cmp.Diff(ShardStatus{
		ID: id, Holder: "b", Expected: "b", Epoch: d.m.slots[id].record.Epoch, State: Owned, Since: 2 * time.Second,
	}, status.Shards[id]))

	d.disagree["a"] = true
	other := ID(0)
	if other == id {
		other = 1
	}
	d.shard(other, "", "a")
	d.run(2 * time.Second)
	status = d.m.Status()
	require.False(t, status.Agreed)
	require.Empty(t, status.Shards[other].Holder)
	require.Equal(t, 2*time.Second, status.Shards[other].Vacant)
}
