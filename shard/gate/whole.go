//go:build !brokengate

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package gate

// broken is false in everything that is shipped.
const broken = false
