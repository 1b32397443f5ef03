// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

//go:build !brokenguard

package shard

import "time"

// GuardFor is the smallest guard that is safe with a write timeout.
func GuardFor(writeTimeout time.Duration) time.Duration { return writeTimeout + GuardSlack }
