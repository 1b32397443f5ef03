// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/banyan-hns/banyan/shard"
)

// leaseOf spells the labels and annotations out, as they are in the cluster.
func leaseOf(name, kind, holder string, annotations map[string]string) coordinationv1.Lease {
	return coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "hnc-system", Name: name, ResourceVersion: "1",
			Labels: map[string]string{"banyan.hnc.x-k8s.io/lease": kind}, Annotations: annotations,
		},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder},
	}
}

func memberLease(pod, holder, state, ring string) coordinationv1.Lease {
	return leaseOf("banyan-member-"+pod, "member", holder,
		map[string]string{"banyan.hnc.x-k8s.io/state": state, "banyan.hnc.x-k8s.io/ring-hash": ring})
}

func shardLease(id, shards int, holder string) coordinationv1.Lease {
	l := leaseOf(fmt.Sprintf("banyan-shard-%d-%03d", shards, id), "shard", holder,
		map[string]string{"banyan.hnc.x-k8s.io/reason": "handover"})
	l.Spec.LeaseTransitions = ptr.To[int32](3)
	l.Spec.AcquireTime = &metav1.MicroTime{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	return l
}

func TestOwnersText(t *testing.T) {
	for name, tc := range map[string]struct {
		leases     []coordinationv1.Lease
		want       string
		wantFaults []string
	}{
		"nothing is installed": {
			want: "MEMBER   STATE   SHARDS   RING\n0 shards, 0 owned, 0 unowned\n",
		},
		"all is well": {
			leases: []coordinationv1.Lease{
				memberLease("banyan-1", "banyan-1/u1/i1", "active", "9c41"),
				memberLease("banyan-0", "banyan-0/u0/i0", "active", "9c41"),
				shardLease(3, 4, "banyan-0/u0/i0"), shardLease(0, 4, "banyan-0/u0/i0"),
				shardLease(1, 4, "banyan-0/u0/i0"), shardLease(2, 4, "banyan-1/u1/i1"),
			},
			want: `MEMBER     STATE    SHARDS      RING
banyan-0   active   3 (0-1,3)   9c41
banyan-1   active   1 (2)       9c41
4 shards, 4 owned, 0 unowned
`,
		},
		"shards of a member that was fenced, has left or began a new life are unowned": {
			leases: []coordinationv1.Lease{
				memberLease("fenced", "", "fenced", "a"), memberLease("odd", "odd/u/i", "fenced", "a"),
				memberLease("left", "", "leaving", "a"), memberLease("again", "again/u/new", "restarting", "b"),
				shardLease(0, 8, "fenced/u/i"), shardLease(1, 8, "odd/u/i"), shardLease(2, 8, "left/u/i"),
				shardLease(3, 8, "again/u/old"), shardLease(4, 8, "unheard/u/i"), shardLease(5, 8, ""),
				shardLease(6, 8, "fenced/u/i"),
			},
			want: `MEMBER   STATE        SHARDS   RING
again    restarting   0        b
fenced   fenced       0        a
left     leaving      0        a
odd      fenced       0        a
unowned 0,6: held by fenced, which is fenced
unowned 1: held by odd, which is fenced
unowned 2: held by left, which is gone
unowned 3: held by an earlier life of again
unowned 4: held by unheard, which has no Lease
unowned 5: free
unowned 7: has no Lease
8 shards, 0 owned, 8 unowned
`,
		},
		"a member that leaves or joins owns what it holds": {
			leases: []coordinationv1.Lease{
				memberLease("a", "a/u/i", "leaving", "x"), memberLease("b", "b/u/i", "joining", "x"),
				shardLease(0, 2, "a/u/i"), shardLease(1, 2, "b/u/i"),
			},
			want: `MEMBER   STATE     SHARDS   RING
a        leaving   1 (0)    x
b        joining   1 (1)    x
2 shards, 2 owned, 0 unowned
`,
		},
		"Leases from before the number of shards was changed do not count": {
			leases: []coordinationv1.Lease{
				memberLease("a", "a/u/i", "active", "x"),
				shardLease(0, 4, ""), shardLease(1, 4, ""), shardLease(0, 2, "a/u/i"), shardLease(1, 2, "a/u/i"),
			},
			want: `MEMBER   STATE    SHARDS    RING
a        active   2 (0-1)   x
2 shards, 2 owned, 0 unowned
`,
		},
		"a Lease that cannot be read is a fault": {
			leases: []coordinationv1.Lease{
				leaseOf("banyan-shard-x", "shard", "", nil), leaseOf("other", "member", "", nil), shardLease(0, 1<<20, ""),
				leaseOf("unrelated", "neither", "", nil),
			},
			want: "MEMBER   STATE   SHARDS   RING\n0 shards, 0 owned, 0 unowned\n",
			wantFaults: []string{
				"reading Lease banyan-shard-x: its name is not that of a shard",
				"reading Lease other: its name is not that of a member",
				"reading Lease banyan-shard-1048576-000: its name says that there are more than 4096 shards",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			owners, faults := ownersOf(tc.leases)
			if diff := cmp.Diff(tc.want, owners.Text()); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			var texts []string
			for _, fault := range faults {
				texts = append(texts, fault.Error())
			}
			if diff := cmp.Diff(tc.wantFaults, texts); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFreeShardNamesWhomItIsMeantFor(t *testing.T) {
	free := shardLease(0, 1, "")
	free.Annotations["banyan.hnc.x-k8s.io/handoff-to"] = "b"
	owners, _ := ownersOf([]coordinationv1.Lease{free})
	require.Equal(t, "free, meant for b", owners.Shards[0].Vacancy)
}

func TestOwnersJSON(t *testing.T) {
	for name, tc := range map[string]struct {
		leases []coordinationv1.Lease
		want   string
	}{
		"lists are lists when they are empty": {
			want: `{"ring":{"activeP":0,"agreement":true,"members":[]},"summary":{"owned":0,"unowned":0},"shards":[]}`,
		},
		"members that publish different rings do not agree": {
			leases: []coordinationv1.Lease{
				memberLease("a", "a/u/i", "active", "x"), memberLease("b", "b/u/i", "active", "y"),
				shardLease(0, 2, "a/u/i"),
			},
			want: `{"ring":{"activeP":2,"agreement":false,"members":[
				{"name":"a","state":"active","ringHash":"x","owned":1,"shards":[0]},
				{"name":"b","state":"active","ringHash":"y","owned":0,"shards":[]}]},
			"summary":{"owned":1,"unowned":1},
			"shards":[
				{"id":0,"lease":"banyan-shard-2-000","holder":"a","epoch":3,"acquireTime":"2026-01-02T03:04:05Z","lastTransition":"handover"},
				{"id":1,"lease":"banyan-shard-2-001","holder":"","epoch":0,"vacancy":"has no Lease"}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			owners, _ := ownersOf(tc.leases)
			got, err := json.Marshal(owners)
			require.NoError(t, err)
			require.JSONEq(t, tc.want, string(got))
		})
	}
}

func TestLocate(t *testing.T) {
	owners, _ := ownersOf([]coordinationv1.Lease{memberLease("a", "a/u/i", "active", "x"), shardLease(0, 1, "a/u/i")})
	require.Equal(t, "Namespace: svc\nKey:       acme\nShard:     0 of 1\nOwner:     a\n", locate("svc", "acme", owners).Text())

	owners, _ = ownersOf([]coordinationv1.Lease{shardLease(0, 1, "a/u/i")})
	require.Equal(t, "Namespace: svc\nKey:       acme\nShard:     0 of 1\nOwner:     nobody (held by a, which has no Lease)\n",
		locate("svc", "acme", owners).Text())

	// 44bc2cf5ad770999 is what the reference implementation of xxHash gives for
	// "abc" with seed 0.
	owners, _ = ownersOf([]coordinationv1.Lease{shardLease(0, 128, "")})
	require.Equal(t, shard.ID(0x44bc2cf5ad770999%128), locate("svc", "abc", owners).Shard.ID)
}

func TestRangesText(t *testing.T) {
	for want, ids := range map[string][]shard.ID{
		"":           nil,
		"5":          {5},
		"0-1":        {0, 1},
		"0-3,7,9-11": {0, 1, 2, 3, 7, 9, 10, 11},
	} {
		require.Equal(t, want, rangesText(ids))
	}
}
