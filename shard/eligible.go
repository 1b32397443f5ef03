// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"strconv"
	"strings"
)

// admits reports whether a member may have a place in the ring.
//
// Everybody learns at once how many replicas there shall be, long before the last
// of those that are too many has ended: so that three of five that go are one
// change of the ring, not three, and no shard moves twice.
func (e Eligible) admits(member string) bool {
	suffix, ofSet := strings.CutPrefix(member, e.Set+"-")
	if e.Set == "" || !ofSet {
		return true
	}
	ordinal, err := strconv.Atoi(suffix)
	return err != nil || ordinal >= e.Start && ordinal < e.Start+e.Replicas
}
