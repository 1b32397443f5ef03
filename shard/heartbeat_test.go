// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRegister: when the record of our name may carry our life, and what it says
// then.
func TestRegister(t *testing.T) {
	for name, tc := range map[string]struct {
		instance string
		record   *MemberRecord // what is there when we list
		renews   bool
		want     time.Duration // -1: never
		state    MemberState
	}{
		"there is none":           {state: MemberJoining},
		"the one before left":     {record: &MemberRecord{State: MemberLeaving}, state: MemberJoining},
		"the one before restarts": {record: &MemberRecord{State: MemberRestarting}, state: MemberRestarting},
		"it was fenced":           {record: &MemberRecord{State: MemberFenced}, state: MemberJoining},
		"it ran in our instance, so it is gone": {
			instance: "uid-b", state: MemberJoining,
			record: &MemberRecord{Holder: NewIdentity("b", "uid-b", "zero.0"), State: MemberActive},
		},
		"it ran in our instance, and was about to restart": {
			instance: "uid-b", state: MemberRestarting,
			record: &MemberRecord{Holder: NewIdentity("b", "uid-b", "zero.0"), State: MemberRestarting},
		},
		"it ran in another instance, and is silent": {
			instance: "uid-b", want: DefaultLeaseDuration, state: MemberJoining,
			record: &MemberRecord{Holder: NewIdentity("b", "uid-0", "zero.0"), State: MemberActive},
		},
		"it runs in another instance": {
			instance: "uid-b", renews: true, want: -1,
			record: &MemberRecord{Holder: NewIdentity("b", "uid-0", "zero.0"), State: MemberActive},
		},
		"no instance is like no other": {
			instance: "", want: DefaultLeaseDuration, state: MemberJoining,
			record: &MemberRecord{Holder: NewIdentity("b", "", "zero.0"), State: MemberActive},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, func(c *Config) { c.Instance = tc.instance })
			if tc.record != nil {
				d.observe("b", tc.record.Holder, tc.record.State)
				if !tc.renews {
					d.silence("b")
				}
			}
			before := d.version
			d.step(Listed{})
			for len(d.beats) == 0 && d.now-epoch < time.Minute {
				d.run(tick)
			}
			if tc.want < 0 {
				require.Empty(t, d.beats)
				return
			}
			require.InDelta(t, tc.want, d.now-epoch, float64(tick))
			require.Equal(t, tc.state.String(), d.beats[0].Record.State.String())
			require.Equal(t, before, d.beats[0].Expect)
			require.True(t, d.m.self.registered)
		})
	}
}

func TestNothingIsWrittenBeforeTheListing(t *testing.T) {
	d := drive(t)
	d.observe("x", "", MemberFenced)
	d.shard(0, life("x"), "")
	d.step(Ready{})
	d.run(time.Minute)
	require.Empty(t, d.beats)
	require.Empty(t, d.puts)
	require.Empty(t, d.fences)
}

// TestCadence: how many heartbeats there are in ten seconds.
func TestCadence(t *testing.T) {
	for name, tc := range map[string]struct {
		arrange  func(*driver)
		min, max int
	}{
		"one per period in quiet":                    {arrange: func(*driver) {}, min: 5, max: 5},
		"a change is told soon":                      {arrange: func(d *driver) { d.observe("n", life("n"), MemberActive) }, min: 6, max: 6},
		"a write that times out is tried again soon": {arrange: func(d *driver) { d.mute = true }, min: 4, max: 6},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t).join("a")
			d.run(tick) // off the beat
			d.beats = nil
			tc.arrange(d)
			d.run(10 * time.Second)
			require.GreaterOrEqual(t, len(d.beats), tc.min)
			require.LessOrEqual(t, len(d.beats), tc.max)
		})
	}
}

// TestARefusalIsNotRepeatedAtOnce: a store that answers every write with an
// error, and soon, is not asked without pause.
func TestARefusalIsNotRepeatedAtOnce(t *testing.T) {
	for name, arrange := range map[string]func(*driver){
		"heartbeats": func(*driver) {},
		"a goodbye":  func(d *driver) { d.step(Stop{}) },
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t).join("a")
			d.mute = true
			arrange(d)
			asked := 0
			for range 100 {
				for _, put := range d.late {
					d.late = nil
					d.step(MemberWritten{Put: put})
				}
				asked += len(d.beats)
				d.beats = nil
				d.run(tick)
			}
			require.Less(t, asked, 45)
		})
	}
}

// TestHoldingUntil: the hold is counted from when the last good heartbeat was
// sent, and is cut short if heartbeats do not come back.
func TestHoldingUntil(t *testing.T) {
	const hold = DefaultLeaseDuration - DefaultWriteTimeout - GuardSlack
	d := drive(t).join("a")
	d.run(3 * tick)
	d.mute = true
	last := d.m.self.renewed
	require.Equal(t, last+hold, d.m.Holding().Until)

	put := PutMember{Record: d.m.selfRecord(), Sent: last + time.Second}
	answer := func(outcome Outcome, holder Identity) {
		record := d.m.members["b"].MemberRecord
		record.Holder, record.Version = holder, d.next()
		d.step(MemberWritten{Put: put, Outcome: outcome, Record: record})
	}
	d.step(MemberWritten{Put: put})
	require.Equal(t, last+hold, d.m.Holding().Until, "an unknown outcome lengthens nothing")
	answer(Lost, self1)
	require.Equal(t, last+hold, d.m.Holding().Until, "nor does a write that was late, and found later")
	answer(Done, self1)
	require.Equal(t, put.Sent+hold, d.m.Holding().Until, "a good answer does, from when it was sent")
	put.Sent -= 5 * time.Second
	answer(Done, self1)
	require.Equal(t, last+time.Second+hold, d.m.Holding().Until, "an older answer does not shorten it")
	d.now += DefaultLeaseDuration
	require.False(t, d.m.Holding().Owns(0, d.now))
}

