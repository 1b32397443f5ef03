// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/shard"
)

func TestMemberReadsWhatItWrote(t *testing.T) {
	for name, record := range map[string]shard.MemberRecord{
		"seated": {Name: "banyan-0", Holder: "banyan-0/uid/one.0", State: shard.MemberActive, RingKey: "abc", Seat: "banyan-1", Version: 7},
		"active": {Name: "banyan-0", Holder: "banyan-0/uid/one.0", State: shard.MemberActive, RingKey: "abc", Version: 7},
		"gone":   {Name: "banyan-0", State: shard.MemberRestarting, Version: 8},
		"fenced": {Name: "a-name-with-dashes", State: shard.MemberFenced, RingKey: "abc", Version: 9},
	} {
		t.Run(name, func(t *testing.T) {
			lease := encodeMember("ns", record, 10*time.Second, time.Now())
			require.EqualValues(t, 10, *lease.Spec.LeaseDurationSeconds)
			got, err := DecodeMember(lease)
			require.NoError(t, err)
			require.Equal(t, record, got)
		})
	}
}

func TestShardReadsWhatItWrote(t *testing.T) {
	for name, record := range map[string]shard.Record{
		"held":     {ID: 7, Holder: "banyan-0/uid/one.0", Epoch: 3, Reason: shard.ReasonTakeover, Version: 7},
		"released": {ID: 127, Epoch: 3, HandoffTo: "banyan-1", Reason: shard.ReasonFree, Version: 9},
	} {
		t.Run(name, func(t *testing.T) {
			lease := encodeShard("ns", record, 128, time.Now())
			got, shards, err := DecodeShard(lease)
			require.NoError(t, err)
			require.Equal(t, 128, shards)
			require.Equal(t, record, got)
		})
	}
	require.Equal(t, "banyan-shard-128-007", ShardName(7, 128))
}

// TestForeignLeases: whatever somebody labels as ours is refused with a reason,
// and nothing panics.
func TestForeignLeases(t *testing.T) {
	for _, name := range []string{
		"", "banyan-shard-", "banyan-shard-128", "banyan-shard-128-x", "banyan-shard-x-1",
		"banyan-shard-128-128", "banyan-shard-8--1", "banyan-shard-1-2-3", "banyan-member-", "kube-scheduler",
	} {
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: "1"}}
		_, _, err := DecodeShard(lease)
		require.Errorf(t, err, "as a shard: %q", name)
		_, err = DecodeMember(lease)
		require.Errorf(t, err, "as a member: %q", name)
	}
	_, err := DecodeMember(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "banyan-member-a", ResourceVersion: "x"}})
	require.ErrorContains(t, err, "resourceVersion")
	record, err := DecodeMember(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "banyan-member-a", ResourceVersion: "1"}})
	require.NoError(t, err)
	require.Equal(t, shard.MemberFenced, record.State, "a Lease that says nothing is given nothing")
}
