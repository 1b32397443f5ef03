// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/shard"
)

// TestHottest: each replica tells of the largest key that is its own, and of no other.
func TestHottest(t *testing.T) {
	census := Census{Shards: map[shard.ID]ShardContent{
		3: {Roots: 2, Namespaces: 50, Largest: 40}, 5: {Roots: 9, Namespaces: 45, Largest: 5}, 7: {Roots: 1, Namespaces: 5, Largest: 5},
	}}
	for name, tc := range map[string]struct {
		owned     []shard.ID
		wantShare float64
		wantShard string
	}{
		"it is here":                           {owned: []shard.ID{3, 5}, wantShare: 0.4, wantShard: "3"},
		"it is elsewhere":                      {owned: []shard.ID{5}, wantShare: 0.05, wantShard: "5"},
		"of two, the first":                    {owned: []shard.ID{7, 5}, wantShare: 0.05, wantShard: "5"},
		"nothing is in what is here":           {owned: []shard.ID{1, 2}},
		"nothing is here: no shard is to name": {},
	} {
		t.Run(name, func(t *testing.T) {
			owned := map[shard.ID]bool{}
			for _, id := range tc.owned {
				owned[id] = true
			}
			ch := make(chan prometheus.Metric, 1)
			collectHottest(ch, census, owned)
			got := &dto.Metric{}
			require.NoError(t, (<-ch).Write(got))
			require.InDelta(t, tc.wantShare, got.GetGauge().GetValue(), 1e-9)
			require.Equal(t, tc.wantShard, got.GetLabel()[0].GetValue())
		})
	}
}
