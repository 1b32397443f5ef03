// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// listed is how many lines a report spends on one sort of thing.
const listed = 50

// String is the report as a table.
func (r Report) String() string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }
	r.printCounts(row)
	r.printGaps(row)
	r.printFences(row)
	r.printMeddling(row)
	r.printViolations(row)
	_ = t.Flush() // a Builder takes everything
	return b.String()
}

type printer func(format string, args ...any)

func (r Report) printCounts(row printer) {
	c := r.Counts
	row("log\t%d events, %d unreadable lines", c.Events, c.Unreadable)
	row("writes of replicas\t%d, judged %d (%d without a revision of their own)", c.Writes, c.Judged, c.Unordered)
	row("allowed with a reason\t%d moving, %d meddled, %d unclear", c.Moving, c.Meddled, c.Unclear)
	row("not seen\t%d Lease writes (%d recovered), %d bodies", c.Unseen, c.Recovered, c.Opaque)
}

func (r Report) printGaps(row printer) {
	for _, cause := range []Cause{CauseTakeover, CauseHandover, CauseRestart} {
		var durations []time.Duration
		for _, g := range r.Gaps {
			if g.Cause == cause {
				durations = append(durations, g.Duration())
			}
		}
		if len(durations) == 0 {
			row("gaps by %s\tnone", cause)
			continue
		}
		slices.Sort(durations)
		row("gaps by %s\t%d, median %v, max %v", cause, len(durations),
			durations[len(durations)/2].Round(time.Millisecond), durations[len(durations)-1].Round(time.Millisecond))
	}
	row("shards left without a holder\t%d", r.Counts.Unowned)
}

func (r Report) printFences(row printer) {
	slack, found := r.Slack()
	if !found {
		row("fences\t%d, none of a life that wrote", len(r.Fences))
		return
	}
	row("fences\t%d, smallest slack %v", len(r.Fences), slack.Round(time.Millisecond))
}

func (r Report) printMeddling(row printer) {
	row("meddling\t%d", len(r.Meddling))
	for _, m := range r.Meddling[:min(listed, len(r.Meddling))] {
		row("  %s\t%s: %s %s", stamp(m.Time), m.User, m.Verb, m.Object)
	}
}

func (r Report) printViolations(row printer) {
	row("violations\t%d", len(r.Violations))
	for _, v := range r.Violations[:min(listed, len(r.Violations))] {
		row("  %s\t%s", stamp(v.Time), v)
	}
	if more := len(r.Violations) - listed; more > 0 {
		row("  \tand %d more", more)
	}
}

// String is the violation in one line, without its time.
func (v Violation) String() string {
	s := v.Rule + ": "
	if v.Replica != "" {
		s += v.Replica + " wrote " + v.Object
		if v.Revision != 0 {
			s += fmt.Sprintf(" at revision %d", v.Revision)
		}
		s += ": "
	}
	return s + v.Explanation
}

// Slack returns the smallest that any fence left.
func (r Report) Slack() (time.Duration, bool) {
	var smallest time.Duration
	found := false
	for _, f := range r.Fences {
		if f.Wrote && (!found || f.Slack < smallest) {
			smallest, found = f.Slack, true
		}
	}
	return smallest, found
}

func stamp(t time.Time) string { return t.UTC().Format("15:04:05.000000") }
