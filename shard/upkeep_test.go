// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTouch: each shard is written anew about once in the period, each at a time of
// its own, and stays what it is.
func TestTouch(t *testing.T) {
	d := drive(t, func(c *Config) { c.TouchPeriod = 8 * time.Minute }).join()
	for id := range ID(8) {
		d.own(id)
	}
	begin := d.now
	at := map[ID]time.Duration{}
	for d.now-begin <= 11*time.Minute {
		d.run(tick)
		puts := d.take()
		require.LessOrEqual(t, len(puts), 1, "written at a time")
		for _, put := range puts {
			require.NotContains(t, at, put.Record.ID)
			at[put.Record.ID] = (d.now - begin).Round(time.Second)
			require.Equal(t, self1, put.Record.Holder)
			require.Equal(t, d.m.slots[put.Record.ID].record.Epoch, put.Record.Epoch)
			require.Equal(t, Owned, d.m.slots[put.Record.ID].state)
			d.done(put)
		}
	}
	require.Len(t, at, 8)
	seen := map[time.Duration]bool{}
	for id, when := range at {
		require.Falsef(t, seen[when], "shard %d, after %v", id, when)
		require.InDelta(t, 8*time.Minute, when, float64(2*time.Minute+time.Second))
		seen[when] = true
	}
	require.Equal(t, 8, d.m.Holding().Len())
}

// TestClean: which heartbeats the holder of ClusterKey has deleted.
func TestClean(t *testing.T) {
	cluster := Of(ClusterKey, 8)
	for name, tc := range map[string]struct {
		arrange func(*driver)
		want    bool
	}{
		"one that said goodbye": {want: true, arrange: func(d *driver) {
			d.observe("x", "", MemberLeaving)
		}},
		"one that was fenced": {want: true, arrange: func(d *driver) {
			d.observe("x", "", MemberFenced)
		}},
		"not one that lives": {arrange: func(d *driver) {
			d.observe("x", life("x"), MemberJoining)
		}},
		"not one that holds a shard": {arrange: func(d *driver) {
			d.shard((cluster+1)%8, life("x"), "")
			d.observe("x", "", MemberFenced)
			d.m.slots[(cluster+1)%8].retry = never // nor does anybody take it
		}},
		"not one for which a shard is meant": {arrange: func(d *driver) {
			d.shard((cluster+1)%8, "", "x")
			d.observe("x", "", MemberRestarting)
			d.m.slots[(cluster+1)%8].retry = never
		}},
		"not by another than the holder of the cluster's shard": {arrange: func(d *driver) {
			d.shard(cluster, life("elsewhere"), "")
			d.observe("x", "", MemberLeaving)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, func(c *Config) { c.StaleAfter = time.Minute; c.RestartGrace = 0 }).join()
			d.own(cluster)
			tc.arrange(d)
			version := d.m.members["x"].Version
			d.run(59 * time.Second)
			require.False(t, has[DeleteMember](d), "too early")
			d.run(3 * time.Second)
			require.Equal(t, tc.want, has[DeleteMember](d))
			if tc.want {
				ask := DeleteMember{Name: "x", Expect: version}
				require.Contains(t, d.effects, Effect(ask))
				d.step(MemberDeleted{Delete: ask, Outcome: Unknown})
				d.effects = nil
				d.run(50 * time.Second)
				require.False(t, has[DeleteMember](d), "what failed is not asked for again at once")
				d.run(15 * time.Second)
				require.True(t, has[DeleteMember](d))
				d.step(MemberDeleted{Delete: ask, Outcome: Done})
				require.NotContains(t, d.m.members, "x")
			}
		})
	}
}

// TestCleanSparesANewLife: a new life that is seen before the answer stays known.
func TestCleanSparesANewLife(t *testing.T) {
	d := drive(t, func(c *Config) { c.StaleAfter = time.Minute }).join()
	d.own(Of(ClusterKey, 8))
	gone := d.observe("x", "", MemberLeaving)
	d.run(62 * time.Second)
	require.True(t, has[DeleteMember](d))
	d.observe("x", life("x"), MemberActive)
	d.step(MemberDeleted{Delete: DeleteMember{Name: "x", Expect: gone.Version}, Outcome: Done})
	require.Equal(t, life("x"), d.m.members["x"].Holder)
}
