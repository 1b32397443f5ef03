// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

//go:build !brokenguard

package shard

import "time"

// GuardFor is the smallest guard that is safe with a write timeout.
func GuardFor(writeTimeout time.Duration) time.Duration { return writeTimeout + GuardSlack }

// WriteBound is how long a write may take that begins at an instant, under a hold
// that ends at until: no longer than the timeout, and over before anybody can have
// fenced the holder. It is not positive if no time is left.
func WriteBound(now, until Instant, timeout, guard time.Duration) time.Duration {
	return min(timeout, until+guard-now-GuardSlack)
}

// DropsSilenced: who has not renewed its lease until the guard was over drops what it
// still has queued for the network.
const DropsSilenced = true
