//go:build brokengate

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package gate

// broken admits every write, whoever holds the shard. Binaries that are built
// with this tag show that the checks of the audit log find such writes.
const broken = true
