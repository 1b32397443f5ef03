// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestIdentity(t *testing.T) {
	id := NewIdentity("banyan-0", "uid-1", "abc.0")
	require.Equal(t, "banyan-0", id.Member())
	require.Equal(t, "uid-1", id.Instance())
	for _, odd := range []Identity{"", "banyan-0", "banyan-0/"} {
		require.Empty(t, odd.Instance(), "of %q", odd)
	}
	require.Empty(t, Identity("").Member())
}

func TestMemberStateReadsWhatItWrote(t *testing.T) {
	for s := MemberFenced; s <= MemberActive; s++ {
		require.Equal(t, s, ParseMemberState(s.String()))
	}
	require.Equal(t, MemberFenced, ParseMemberState("from a later version"), "an unknown state is the worst one")
}

func TestHolding(t *testing.T) {
	h := NewHolding("banyan-0/uid/one", 10*time.Second, map[ID]int64{7: 3})
	for name, tc := range map[string]struct {
		id       ID
		now      Instant
		wantOwns bool
	}{
		"open and in time":                {id: 7, now: 9 * time.Second, wantOwns: true},
		"not at the end of the hold":      {id: 7, now: 10 * time.Second},
		"not after it":                    {id: 7, now: 11 * time.Second},
		"a shard that is not open":        {id: 8, now: 0},
		"a number that is not of a shard": {id: -1, now: 0},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tc.wantOwns, h.Owns(tc.id, tc.now)) })
	}
	require.EqualValues(t, 3, h.Epoch(7))
	require.Equal(t, 1, h.Len())
	require.False(t, Holding{}.Owns(0, 0), "the zero value holds nothing")
}
