// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTurn: how long b waits for a shard that became vacant.
func TestTurn(t *testing.T) {
	orphan := func(d *driver, id ID) {
		d.shard(id, life("x"), "")
		d.observe("x", "", MemberFenced)
	}
	released := func(to string) func(*driver, ID) {
		return func(d *driver, id ID) { d.shard(id, "", to) }
	}
	for name, tc := range map[string]struct {
		place   int
		arrange func(*driver, ID)
		want    time.Duration
	}{
		"the owner in the ring takes an orphan at once":   {place: 1, arrange: orphan},
		"the next one after a second":                     {place: 2, arrange: orphan, want: time.Second},
		"any other after three":                           {place: 3, arrange: orphan, want: 3 * time.Second},
		"the owner takes a free shard at once":            {place: 1, arrange: released("")},
		"the next one takes a free shard after a second":  {place: 2, arrange: released(""), want: time.Second},
		"who it is meant for need not be its owner":       {place: 3, arrange: released("b")},
		"the owner waits for whom it is meant":            {place: 1, arrange: released("a"), want: 3 * time.Second},
		"who is not in the ring is not waited for":        {place: 1, arrange: released("gone")},
		"nor does another jump the queue for it":          {place: 2, arrange: released("gone"), want: time.Second},
		"a shard with a living holder is never asked for": {place: 1, arrange: func(*driver, ID) {}, want: -1},
		"the silence of a holder is no end of its life": {
			place: 1, want: -1,
			arrange: func(d *driver, id ID) { d.shard(id, life("y"), "") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t).join("a", "c", "d")
			id := d.pick(tc.place)
			tc.arrange(d, id)
			require.Equal(t, tc.want, d.askedAfter(id, 9*time.Second))
			if tc.want >= 0 {
				put := d.one()
				require.Equal(t, self1, put.Record.Holder)
				require.Equal(t, d.m.slots[id].record.Epoch+1, put.Record.Epoch)
				require.Equal(t, d.m.slots[id].record.Version, put.Expect)
			}
		})
	}
}

func TestReasonOfAcquisition(t *testing.T) {
	d := drive(t).join("a", "c")
	id := d.pick(1)
	for want, arrange := range map[Reason]func(){
		ReasonFree:     func() { d.shard(id, "", "") },
		ReasonHandover: func() { d.shard(id, "", "b") },
		ReasonTakeover: func() { d.shard(id, life("x"), ""); d.observe("x", "", MemberFenced) },
	} {
		arrange()
		put := d.one()
		require.Equal(t, want, put.Record.Reason)
		d.step(ShardWritten{Put: put, Outcome: Lost, Record: d.shard(id, life("a"), "")})
		require.Equal(t, Idle, d.m.slots[id].state)
	}
}

// TestTurnBehindARestart: its place is kept for the grace, and when it is back,
// it goes first.
func TestTurnBehindARestart(t *testing.T) {
	for name, tc := range map[string]struct {
		back time.Duration // when it is active again; 0: never
		want time.Duration
	}{
		"it does not come back: its shards are free after the grace":  {want: DefaultRestartGrace},
		"it comes back and does not ask: the next one after a second": {back: 5 * time.Second, want: 6 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t).join("a")
			id := d.pick(2)
			d.observe("a", "", MemberRestarting)
			d.shard(id, "", "a")
			begin := d.now
			if tc.back > 0 {
				require.EqualValues(t, -1, d.askedAfter(id, tc.back-tick))
				d.observe("a", NewIdentity("a", "uid-a2", "two.0"), MemberActive)
			}
			require.NotEqualValues(t, -1, d.askedAfter(id, time.Minute))
			require.InDelta(t, tc.want, d.now-begin, float64(tick))
		})
	}
}

