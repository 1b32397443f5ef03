// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/common/expfmt"
)

// duration of admission requests, by path, as controller-runtime measures it: in the
// handler, from the first byte of the request that is read to the last of the answer
// that is written. Its classic buckets are powers of ten; the native ones, which are
// only told to those who ask for protobuf, are 9% wide.
const (
	durationMetric = "controller_runtime_webhook_latency_seconds"
	pathLabel      = "webhook"
)

// protobuf is the format that has native buckets.
const protobuf = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"

// histogram of times in native buckets: bucket i holds what is at most base^i seconds
// and more than base^(i-1), where base = 2^(2^-schema).
type histogram struct {
	schema  int32
	buckets map[int]uint64
	zero    uint64 // too short for any bucket
}

// scrape the durations by path from a replica's metrics.
func scrape(ctx context.Context, url string) (map[string]histogram, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/metrics", http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", protobuf)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("asking for the durations: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	return read(response.Body, expfmt.ResponseFormat(response.Header))
}

func read(metrics io.Reader, format expfmt.Format) (map[string]histogram, error) {
	all := map[string]histogram{}
	families := expfmt.NewDecoder(metrics, format)
	for {
		family, err := decode(families.Decode)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading metrics: %w", err)
		}
		if family.GetName() != durationMetric {
			continue
		}
		for _, metric := range family.GetMetric() {
			path := ""
			for _, pair := range metric.GetLabel() {
				if pair.GetName() == pathLabel {
					path = pair.GetValue()
				}
			}
			native := metric.GetHistogram()
			h := histogram{schema: native.GetSchema(), buckets: map[int]uint64{}, zero: native.GetZeroCount()}
			// Spans of buckets with gaps between; each count is a difference to the one before.
			at, count, deltas := 0, int64(0), native.GetPositiveDelta()
			for _, span := range native.GetPositiveSpan() {
				at += int(span.GetOffset())
				for range span.GetLength() {
					count += deltas[0]
					deltas = deltas[1:]
					h.buckets[at] = uint64(count)
					at++
				}
			}
			all[path] = h
		}
	}
}

// decode the next value of a type that need not be named here.
func decode[T any](next func(*T) error) (*T, error) {
	value := new(T)
	return value, next(value)
}

// coarser merges buckets until the schema is the given one.
func (h histogram) coarser(schema int32) histogram {
	for h.schema > schema {
		merged := map[int]uint64{}
		for i, count := range h.buckets {
			merged[(i+1)>>1] += count
		}
		h.schema, h.buckets = h.schema-1, merged
	}
	return h
}

// since an earlier look. A histogram that grew too fine has been made coarser since.
func (h histogram) since(earlier histogram) histogram {
	if earlier.buckets == nil {
		return h
	}
	schema := min(h.schema, earlier.schema)
	now, then := h.coarser(schema), earlier.coarser(schema)
	difference := histogram{schema: schema, buckets: map[int]uint64{}, zero: now.zero - then.zero}
	for i, count := range now.buckets {
		if count > then.buckets[i] {
			difference.buckets[i] = count - then.buckets[i]
		}
	}
	return difference
}

func (h histogram) count() uint64 {
	sum := h.zero
	for _, count := range h.buckets {
		sum += count
	}
	return sum
}

// quantile returns a time that the given share of all did not exceed: the upper end of
// a bucket, so rather too long than too short.
func (h histogram) quantile(q float64) time.Duration {
	var order []int
	for i := range h.buckets {
		order = append(order, i)
	}
	slices.Sort(order)
	rank, seen := uint64(math.Ceil(q*float64(h.count()))), h.zero
	if rank <= seen {
		return 0
	}
	for _, i := range order {
		if seen += h.buckets[i]; seen >= rank {
			return time.Duration(float64(time.Second) * math.Pow(2, float64(i)*math.Pow(2, -float64(h.schema))))
		}
	}
	return 0
}
