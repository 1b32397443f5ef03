// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func draining(d *driver) (ids []ID) {
	for id := range d.m.slots {
		if d.m.slots[id].state == Draining {
			ids = append(ids, ID(id))
		}
	}
	return ids
}

// TestShareOfTarget: of what one member may get at a time, each that may give has
// its share.
func TestShareOfTarget(t *testing.T) {
	for name, tc := range map[string]struct {
		others []string
		want   int
	}{
		"one gives all":         {want: 4},
		"of two, each the half": {others: []string{"a"}, want: 2},
		"of four, each one":     {others: []string{"a", "e", "f"}, want: 1},
		"of eight, each one":    {others: []string{"a", "e", "f", "g", "h", "i", "j"}, want: 1},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, func(c *Config) { c.Budget, c.Shards = 4, 128 }).join(tc.others...)
			for id := range ID(128) {
				if d.m.ring.Owner(id) == "b" {
					d.own(id)
				}
			}
			d.observe("c", life("c"), MemberActive)
			d.run(10 * time.Second)
			require.Len(t, draining(d), tc.want)
		})
	}
}

// TestShun: who does not take what it is given is left alone, then tried with one.
func TestShun(t *testing.T) {
	d := drive(t, func(c *Config) { c.Shards = 32 }).join()
	theirs := shardsIn(NewRing([]string{"b", "c"}, 32), "c")
	for _, id := range theirs {
		d.own(id)
	}
	d.observe("c", life("c"), MemberActive)
	d.run(10 * time.Second)
	given := draining(d)
	require.Len(t, given, 8)
	giveAll := func() {
		for _, id := range draining(d) {
			d.step(Drained{ID: id, Epoch: d.m.slots[id].record.Epoch})
		}
		for _, put := range d.take() {
			d.done(put)
		}
	}
	giveAll()
	d.run(4 * time.Second) // c does not take them; b does
	for _, put := range d.take() {
		require.Equal(t, self1, put.Record.Holder)
		d.done(put)
		d.step(Warmed{ID: put.Record.ID, Epoch: put.Record.Epoch})
	}
	require.Empty(t, draining(d))
	d.run(29 * time.Second)
	require.Empty(t, draining(d), "c is left alone for three leases")
	d.run(2 * time.Second)
	require.Len(t, draining(d), 1, "and then tried with one")

	giveAll()
	d.run(4 * time.Second)
	again := d.one()
	d.done(again)
	d.step(Warmed{ID: again.Record.ID, Epoch: again.Record.Epoch})
	d.run(58 * time.Second)
	require.Empty(t, draining(d), "it is left alone for twice as long")
	d.run(5 * time.Second)
	require.Len(t, draining(d), 1)

	giveAll()
	d.shard(d.m.ringOwned("c"), life("c"), "")
	d.run(tick)
	require.NotEmpty(t, draining(d), "it took one, and is trusted again")
}

// TestShunEndsWithALife: a new life is not blamed for the one before.
func TestShunEndsWithALife(t *testing.T) {
	d := drive(t).join("c")
	d.shard(0, "", "c")
	d.shard(0, life("elsewhere"), "")
	require.Equal(t, 1, d.m.members["c"].strikes)
	d.observe("c", NewIdentity("c", "uid-c", "two.0"), MemberActive)
	require.Zero(t, d.m.members["c"].strikes)
	require.Zero(t, d.m.members["c"].shunned)
}

// ringOwned is the first shard that was given away, and that the ring gives to it.
func (m *Machine) ringOwned(member string) ID {
	for i := range m.slots {
		if m.slots[i].given && m.ring.Owner(m.slots[i].id) == member {
			return m.slots[i].id
		}
	}
	return 0
}

func shardsIn(ring *Ring, member string) (ids []ID) {
	for id := range ring.owners {
		if ring.Owner(ID(id)) == member {
			ids = append(ids, ID(id))
		}
	}
	return ids
}

func TestEligible(t *testing.T) {
	three := Eligible{Set: "banyan", Replicas: 3}
	for name, tc := range map[string]struct {
		set    Eligible
		member string
		want   bool
	}{
		"one of the first":                 {three, "banyan-2", true},
		"one too many":                     {three, "banyan-3", false},
		"nobody, if there shall be none":   {Eligible{Set: "banyan"}, "banyan-0", false},
		"one before the first":             {Eligible{Set: "banyan", Start: 2, Replicas: 3}, "banyan-1", false},
		"the last from another start":      {Eligible{Set: "banyan", Start: 2, Replicas: 3}, "banyan-4", true},
		"one of another set":               {three, "other-7", true},
		"one of a set with a longer name":  {three, "banyan-blue-7", true},
		"anybody, where there is no set":   {Eligible{}, "banyan-7", true},
		"a process with a name of its own": {three, "laptop", true},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tc.want, tc.set.admits(tc.member)) })
	}
}