// TestUnwritten: when a shard without a record may be asked for.
func TestUnwritten(t *testing.T) {
	for name, tc := range map[string]struct {
		before func(*driver) // the listing
		after  func(*driver)
		want   time.Duration
	}{
		"nobody ever held anything": {want: DefaultSettle},
		"others begin as we do": {
			before: func(d *driver) { d.observe("z", life("z"), MemberJoining) }, want: DefaultSettle,
		},
		"somebody is leaving, and may have held it": {
			before: func(d *driver) { d.observe("z", life("z"), MemberLeaving) },
			want:   DefaultLeaseDuration + GuardFor(DefaultWriteTimeout),
		},
		"others have their records, so this one was deleted": {
			before: func(d *driver) { d.shard(1, life("z"), "") },
			want:   DefaultLeaseDuration + GuardFor(DefaultWriteTimeout),
		},
		"we never were connected, and may have missed it": {
			before: func(d *driver) { d.blind = true },
			after: func(d *driver) {
				d.run(5 * time.Second)
				d.blind = false
			},
			want: DefaultLeaseDuration + GuardFor(DefaultWriteTimeout) + 6500*time.Millisecond,
		},
		"we were paused, and may have missed it": {
			after: func(d *driver) { d.now += 2*time.Second + 2*tick; d.step(Tick{}) },
			want:  DefaultLeaseDuration + GuardFor(DefaultWriteTimeout) + 2*time.Second + 2*tick,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t)
			if tc.before != nil {
				tc.before(d)
			}
			d.step(Listed{})
			d.step(Ready{})
			d.run(5 * tick)
			if tc.after != nil {
				tc.after(d)
			}
			require.NotEqualValues(t, -1, d.askedAfter(0, time.Minute))
			require.InDelta(t, tc.want, d.now-epoch, float64(5*tick))
			require.Zero(t, d.puts[0].Expect)
		})
	}
}

// TestShouldMove: b owns a shard that belongs to a newcomer in the ring.
func TestShouldMove(t *testing.T) {
	for name, tc := range map[string]struct {
		arrange func(*driver) // after c joined
		wait    time.Duration
		want    State
	}{
		"not before the ring has settled": {wait: 2 * time.Second, want: Owned},
		"once it has settled":             {wait: 5 * time.Second, want: Draining},
		"not while the newcomer sees otherwise": {
			arrange: func(d *driver) { d.disagree["c"] = true; d.observe("c", life("c"), MemberActive) },
			wait:    20 * time.Second, want: Owned,
		},
		"when it sees the same at last": {
			arrange: func(d *driver) {
				d.disagree["c"] = true
				d.run(10 * time.Second)
				d.disagree["c"] = false
			},
			wait: time.Second, want: Draining,
		},
		"not to one that restarts": {
			arrange: func(d *driver) { d.observe("c", life("c"), MemberRestarting) },
			wait:    5 * time.Second, want: Owned,
		},
		"not while growth goes on": {
			arrange: func(d *driver) { d.run(2 * time.Second); d.observe("n", life("n"), MemberActive) },
			wait:    2 * time.Second, want: Owned,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t).join()
			id := ownedBy(t, "c", "b", "c", "n")
			d.own(id)
			d.observe("c", life("c"), MemberActive)
			if tc.arrange != nil {
				tc.arrange(d)
			}
			d.run(tc.wait)
			require.Equal(t, tc.want.String(), d.m.slots[id].state.String())
			require.Equal(t, tc.want == Owned, d.m.Holding().Open(id), "open for writes")
			require.Equal(t, tc.want == Draining, has[Drain](d))
		})
	}
}

// ownedBy returns a shard that the member owns in the ring of it and b, and in
// that of all.
func ownedBy(t *testing.T, member string, all ...string) ID {
	small, large := NewRing([]string{"b", member}, 8), NewRing(all, 8)
	for id := range ID(8) {
		if small.Owner(id) == member && large.Owner(id) == member {
			return id
		}
	}
	t.Fatalf("%s owns nothing in both rings", member)
	return 0
}

func TestBudget(t *testing.T) {
	for name, tc := range map[string]struct{ budget, want int }{
		"one at a time":            {budget: 1, want: 1},
		"two at a time":            {budget: 2, want: 2},
		"no more than there are":   {budget: 100, want: 8},
		"all of them, just enough": {budget: 8, want: 8},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, func(c *Config) { c.Budget = tc.budget }).join()
			for id := range ID(8) {
				d.own(id)
			}
			theirs := len(shardsOf(NewRing([]string{"b", "c"}, 8), "c"))
			d.observe("c", life("c"), MemberActive)
			d.run(10 * time.Second)
			moving := 0
			for id := range d.m.slots {
				if d.m.slots[id].state == Draining {
					moving++
				}
			}
			require.Equal(t, min(tc.want, theirs), moving)
		})
	}
}

func TestBudgetCountsUntilTheTargetHasIt(t *testing.T) {
	d := drive(t, func(c *Config) { c.Budget = 1 }).join()
	theirs := shardsOf(NewRing([]string{"b", "c"}, 8), "c")
	require.Greater(t, len(theirs), 1)
	for _, id := range theirs {
		d.own(id)
	}
	d.observe("c", life("c"), MemberActive)
	d.run(10 * time.Second)
	d.step(Drained{ID: theirs[0], Epoch: d.m.slots[theirs[0]].record.Epoch})
	release := d.one()
	require.Equal(t, Owned, d.m.slots[theirs[1]].state, "the first is not given back yet")
	d.done(release)
	require.Equal(t, Owned, d.m.slots[theirs[1]].state, "the other has not taken the first yet")
	d.shard(theirs[0], life("c"), "")
	require.Equal(t, Draining, d.m.slots[theirs[1]].state)
}

