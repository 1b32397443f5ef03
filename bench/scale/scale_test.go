// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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
			namespaces: namespaces, trees: namespaces / 33, copies: 10 * namespaces,
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
