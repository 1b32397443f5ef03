// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestFence: when b takes the record of "x" away, and what it writes instead.
func TestFence(t *testing.T) {
	for name, tc := range map[string]struct {
		others  []string
		arrange func(*driver) // the last thing that happens before the wait
		want    time.Duration // -1: never
		state   MemberState
	}{
		"a silent member, after its lease": {
			arrange: func(d *driver) { d.observe("x", life("x"), MemberActive); d.silence("x") },
			want:    DefaultLeaseDuration,
		},
		"one that joins is no exception": {
			arrange: func(d *driver) { d.observe("x", life("x"), MemberJoining); d.silence("x") },
			want:    DefaultLeaseDuration,
		},
		"one that renews is not": {
			arrange: func(d *driver) { d.observe("x", life("x"), MemberActive) }, want: -1,
		},
		"those with lower names go first": {
			others:  []string{"a", "aa"},
			arrange: func(d *driver) { d.observe("x", life("x"), MemberActive); d.silence("x") },
			want:    DefaultLeaseDuration + 2*fenceStagger,
		},
		"those with higher names do not": {
			others:  []string{"c", "d"},
			arrange: func(d *driver) { d.observe("x", life("x"), MemberActive); d.silence("x") },
			want:    DefaultLeaseDuration,
		},
		"one that is known only from a shard": {
			arrange: func(d *driver) { d.shard(0, life("x"), "") }, want: DefaultLeaseDuration,
		},
		"one whose record was deleted, if it does not write it anew": {
			arrange: func(d *driver) {
				d.observe("x", life("x"), MemberActive)
				d.silence("x")
				d.run(5 * time.Second)
				d.step(MemberGone{Name: "x"})
			},
			want: DefaultLeaseDuration,
		},
		"one that said goodbye holds nothing": {
			arrange: func(d *driver) { d.observe("x", "", MemberLeaving) }, want: -1,
		},
		"unless a shard that was written later names it": {
			arrange: func(d *driver) { d.observe("x", "", MemberRestarting); d.shard(0, life("x"), "") },
			want:    0, state: MemberRestarting,
		},
		"the record of one that left may be deleted": {
			arrange: func(d *driver) { d.observe("x", "", MemberLeaving); d.step(MemberGone{Name: "x"}) }, want: -1,
		},
		"a deleted record proves nothing about the life after": {
			arrange: func(d *driver) {
				d.observe("x", "", MemberLeaving)
				d.shard(0, life("x"), "")
				d.fences = nil
				d.step(MemberWritten{Put: PutMember{Record: MemberRecord{Name: "x"}}, Outcome: Lost})
			},
			want: DefaultLeaseDuration,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t).join(tc.others...)
			tc.arrange(d)
			begin := d.now
			for len(d.fences) == 0 && d.now-begin < time.Minute {
				d.run(tick)
			}
			if tc.want < 0 {
				require.Empty(t, d.fences)
				return
			}
			require.InDelta(t, tc.want, d.now-begin, float64(2*tick))
			fence := d.fences[0]
			require.Equal(t, MemberRecord{Name: "x", State: tc.state, RingKey: d.m.members["x"].RingKey}, fence.Record)
			require.Equal(t, d.m.members["x"].Version, fence.Expect)
			d.run(5 * time.Second)
			require.Len(t, d.fences, 1, "one at a time")
		})
	}
}

// TestFenceOutcome: what follows upon a fence.
func TestFenceOutcome(t *testing.T) {
	for name, tc := range map[string]struct {
		answer func(d *driver, put PutMember) MemberWritten
		wait   time.Duration
		again  int // fences after the first
	}{
		"it is tried again if nobody knows": {
			answer: func(_ *driver, put PutMember) MemberWritten { return MemberWritten{Put: put} },
			wait:   time.Second, again: 1,
		},
		"but not at once": {
			answer: func(_ *driver, put PutMember) MemberWritten { return MemberWritten{Put: put} },
		},
		"the member renewed, and is believed for another lease": {
			answer: func(d *driver, put PutMember) MemberWritten {
				return MemberWritten{Put: put, Outcome: Lost, Record: MemberRecord{Name: "x", Holder: life("x"), Version: d.next()}}
			},
			wait: 9 * time.Second,
		},
		"it was deleted, and is believed for another lease": {
			answer: func(_ *driver, put PutMember) MemberWritten { return MemberWritten{Put: put, Outcome: Lost} },
			wait:   9 * time.Second,
		},
		"it is done": {
			answer: func(d *driver, put PutMember) MemberWritten {
				record := put.Record
				record.Version = d.next()
				return MemberWritten{Put: put, Outcome: Done, Record: record}
			},
			wait: time.Minute,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t).join()
			d.observe("x", life("x"), MemberActive)
			d.silence("x")
			d.run(11 * time.Second)
			require.Len(t, d.fences, 1)
			d.step(tc.answer(d, d.fences[0]))
			d.run(tc.wait)
			require.Len(t, d.fences, 1+tc.again)
		})
	}
}

