// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// twice is a log in which the shard of "tree" goes to b and back, with gaps of 100 ms
// and 200 ms, and that of "other" to a, with one of 50 ms.
func twice() *script {
	s := steady()
	s.shard(a, treeShard, "", 1)
	s.wait(90).shard(b, treeShard, b0, 2)
	s.shard(b, treeShard, "", 2)
	s.wait(190).shard(a, treeShard, a0, 3)
	s.shard(b, otherShard, "", 1)
	s.wait(40).shard(a, otherShard, a0, 2)
	return s
}

func TestUnowned(t *testing.T) {
	report := twice().check(t)
	require.ElementsMatch(t, []Unowned{
		{Shard: treeShard, Cause: CauseHandover, Gaps: 2, Sum: 300 * time.Millisecond, Max: 200 * time.Millisecond},
		{Shard: otherShard, Cause: CauseHandover, Gaps: 1, Sum: 50 * time.Millisecond, Max: 50 * time.Millisecond},
	}, report.UnownedByShard())

	byCause := report.UnownedByCause()
	require.Len(t, byCause, 1)
	d := byCause[CauseHandover]
	require.Equal(t, []any{3, 350 * time.Millisecond, 200 * time.Millisecond}, []any{d.Count, d.Sum, d.Max})
}

func TestLimitsOfGaps(t *testing.T) {
	tests := map[string]struct {
		limits     map[Cause]float64
		want       int
		wantJudged int
	}{
		"none is given":              {},
		"all keep it":                {limits: map[Cause]float64{CauseHandover: 0.2}, wantJudged: 3},
		"one exceeds it":             {limits: map[Cause]float64{CauseHandover: 0.15}, want: 1, wantJudged: 3},
		"it is that of another sort": {limits: map[Cause]float64{CauseTakeover: 0}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			cfg := testConfig
			cfg.Marks.Limits = tc.limits
			report := twice().checkWith(t, cfg)
			judged := judgedBy(report, RuleGap)
			require.Equal(t, []int{tc.want, tc.wantJudged}, []int{judged.Violations, judged.Judged}, "%s", report)
			require.Len(t, report.Violations, tc.want)
		})
	}
}

// After a cold start the limit counts but for the time in which nobody ran: here one
// second of six.
func TestLimitOfColdStarts(t *testing.T) {
	for limit, want := range map[float64]int{5.02: 0, 5: 1} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			s := steady()
			s.shard(a, treeShard, "", 1)
			released := s.clock
			s.wait(6000).shard(b, treeShard, b0, 2)
			at := func(ms int) time.Time { return testStart.Add(time.Duration(ms) * time.Millisecond) }
			cfg := testConfig
			cfg.Marks.Down = []Span{{From: at(released + 3000), To: at(released + 4000)}}
			cfg.Marks.Limits = map[Cause]float64{CauseColdStart: limit, CauseHandover: 0, CauseOutage: 0}
			report := s.checkWith(t, cfg)
			judged := judgedBy(report, RuleGap)
			require.Equal(t, []int{want, 1}, []int{judged.Violations, judged.Judged}, "%s", report)
		})
	}
}

func TestShared(t *testing.T) {
	at := func(seconds int) time.Time { return testStart.Add(time.Duration(seconds) * time.Second) }
	spans := []Span{{From: at(10), To: at(20)}, {From: at(30), To: at(40)}}
	for name, tc := range map[string]struct{ from, to, want int }{
		"before them": {0, 10, 0}, "between them": {20, 30, 0}, "into one": {5, 12, 2}, "out of one": {18, 25, 2},
		"inside one": {12, 15, 3}, "around one": {5, 25, 10}, "around both": {0, 50, 20}, "over the middle": {15, 35, 10},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, time.Duration(tc.want)*time.Second, shared(spans, at(tc.from), at(tc.to)))
		})
	}
}

// judgedBy finds a line of the table of rules.
func judgedBy(r Report, rule string) Judged {
	for _, j := range r.Rules {
		if j.Rule == rule {
			return j
		}
	}
	return Judged{}
}
