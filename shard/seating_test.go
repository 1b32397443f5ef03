// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestSeat: who sits on s-0 and s-1. A sitter is written as NAME or NAME=SEAT, with
// a ! behind it if it restarts.
func TestSeat(t *testing.T) {
	for name, tc := range map[string]struct {
		members string
		want    Seating
	}{
		"at the beginning, each takes the seat of its name": {"s-0 s-1 s-2", Seating{"s-0": "s-0", "s-1": "s-1"}},
		"names that no seat has come in order":              {"a b c", Seating{"s-0": "a", "s-1": "b"}},
		"a seat of another's name waits for nobody":         {"s-1 s-2", Seating{"s-0": "s-2", "s-1": "s-1"}},
		"who sits there stays":                              {"s-0 s-1=s-0 s-2=s-1", Seating{"s-0": "s-1", "s-1": "s-2"}},
		"the spare takes the seat of one that restarts":     {"s-0=s-0 s-1=s-1! s-2", Seating{"s-0": "s-0", "s-1": "s-2"}},
		"the spare takes the seat of one that is gone":      {"s-1=s-1 s-2", Seating{"s-0": "s-2", "s-1": "s-1"}},
		"without a spare, a seat is kept":                   {"s-0=s-0 s-1=s-1!", Seating{"s-0": "s-0", "s-1": "s-1"}},
		"one spare cannot replace two":                      {"s-0=s-0! s-1=s-1! s-2", Seating{"s-0": "s-2", "s-1": "s-1"}},
		"who comes back does not take it from the spare":    {"s-0=s-0 s-1=s-1! s-2=s-1", Seating{"s-0": "s-0", "s-1": "s-2"}},
		"of two that claim one, the first has it":           {"s-1=s-0 s-2=s-0", Seating{"s-0": "s-1", "s-1": "s-2"}},
		"a claim to a seat that there is no more is none":   {"s-0=s-7 s-1=s-1", Seating{"s-0": "s-0", "s-1": "s-1"}},
		"nobody is there":                                   {"", Seating{}},
	} {
		t.Run(name, func(t *testing.T) {
			var members []sitter
			for _, word := range strings.Fields(tc.members) {
				named, restarts := strings.CutSuffix(word, "!")
				name, claims, _ := strings.Cut(named, "=")
				members = append(members, sitter{name, claims, !restarts})
			}
			require.Equal(t, tc.want, seat([]string{"s-0", "s-1"}, members))
		})
	}
}

// TestSeatSettles: once everybody claims what it was given, nothing changes any more.
// Nobody sits twice, and no seat is empty while somebody active has none.
func TestSeatSettles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seats := ordinals(rapid.IntRange(1, 4).Draw(t, "seats"))
		var members []sitter
		for _, name := range ordinals(rapid.IntRange(0, 6).Draw(t, "members")) {
			members = append(members, sitter{
				name, rapid.SampledFrom(append(seats, "", "gone")).Draw(t, "claim"), rapid.Bool().Draw(t, "active"),
			})
		}
		seating := seat(seats, members)
		var seated []string
		for _, name := range seating {
			seated = append(seated, name)
		}
		require.Len(t, slices.Compact(slices.Sorted(slices.Values(seated))), len(seating))
		ring := NewSeatedRing(seating, 8)
		for i, m := range members {
			require.Truef(t, !m.active || ring.Has(m.name) || len(seating) == len(seats), "%s is idle beside an empty seat", m.name)
			members[i].claims = ring.SeatOf(m.name)
		}
		require.Equal(t, seating, seat(seats, members))
	})
}

// TestSeats: there is one less than there shall be replicas, and at least one.
func TestSeats(t *testing.T) {
	for replicas, want := range map[int][]string{0: ordinals(1), 1: ordinals(1), 2: ordinals(1), 4: ordinals(3)} {
		require.Equal(t, want, Eligible{Set: "banyan", Replicas: replicas}.seats(), "%d replicas", replicas)
	}
	require.Equal(t, []string{"banyan-5", "banyan-6"}, Eligible{Set: "banyan", Start: 5, Replicas: 3}.seats())
	require.Empty(t, Eligible{}.seats())
}

