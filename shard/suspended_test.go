// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// effectsOf returns what was asked for of one kind since the last time, in order, and
// forgets all else.
func effectsOf[E Effect](d *driver) (found []E) {
	for _, effect := range d.effects {
		if e, is := effect.(E); is {
			found = append(found, e)
		}
	}
	d.effects = nil
	return found
}

// sleep does nothing for a while, as a stopped process does.
func (d *driver) sleep(span time.Duration) {
	d.now += span
	d.step(Tick{})
}

// TestSuspended: what is closed, and what has it opened again.
func TestSuspended(t *testing.T) {
	hold := DefaultLeaseDuration - GuardFor(DefaultWriteTimeout)
	for name, tc := range map[string]struct {
		out      func(d *driver) // of touch
		back     func(d *driver)
		wantOpen bool // it was never closed
	}{
		"its heartbeats failed until the hold ended": {
			out:  func(d *driver) { d.mute = true; d.run(hold + tick) },
			back: func(d *driver) { d.mute = false; d.run(3 * time.Second) },
		},
		"its heartbeats did not come back for a lease": {
			out: func(d *driver) { d.blind = true; d.run(DefaultLeaseDuration + DefaultRenewPeriod) },
			back: func(d *driver) {
				d.blind = false
				d.step(MemberObserved{Record: d.m.members["b"].MemberRecord})
			},
		},
		"it slept, and its hold ended meanwhile": {
			out:  func(d *driver) { d.mute = true; d.sleep(hold + tick) },
			back: func(d *driver) { d.mute = false; d.run(3 * time.Second) },
		},
		"it slept for longer than the renew period": {
			out: func(d *driver) { d.sleep(DefaultRenewPeriod + tick) }, back: func(*driver) {},
		},
		"it slept for the renew period": {
			out: func(d *driver) { d.sleep(DefaultRenewPeriod) }, back: func(*driver) {}, wantOpen: true,
		},
		"one heartbeat failed": {
			out:  func(d *driver) { d.mute = true; d.run(DefaultRenewPeriod + tick) },
			back: func(d *driver) { d.mute = false; d.run(3 * time.Second) }, wantOpen: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t).join("a")
			id := d.pick(1)
			d.own(id)
			epoch := d.m.slots[id].record.Epoch
			d.effects = nil

			tc.out(d)
			require.Equal(t, tc.wantOpen, d.m.Holding().Open(id))
			require.Equal(t, !tc.wantOpen, d.m.Holding().Suspended(id))
			tc.back(d)
			if tc.wantOpen {
				require.Empty(t, d.effects)
				return
			}
			require.False(t, d.m.Holding().Open(id), "it does not know yet what it missed")
			require.Equal(t, []Effect{Closed{ID: id, Into: Suspended}, Warm{ID: id, Epoch: epoch}}, d.effects)
			require.Equal(t, Warming, d.m.Status().Shards[id].State)

			d.effects = nil
			d.step(Warmed{ID: id, Epoch: epoch})
			require.True(t, d.m.Holding().Owns(id, d.now))
			require.Equal(t, []Effect{Opened{ID: id, Epoch: epoch, Reason: ReasonResumed}}, d.effects)
			require.Empty(t, d.take(), "its record has not changed")
		})
	}
}

// TestSuspendedStaysClosed for as long as the heartbeat is not good.
func TestSuspendedStaysClosed(t *testing.T) {
	d := drive(t).join("a")
	id := d.pick(1)
	d.own(id)
	d.mute = true
	d.effects = nil
	d.run(time.Minute)
	require.Equal(t, []Effect{Closed{ID: id, Into: Suspended}}, d.effects)
	require.Equal(t, "suspended", d.m.Status().Shards[id].State.String())
	require.Equal(t, "b", d.m.Status().Shards[id].Holder, "by its record")
}

// TestGrantAfterTheHold: the answer that makes it ours comes when the hold has ended.
func TestGrantAfterTheHold(t *testing.T) {
	d := drive(t).join("a")
	id := d.pick(1)
	d.mute = true
	d.run(time.Minute)
	d.effects = nil
	d.shard(id, self1, "")
	require.Empty(t, d.effects)
	require.False(t, d.m.Holding().Suspended(id), "it never was open")
	d.mute = false
	d.run(3 * time.Second)
	require.Len(t, effectsOf[Warm](d), 1)
	d.step(Warmed{ID: id, Epoch: d.m.slots[id].record.Epoch})
	require.Equal(t, []Opened{{ID: id, Epoch: d.m.slots[id].record.Epoch}}, effectsOf[Opened](d), "as it was granted")
}

// TestSuspendedWhileItWarms: the answer to a Warm of before the gap opens nothing, and
// the next Warm is asked for when nobody can take that answer for its own.
func TestSuspendedWhileItWarms(t *testing.T) {
	d := drive(t).join("a")
	id := d.pick(1)
	grant := d.shard(id, self1, "")
	require.Len(t, effectsOf[Warm](d), 1)
	d.sleep(DefaultRenewPeriod + tick)
	d.run(time.Second)
	require.Equal(t, Suspended, d.m.slots[id].state)
	require.Empty(t, d.effects, "nothing was open, and the first Warm is under way")

	d.step(Warmed{ID: id, Epoch: grant.Epoch})
	require.False(t, d.m.Holding().Open(id))
	require.Equal(t, []Warm{{ID: id, Epoch: grant.Epoch}}, effectsOf[Warm](d))
	d.step(Warmed{ID: id, Epoch: grant.Epoch})
	require.True(t, d.m.Holding().Open(id))
}

// TestWarmOfAnotherEpoch: it delays nothing, and ends nothing.
func TestWarmOfAnotherEpoch(t *testing.T) {
	d := drive(t).join("a")
	id := d.pick(1)
	before := d.shard(id, self1, "")
	d.shard(id, life("a"), "")
	after := d.shard(id, self1, "")
	require.Len(t, effectsOf[Warm](d), 2)
	d.step(Warmed{ID: id, Epoch: before.Epoch})
	d.sleep(DefaultRenewPeriod + tick)
	require.Empty(t, effectsOf[Warm](d), "that of this epoch is under way")
	d.step(Warmed{ID: id, Epoch: after.Epoch})
	require.Len(t, effectsOf[Warm](d), 1)
}

// TestEndOfSuspended: what becomes of a suspended shard but that it is opened again.
func TestEndOfSuspended(t *testing.T) {
	for name, tc := range map[string]struct {
		end       func(d *driver, id ID)
		wantPut   bool // it is given back
		wantState State
	}{
		"another took it": {end: func(d *driver, id ID) { d.shard(id, life("a"), "") }},
		"the member was fenced": {end: func(d *driver, _ ID) {
			d.step(MemberObserved{Record: MemberRecord{Name: "b", Version: d.next()}})
		}},
		"the member shall end": {
			end: func(d *driver, id ID) {
				d.step(Stop{})
				require.Len(d, effectsOf[Drain](d), 1, "writes from before may be under way")
				d.step(Drained{ID: id, Epoch: d.m.slots[id].record.Epoch})
			},
			wantPut: true, wantState: Releasing,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t).join("a")
			id := d.pick(1)
			d.own(id)
			d.mute = true
			d.run(DefaultLeaseDuration)
			d.effects = nil
			tc.end(d, id)
			require.Equal(t, tc.wantState, d.m.slots[id].state)
			require.False(t, has[Closed](d), "it was closed before")
			require.False(t, d.m.Holding().Suspended(id))
			if tc.wantPut {
				require.Empty(t, d.one().Record.Holder)
			}
			d.run(time.Minute)
			require.False(t, has[Warm](d))
		})
	}
}