// TestNoFence: when b is in no position to judge.
func TestNoFence(t *testing.T) {
	for name, arrange := range map[string]func(*driver){
		"its own heartbeats fail":                        func(d *driver) { d.mute = true },
		"its own heartbeats do not come back":            func(d *driver) { d.blind = true },
		"it stops":                                       func(d *driver) { d.step(Stop{}) },
		"its record was taken away, and it is not again": func(d *driver) { d.mute = true; d.step(MemberGone{Name: "b"}) },
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t).join("a")
			d.silence("a")
			d.silence("elsewhere")
			arrange(d)
			d.run(time.Minute)
			require.Empty(t, d.fences)
		})
	}
}

func TestSilenceStartsAnewAfterAGap(t *testing.T) {
	d := drive(t).join("a")
	d.silence("a")
	d.run(2 * time.Second)
	d.mute = true
	d.run(20 * time.Second)
	d.mute = false
	d.run(9 * time.Second)
	require.Empty(t, d.fences)
	d.run(5 * time.Second)
	require.Len(t, d.fences, 1)
}

// TestInRing: who has a place.
func TestInRing(t *testing.T) {
	for name, tc := range map[string]struct {
		holder Identity
		state  MemberState
		age    time.Duration // of the state
		want   bool
	}{
		"active":                     {holder: life("x"), state: MemberActive, want: true},
		"active long since":          {holder: life("x"), state: MemberActive, age: time.Hour, want: true},
		"joining":                    {holder: life("x"), state: MemberJoining},
		"leaving, not gone yet":      {holder: life("x"), state: MemberLeaving},
		"left":                       {state: MemberLeaving},
		"fenced":                     {state: MemberFenced},
		"restarting, not gone yet":   {holder: life("x"), state: MemberRestarting, want: true},
		"restarting, gone":           {state: MemberRestarting, want: true},
		"restarting, in its grace":   {state: MemberRestarting, age: DefaultRestartGrace - tick, want: true},
		"restarting, after it":       {state: MemberRestarting, age: DefaultRestartGrace},
		"back, but too late to work": {holder: life("x"), state: MemberRestarting, age: DefaultRestartGrace},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t).join()
			d.observe("x", tc.holder, tc.state)
			d.run(tc.age)
			require.Equal(t, tc.want, slices.Contains(d.m.Ring().Members(), "x"))
		})
	}
}

// TestGraceIsOne: a pod that crashes again and again while it restarts does not
// keep its place for ever.
func TestGraceIsOne(t *testing.T) {
	d := drive(t).join()
	d.observe("x", "", MemberRestarting)
	for range 5 {
		d.run(5 * time.Second)
		d.observe("x", NewIdentity("x", "uid", d.now.String()), MemberRestarting)
	}
	require.False(t, d.m.Ring().Has("x"))
}

// TestSettle: growth upon growth delays the moves, but not for ever; a loss does
// not delay them.
func TestSettle(t *testing.T) {
	for name, tc := range map[string]struct {
		arrange func(*driver)
		want    time.Duration // from the first growth
	}{
		"one newcomer": {
			arrange: func(d *driver) { d.observe("m0", life("m0"), MemberActive) }, want: DefaultSettle,
		},
		"two within the time count as one change": {
			arrange: func(d *driver) {
				d.observe("m0", life("m0"), MemberActive)
				d.run(2 * time.Second)
				d.observe("m1", life("m1"), MemberActive)
			},
			want: 2*time.Second + DefaultSettle,
		},
		"an endless stream of them": {
			arrange: func(d *driver) {
				for _, name := range []string{"m0", "m1", "m2", "m3", "m4"} {
					d.observe(name, life(name), MemberActive)
					d.run(2 * time.Second)
				}
			},
			want: 3 * DefaultSettle,
		},
		"a loss in between": {
			arrange: func(d *driver) {
				d.observe("m0", life("m0"), MemberActive)
				d.run(time.Second)
				d.observe("a", "", MemberFenced)
			},
			want: DefaultSettle,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t).join("a")
			begin := d.now
			tc.arrange(d)
			require.Equal(t, begin+tc.want, d.m.settled)
		})
	}
}
