// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A user writes probes in "tree", and a copies them into two namespaces below.
func TestProbes(t *testing.T) {
	write := func(s *script, process, namespace, name string) *entry {
		return s.put(process, "", "configmaps", &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}})
	}
	tests := map[string]struct {
		log         func(*script)
		probe       Probe
		want        []string
		wantCount   int
		wantLatency time.Duration // the longest
	}{
		"the last copy counts": {
			log: func(s *script) {
				write(s, "", tree, "probe-1").at(1000, 1010)
				write(s, a, "x", "probe-1").at(1020, 1030)
				write(s, a, "y", "probe-1").at(1100, 1110)
			},
			wantCount: 1, wantLatency: 100 * time.Millisecond,
		},
		"once all have one, later writes do not count": {
			log: func(s *script) {
				write(s, "", tree, "probe-1").at(1000, 1010)
				write(s, a, "x", "probe-1").at(1020, 1030)
				write(s, a, "y", "probe-1").at(1100, 1110)
				write(s, a, "y", "probe-1").at(7100, 7110)
			},
			probe:     Probe{Copies: 2},
			wantCount: 1, wantLatency: 100 * time.Millisecond,
		},
		"a copy that misses": {
			log: func(s *script) {
				write(s, "", tree, "probe-1").at(1000, 1010)
				write(s, a, "x", "probe-1").at(1020, 1030)
				write(s, a, "x", "probe-1").at(1120, 1130)
			},
			probe: Probe{Copies: 2},
			want:  []string{"1 changes did not reach all copies"},
		},
		"no copy at all": {
			log:  func(s *script) { write(s, "", tree, "probe-1").at(1000, 1010) },
			want: []string{"1 changes did not reach all copies"},
		},
		"too late": {
			log: func(s *script) {
				write(s, "", tree, "probe-1").at(1000, 1010)
				write(s, a, "x", "probe-1").at(2020, 2030)
			},
			want:      []string{"took up to 1.02s; the limit is 1s"},
			wantCount: 1, wantLatency: 1020 * time.Millisecond,
		},
		"the limit can be another": {
			log: func(s *script) {
				write(s, "", tree, "probe-1").at(1000, 1010)
				write(s, a, "x", "probe-1").at(2020, 2030)
			},
			probe:     Probe{Limit: 2},
			wantCount: 1, wantLatency: 1020 * time.Millisecond,
		},
		"a copy may be answered before the source is": {
			log: func(s *script) {
				write(s, "", tree, "probe-1").at(1000, 1050)
				write(s, a, "x", "probe-1").at(1020, 1030)
			},
			wantCount: 1,
		},
		"each change counts, deletions too": {
			log: func(s *script) {
				for _, at := range []int{1000, 2000} {
					write(s, "", tree, "probe-1").at(at, at+10)
					write(s, a, "x", "probe-1").at(at+20, at+30)
				}
				s.gone("", "", "configmaps", tree, "probe-1").at(3000, 3010)
				s.gone(a, "", "configmaps", "x", "probe-1").at(3020, 3100)
			},
			wantCount: 3, wantLatency: 90 * time.Millisecond,
		},
		"other names do not": {
			log: func(s *script) {
				write(s, "", tree, "other").at(900, 910)
				write(s, "", tree, "probe-1").at(1000, 1010)
				write(s, a, "x", "probe-1").at(1020, 1030)
				write(s, a, "x", "probe-2").at(9020, 9030)
			},
			wantCount: 1, wantLatency: 20 * time.Millisecond,
		},
		"what began before the time of the probe does not": {
			log: func(s *script) {
				write(s, "", tree, "probe-0").at(100, 110)
				write(s, "", tree, "probe-1").at(1000, 1010)
				write(s, a, "x", "probe-1").at(1020, 1030)
			},
			wantCount: 1, wantLatency: 20 * time.Millisecond,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := steady()
			tc.log(s)
			probe := tc.probe
			probe.Name, probe.Prefix = "while it sweeps", "probe-"
			probe.Span = Span{From: testStart.Add(500 * time.Millisecond), To: testStart.Add(time.Minute)}
			cfg := testConfig
			cfg.Marks.Probes = []Probe{probe}

			report := s.checkWith(t, cfg)
			report.Violations = only(report.Violations, RuleFresh)
			requireFaults(t, report, tc.want)
			require.Len(t, report.Probes, 1)
			fresh := report.Probes[0].Latency
			require.Equal(t, []any{tc.wantCount, tc.wantLatency}, []any{fresh.Count, fresh.Max})
		})
	}
}
