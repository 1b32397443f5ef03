// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/require"
)

// native histogram like that of controller-runtime, and how to read it.
func native(t *testing.T, mostBuckets uint32) (observe func(time.Duration), look func() histogram) {
	vec := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: durationMetric, NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: mostBuckets,
		NativeHistogramMinResetDuration: time.Hour,
	}, []string{pathLabel})
	registry := prometheus.NewRegistry()
	registry.MustRegister(vec)
	look = func() histogram {
		families, err := registry.Gather()
		require.NoError(t, err)
		var text bytes.Buffer
		format := expfmt.NewFormat(expfmt.TypeProtoDelim)
		encoder := expfmt.NewEncoder(&text, format)
		for _, family := range families {
			require.NoError(t, encoder.Encode(family))
		}
		all, err := read(&text, format)
		require.NoError(t, err)
		return all["/path"]
	}
	return func(d time.Duration) { vec.WithLabelValues("/path").Observe(d.Seconds()) }, look
}

func TestQuantilesOfANativeHistogram(t *testing.T) {
	observe, look := native(t, 100)
	for i := 1; i <= 1000; i++ {
		observe(time.Duration(i) * 10 * time.Microsecond)
	}
	h := look()
	require.EqualValues(t, 1000, h.count())
	for q, want := range map[float64]time.Duration{0.5: 5 * time.Millisecond, 0.99: 9900 * time.Microsecond, 0.001: 10 * time.Microsecond} {
		got := h.quantile(q)
		require.GreaterOrEqual(t, got, want)
		require.Less(t, got.Seconds(), 1.1*want.Seconds())
	}
}

func TestWhatCameSince(t *testing.T) {
	observe, look := native(t, 100)
	for range 1000 {
		observe(time.Millisecond)
	}
	before := look()
	observe(0)
	observe(0)
	observe(20 * time.Millisecond)
	since := look().since(before)
	require.EqualValues(t, 3, since.count())
	require.Zero(t, since.quantile(0.5))
	require.InDelta(t, 0.020, since.quantile(0.99).Seconds(), 0.002)
	require.EqualValues(t, 1003, look().since(histogram{}).count(), "before there was anything")
}

// A histogram with too many buckets makes each of them twice as wide.
func TestHistogramThatBecomesCoarser(t *testing.T) {
	observe, look := native(t, 10)
	for range 100 {
		observe(time.Millisecond)
	}
	before := look()
	for i := range 40 {
		observe(time.Duration(1+i) * time.Millisecond)
	}
	after := look()
	require.Less(t, after.schema, before.schema)
	since := after.since(before)
	require.EqualValues(t, 40, since.count())
	require.InDelta(t, 0.020, since.quantile(0.5).Seconds(), 0.020)
}
