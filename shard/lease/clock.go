// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/banyan-hns/banyan/shard"
)

// BootTime reads the clock that also runs while the host sleeps and that nobody
// can set. Time since boot is all that ownership ever depends on.
func BootTime() shard.Instant {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		// The kernel has had this clock since 2.6.39; without it no lease can
		// be judged, so it is better not to run.
		panic("reading CLOCK_BOOTTIME: " + err.Error())
	}
	return time.Duration(ts.Nano())
}
