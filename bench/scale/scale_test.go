// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTreeSizes(t *testing.T) {
	require.Equal(t, []int{12, 6, 4, 3}, treeSizes(25, 4))
	for _, namespaces := range []int{2, 33, 500, 5000, 10000} {
		trees := max(1, namespaces/perTree)
		sizes, sum := treeSizes(namespaces, trees), 0
		for i, size := range sizes {
			require.Positive(t, size)
			if i > 0 {
				require.LessOrEqual(t, size, sizes[i-1])
			}
			sum += size
		}
		require.Equal(t, namespaces, sum)
	}
}

func TestForest(t *testing.T) {
	forest := newForest(500)
	require.Len(t, forest, 500)
	seen, children := map[string]member{}, map[string]int{}
	for _, m := range forest {
		require.NotContains(t, seen, m.name)
		if m.parent != "" {
			require.Contains(t, seen, m.parent, "parents come first")
			require.Equal(t, seen[m.parent].depth+1, m.depth)
			children[m.parent]++
			require.LessOrEqual(t, children[m.parent], branches)
		} else {
			require.Zero(t, m.depth)
		}
		seen[m.name] = m
	}
	require.Len(t, at(forest, 0), 500/perTree)
	require.NotEmpty(t, at(forest, 3), "the largest tree is deep")
}

func TestParse(t *testing.T) {
	tests := map[string]struct {
		args    []string
		want    []int
		wantErr string
	}{
		"two sizes unless told otherwise": {want: []int{500, 5000}},
		"sizes are a list":                {args: []string{"-namespaces=10,20,30"}, want: []int{10, 20, 30}},
		"a size is a number":              {args: []string{"-namespaces=10,many"}, wantErr: `reading "many"`},
		"a tree has two namespaces":       {args: []string{"-namespaces=1"}, wantErr: "too few for a tree"},
		"half of the objects are Roles":   {args: []string{"-objects=5"}, wantErr: "objects: is 5"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			o, err := parse(tc.args)
			if tc.wantErr != "" {
				require.ErrorContains(t, err, tc.wantErr)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, o.namespaces)
		})
	}
}

func TestMarkdown(t *testing.T) {
	sizeOf := func(namespaces int, times float64) size {
		return size{
			namespaces: namespaces, trees: namespaces / perTree, copies: 10 * namespaces,
			grew: 10 * time.Second, fannedOut: time.Duration(20*times) * time.Second, idle: time.Minute,
			replicas: []use{
				{name: "banyan-0", growCPU: 1 * times, fanOutCPU: 2 * times, idleCPU: 0.3, memory: memory{resident: 64 * mebibyte * times, heap: 32 * mebibyte * times}},
				{name: "banyan-1", growCPU: 3 * times, fanOutCPU: 4 * times, idleCPU: 0.3, memory: memory{resident: 80 * mebibyte * times, heap: 30 * mebibyte * times}},
			},
			restart: restart{took: 2 * time.Second, cpu: 1.5 * times, memory: memory{resident: 70 * mebibyte}},
		}
	}
	r := result{sizes: []size{sizeOf(100, 1), sizeOf(1000, 4)}}
	cells := strings.NewReplacer(" ", "", "-", "", ":", "")
	text := cells.Replace(r.markdown())
	for _, line := range []string{
		"|withsomanynamespaces|100|1000|growth|",
		"|copies|1000|10000|10.0x|",
		"|timetofanout,s|20.0|80.0|4.0x|",
		"|copiesasecond|50|125|2.5x|",
		"|memoryofthelargestreplica,MiB|80|320|4.0x|",
		"|heapofthelargestreplica,MiB|32|128|4.0x|",
		"|CPUofallreplicastogrow,s|4.0|16.0|4.0x|",
		"|CPUofallreplicaswhileidle,%ofacore|1.0|1.0|1.0x|",
		"|restartuntilready,s|2.00|2.00|1.0x|",
		"|CPUofarestart,s|1.5|6.0|4.0x|",
		"|banyan1|1000|320|120|12.0|16.0|0.30|",
	} {
		require.Contains(t, text, line)
	}
	require.Empty(t, factor(0, 5), "nothing grows from nothing by a factor")
}
