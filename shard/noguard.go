// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

//go:build brokenguard

package shard

import "time"

// GuardFor is no guard at all. Binaries that are built with this tag show that the
// checks of the audit log find writes that arrive after their writer was replaced.
func GuardFor(time.Duration) time.Duration { return 0 }

// WriteBound is the timeout alone.
func WriteBound(_, _ Instant, timeout, _ time.Duration) time.Duration { return timeout }

// DropsSilenced: what is queued stays there.
const DropsSilenced = false