func shardsOf(ring *Ring, member string) (ids []ID) {
	for id := range ID(8) {
		if ring.Owner(id) == member {
			ids = append(ids, id)
		}
	}
	return ids
}

// TestReleaseTo: for whom a shard is meant when b gives it back.
func TestReleaseTo(t *testing.T) {
	for name, tc := range map[string]struct {
		others []string
		stop   Stop
		want   string
	}{
		"b will be back":                     {others: []string{"a"}, want: "b"},
		"b leaves its place to the next one": {others: []string{"a"}, stop: Stop{Leaving: true}, want: "a"},
		"b leaves, and nobody else is there": {stop: Stop{Leaving: true}, want: ""},
		"b was alone, and will be back":      {want: "b"},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t).join(tc.others...)
			id := d.pick(1)
			d.own(id)
			held := d.m.slots[id].record
			d.step(tc.stop)
			require.False(t, d.m.Holding().Open(id))
			require.Empty(t, d.take(), "nothing is released before the writes in flight have ended")
			d.step(Drained{ID: id, Epoch: held.Epoch})
			put := d.one()
			require.Equal(t, Record{ID: id, Epoch: held.Epoch, HandoffTo: tc.want, Reason: held.Reason}, put.Record)
			require.Equal(t, held.Version, put.Expect)
		})
	}
}

// TestUnknownOutcome: a write without an answer is tried again with the same
// version, not at once, and a shard that was closed stays closed.
func TestUnknownOutcome(t *testing.T) {
	t.Run("of a release", func(t *testing.T) {
		d := drive(t).join("a")
		id := d.pick(1)
		d.own(id)
		d.step(Stop{})
		d.step(Drained{ID: id, Epoch: d.m.slots[id].record.Epoch})
		first := d.one()
		d.step(ShardWritten{Put: first})
		require.Empty(t, d.take(), "a store that refuses at once is not asked without pause")
		d.run(3 * tick)
		second := d.one()
		require.Equal(t, first, second)
		require.False(t, d.m.Holding().Open(id))
		// The first one was done after all.
		record := d.shard(id, "", "b")
		d.step(ShardWritten{Put: second, Outcome: Lost, Record: record})
		d.run(3 * tick)
		require.Empty(t, d.take())
		require.Equal(t, Idle, d.m.slots[id].state)
	})
	t.Run("of an acquisition", func(t *testing.T) {
		d := drive(t).join("a")
		id := d.pick(1)
		d.shard(id, "", "b")
		first := d.one()
		d.step(ShardWritten{Put: first})
		require.Empty(t, d.take())
		d.run(3 * tick)
		require.Equal(t, first, d.one())
		late := first.Record
		late.Version = d.next()
		d.step(ShardObserved{Record: late})
		require.False(t, d.m.Holding().Open(id), "it is ours, but not warm yet")
		d.step(ShardWritten{Put: first, Outcome: Lost, Record: late})
		require.Equal(t, Warming, d.m.slots[id].state)
	})
	t.Run("of one that the store says is not there", func(t *testing.T) {
		d := drive(t).join("a")
		id := d.pick(1)
		d.shard(id, "", "b")
		first := d.one()
		d.step(ShardWritten{Put: first, Outcome: Lost})
		require.EqualValues(t, DefaultLeaseDuration+GuardFor(DefaultWriteTimeout), d.askedAfter(id, time.Minute),
			"whoever got it before it was deleted may not know yet")
	})
}

func TestNothingMovesToASilentMember(t *testing.T) {
	for name, tc := range map[string]struct {
		silent bool
		want   State
	}{
		"it renews":             {want: Draining},
		"its lease has run out": {silent: true, want: Owned},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, func(c *Config) { c.Settle = 15 * time.Second }).join()
			d.run(10 * time.Second)
			id := ownedBy(t, "c", "b", "c")
			d.own(id)
			d.observe("c", life("c"), MemberActive)
			d.run(time.Second)
			if tc.silent {
				d.silence("c")
			}
			d.run(20 * time.Second)
			require.Equal(t, tc.want.String(), d.m.slots[id].state.String())
		})
	}
}
