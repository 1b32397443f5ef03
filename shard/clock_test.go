// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestConnectedClock: how much of the time that passes is counted.
func TestConnectedClock(t *testing.T) {
	const lately = 2*DefaultRenewPeriod + DefaultWriteTimeout
	for name, tc := range map[string]struct {
		pass     func(*driver)
		min, max time.Duration
	}{
		"all of it, while all is well": {
			pass: func(d *driver) { d.run(10 * time.Second) }, min: 10 * time.Second, max: 10 * time.Second,
		},
		"what a paused process slept counts as one period": {
			pass: func(d *driver) { d.now += 3 * time.Second; d.step(Tick{}) },
			min:  DefaultRenewPeriod, max: DefaultRenewPeriod,
		},
		"a long sleep is a gap, and does not count at all": {
			pass: func(d *driver) { d.now += time.Hour; d.step(Tick{}) },
		},
		"a host clock that runs backwards stands still": {
			pass: func(d *driver) { d.now -= time.Second; d.step(Tick{}); d.now += time.Second; d.step(Tick{}) },
		},
		"no more than a little, while our writes fail": {
			pass: func(d *driver) { d.mute = true; d.run(time.Minute) },
			min:  lately - DefaultRenewPeriod - tick, max: lately,
		},
		"no more than a little, while we see nothing": {
			pass: func(d *driver) { d.blind = true; d.run(time.Minute) },
			min:  lately - DefaultRenewPeriod - tick, max: lately,
		},
		"nothing after a fence, until we are back": {
			pass: func(d *driver) {
				d.mute = true
				d.step(MemberObserved{Record: MemberRecord{Name: "b", Version: d.next()}})
				d.run(time.Minute)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t).join("a")
			before := d.m.clock.time
			tc.pass(d)
			counted := d.m.clock.time - before
			require.GreaterOrEqual(t, counted, tc.min)
			require.LessOrEqual(t, counted, tc.max)
		})
	}
}

// TestConnected: both ways must work.
func TestConnected(t *testing.T) {
	const lately = 2*DefaultRenewPeriod + DefaultWriteTimeout
	for name, tc := range map[string]struct {
		self self
		want bool
	}{
		"renewed and echoed":      {self: self{registered: true, renewed: epoch, echoed: epoch}, want: true},
		"just lately enough":      {self: self{registered: true, renewed: epoch - lately, echoed: epoch - lately}, want: true},
		"not renewed lately":      {self: self{registered: true, renewed: epoch - lately - 1, echoed: epoch}},
		"not echoed lately":       {self: self{registered: true, renewed: epoch, echoed: epoch - lately - 1}},
		"not registered any more": {self: self{renewed: epoch, echoed: epoch}},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t)
			d.m.self = tc.self
			require.Equal(t, tc.want, d.m.connected())
		})
	}
}