// TestSeatedRing: what a seat has does not depend on who sits there, and the key
// tells who does.
func TestSeatedRing(t *testing.T) {
	own := NewRing([]string{"s-0", "s-1"}, 32)
	other := NewSeatedRing(Seating{"s-0": "x", "s-1": "s-0"}, 32)
	has := map[string]string{"s-0": "x", "s-1": "s-0"}
	for id := range ID(32) {
		require.Equal(t, has[own.Owner(id)], other.Owner(id))
		require.Equal(t, has[own.Second(id)], other.Second(id))
	}
	require.Equal(t, []string{"s-0", "x"}, other.Members())
	require.Equal(t, "s-1", other.SeatOf("s-0"))
	require.Empty(t, other.SeatOf("s-1"))
	require.Equal(t, own.Key(), NewSeatedRing(Seating{"s-0": "s-0", "s-1": "s-1"}, 32).Key())
	keys := map[string]bool{own.Key(): true, other.Key(): true}
	keys[NewSeatedRing(Seating{"s-0": "s-0", "s-1": "x"}, 32).Key()] = true
	keys[NewSeatedRing(Seating{"s-0": "s-1", "s-1": "s-0"}, 32).Key()] = true
	require.Len(t, keys, 4)
}

// spared is a machine among three members that have two seats.
func spared(t *testing.T, others ...string) *driver {
	d := drive(t, func(c *Config) { c.RestartPolicy = Spare })
	d.step(Eligible{Set: "seat", Replicas: 3})
	return d.join(others...)
}

// TestStopWithASpare: what b has is meant for the spare at once, before anybody can
// have heard that it restarts; without a spare, for itself.
func TestStopWithASpare(t *testing.T) {
	for name, tc := range map[string]struct {
		others []string
		stop   Stop
		want   string
		seat   string // that it claims in its last words
	}{
		"the spare takes its seat":                  {others: []string{"a", "c"}, want: "c"},
		"nobody is left to take it, so it is kept":  {others: []string{"a"}, want: "b", seat: "seat-1"},
		"it will not be back, and there is a spare": {others: []string{"a", "c"}, stop: Stop{Leaving: true}, want: "c"},
		"it will not be back, and there is none":    {others: []string{"a"}, stop: Stop{Leaving: true}, want: "a"},
	} {
		t.Run(name, func(t *testing.T) {
			d := spared(t, tc.others...)
			require.Equal(t, "seat-1", d.beats[len(d.beats)-1].Record.Seat)
			id := d.pick(1)
			d.own(id)
			d.mute = true // nobody hears of it
			d.step(tc.stop)
			d.step(Drained{ID: id, Epoch: d.m.slots[id].record.Epoch})
			put := d.one()
			require.Equal(t, tc.want, put.Record.HandoffTo)
			d.mute = false
			d.done(put)
			d.run(2 * DefaultWriteTimeout)
			last := d.beats[len(d.beats)-1].Record
			require.Empty(t, last.Holder)
			require.Equal(t, tc.seat, last.Seat)
		})
	}
}

// TestTurnOfTheSpare: b has no seat, until a1 has none.
func TestTurnOfTheSpare(t *testing.T) {
	for name, arrange := range map[string]func(*driver, ID){
		"what is meant for it": func(d *driver, id ID) {
			d.observe("a1", life("a1"), MemberRestarting)
			d.shard(id, "", "b")
		},
		"what is meant for it, of which it hears first": func(d *driver, id ID) {
			d.shard(id, "", "b")
			d.observe("a1", life("a1"), MemberRestarting)
		},
		"what one who knows of no spare means for itself": func(d *driver, id ID) {
			d.shard(id, "", "a1")
			d.observe("a1", "", MemberRestarting)
		},
		"what the dead had": func(d *driver, id ID) {
			d.shard(id, life("a1"), "")
			d.observe("a1", "", MemberFenced)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := spared(t, "a0", "a1")
			require.Empty(t, d.beats[len(d.beats)-1].Record.Seat)
			require.Equal(t, []string{"a0", "a1"}, d.m.Ring().Members())
			id := ID(slices.Index(d.m.Ring().owners, "a1"))
			arrange(d, id)
			require.EqualValues(t, 0, d.askedAfter(id, time.Minute))
			d.run(time.Second)
			require.Equal(t, "seat-1", d.beats[len(d.beats)-1].Record.Seat, "it says where it sits now")
			require.Equal(t, []string{"a0", "b"}, d.m.Ring().Members())
		})
	}
}

// TestSpareNeedsTheNumber: where nobody told how many replicas there shall be, each
// has a seat of its own.
func TestSpareNeedsTheNumber(t *testing.T) {
	for _, e := range []Eligible{{}, {Set: "seat", Replicas: 3}} {
		t.Run(fmt.Sprint(e), func(t *testing.T) {
			d := drive(t, func(c *Config) { c.RestartPolicy = Spare }).join("a", "c")
			d.step(e)
			want := []string{"a", "b", "c"}
			if e.Set != "" {
				want = want[:2]
			}
			require.Equal(t, want, d.m.Ring().Members())
		})
	}
}
