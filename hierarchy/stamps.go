// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

//go:build !brokenstamp

package hierarchy

// blind to stamps of moves: no, in everything that is shipped.
const blind = false