// TestEcho: a member that does not see its own heartbeats come back, or sees them
// late, holds for a lease at most, whatever the answers to its writes say.
func TestEcho(t *testing.T) {
	t.Run("none comes back", func(t *testing.T) {
		d := drive(t).join("a")
		id := d.pick(1)
		d.own(id)
		d.blind = true
		echoed := d.m.self.echoed
		d.run(8 * time.Second)
		require.Equal(t, echoed+DefaultLeaseDuration, d.m.Holding().Until)
		require.False(t, d.m.connected())
		d.run(10 * time.Second)
		require.True(t, d.m.Holding().Suspended(id), "nobody has taken it yet")
		require.False(t, d.m.Holding().Owns(id, d.now))
		require.Negative(t, d.m.Status().Remain)
		d.beats = nil
		d.run(time.Minute)
		require.Empty(t, d.beats, "it is silent, so that others fence it")

		d.blind = false
		d.step(MemberObserved{Record: d.m.members["b"].MemberRecord})
		d.run(5 * tick)
		d.step(Warmed{ID: id, Epoch: d.m.slots[id].record.Epoch})
		require.True(t, d.m.Holding().Owns(id, d.now), "nobody did, so it goes on")
	})
	t.Run("each comes back late", func(t *testing.T) {
		d := drive(t).join("a")
		d.blind = true
		var records []MemberRecord
		for range 120 {
			d.run(tick)
			records = append(records, d.m.members["b"].MemberRecord)
			if n := len(records); n > 80 { // by eight seconds
				d.step(MemberObserved{Record: records[n-80]})
			}
		}
		require.False(t, d.m.connected(), "what it sees is too old to judge others by")
		require.LessOrEqual(t, d.m.self.echoed, d.now-8*time.Second)
	})
	t.Run("it comes back before the answer", func(t *testing.T) {
		d := drive(t).join("a")
		d.mute = true
		d.run(2 * time.Second)
		put, record := d.late[0], d.late[0].Record
		record.Version = d.next()
		d.step(MemberObserved{Record: record})
		require.Less(t, d.m.self.echoed, put.Sent, "we do not know yet which one it was")
		d.step(MemberWritten{Put: put, Outcome: Done, Record: record})
		require.Equal(t, put.Sent, d.m.self.echoed)
	})
}

// TestNextLife: what ended a life, and when the next one may register.
func TestNextLife(t *testing.T) {
	guard := GuardFor(DefaultWriteTimeout)
	for name, tc := range map[string]struct {
		silent time.Duration
		end    func(*driver) Event
		want   time.Duration
	}{
		"the record was deleted while writes may be in flight": {
			end: func(*driver) Event { return MemberGone{Name: "b"} }, want: guard,
		},
		"it was fenced, long after the last write": {
			silent: 20 * time.Second,
			end:    func(d *driver) Event { return MemberObserved{Record: MemberRecord{Name: "b", Version: d.next()}} },
		},
		"it was deleted when we had stopped just now": {
			silent: 8 * time.Second,
			end:    func(*driver) Event { return MemberGone{Name: "b"} }, want: guard - time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t).join("a")
			id := d.pick(1)
			d.own(id)
			d.mute = tc.silent > 0
			d.run(tc.silent)
			d.mute, d.late = false, nil
			d.m.self.writing, d.beats = false, nil
			begin := d.now
			d.step(tc.end(d))
			require.Zero(t, d.m.Holding().Len())
			require.True(t, has[Fenced](d))
			for len(d.beats) == 0 && d.now-begin < time.Minute {
				d.run(tick)
			}
			require.InDelta(t, tc.want, d.now-begin, float64(time.Second))
			require.Equal(t, NewIdentity("b", "uid-b", "one.1"), d.beats[0].Record.Holder)
			require.Equal(t, Idle, d.m.slots[id].state, "what the life before held is not held any more")
		})
	}
}

func TestAnswersToALifeBefore(t *testing.T) {
	d := drive(t).join("a")
	id := d.pick(1)
	d.shard(id, "", "b")
	acquire := d.one()
	d.mute = true
	d.run(2 * time.Second)
	beat := d.late[0]
	d.step(MemberGone{Name: "b"})
	record := beat.Record
	record.Version = d.next()
	d.step(MemberWritten{Put: beat, Outcome: Done, Record: record})
	d.done(acquire)
	require.Zero(t, d.m.Holding().Len())
	require.Zero(t, d.m.Holding().Until)
	require.Equal(t, Idle, d.m.slots[id].state)
}
