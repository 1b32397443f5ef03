// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
)

// Of violations, the first of each rule are shown; of other things, more.
const (
	shown  = 10
	listed = 50
)

// String is the report as a table: each rule with how much it judged, then the
// figures, then examples of what was found.
func (r Report) String() string {
	var b strings.Builder
	r.section(&b, r.printRules)
	b.WriteByte('\n')
	r.section(&b, r.printFigures)
	b.WriteByte('\n')
	r.section(&b, r.printLines)
	if len(r.Meddling)+len(r.Violations) > 0 {
		b.WriteByte('\n')
		r.section(&b, r.printMeddling, r.printViolations)
	}
	return b.String()
}

type printer func(format string, args ...any)

func (r Report) section(b *strings.Builder, parts ...func(printer)) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, part := range parts {
		part(func(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) })
	}
	_ = t.Flush() // a Builder takes everything
}

func (r Report) printRules(row printer) {
	row("rule\tjudged\texcused\tviolations\tof")
	for _, j := range r.Rules {
		row("%s\t%d\t%d\t%d\t%s", j.Rule, j.Judged, j.Excused, j.Violations, j.Of)
	}
}

func (r Report) printFigures(row printer) {
	c := r.Counts
	row("writes of replicas\t%d, judged %d (%d without a revision of their own)", c.Writes, c.Judged, c.Unordered)
	row("excused\t%d moving, %d late, %d meddled, %d unclear", c.Moving, c.Late, c.Meddled, c.Unclear)
	row("moves between shards\t%d with a stamp (%d ended with another replica), %d unstamped", c.Stamped, c.Handed, c.Unstamped)
	row("not seen\t%d Lease writes (%d recovered), %d bodies", c.Unseen, c.Recovered, c.Opaque)
	row("seen by a watch only\t%d versions; the watch has %d holes", c.Watched, c.Lost)
	row("fences\t%d; slack of the %d that had written: %v", len(r.Fences), r.Slacks().Count, r.Slacks())
	for _, o := range r.Outages {
		row("outage\t%s to %s, %v", stamp(o.From), stamp(o.To), o.Duration().Round(time.Millisecond))
	}
	byCause := r.UnownedByCause()
	for _, cause := range Causes {
		if d := byCause[cause]; d.Count > 0 {
			row("unowned by %s\t%d gaps, sum %v, %v", cause, d.Count, d.Sum.Round(time.Millisecond), d)
		}
	}
	row("shards left without a holder\t%d", c.Unowned)
	for _, m := range r.Scenarios {
		row("moves: %s\t%d (wanted %d), at most %d of one shard", m.Name, m.Moves, m.Wanted, m.Most)
	}
	for _, cost := range r.Costs {
		row("cost: %s\t%d Lease writes in %v (%d changes, %d allowed), %d reads", cost.Name, cost.Puts, cost.Time, cost.Changes, cost.Allowed, cost.Gets)
	}
	for _, p := range r.Probes {
		row("fresh: %s\t%d changes, %d lost, %v", p.Name, p.Latency.Count+p.Lost, p.Lost, p.Latency)
	}
}

func (r Report) printLines(row printer) {
	row("lines of the log\t%d, and %d unreadable", r.Counts.Events, r.Counts.Unreadable)
	for _, l := range r.Lines {
		row("  %s\t%d", l.Sort, l.Count)
	}
}

func (r Report) printMeddling(row printer) {
	row("meddling\t%d", len(r.Meddling))
	for _, m := range r.Meddling[:min(listed, len(r.Meddling))] {
		row("  %s\t%s: %s %s", stamp(m.Time), m.User, m.Verb, m.Object)
	}
}

// printViolations shows the first of each rule, so that many of one sort do not hide
// the others.
func (r Report) printViolations(row printer) {
	row("violations\t%d", len(r.Violations))
	seen := map[string]int{}
	for _, v := range r.Violations {
		if seen[v.Rule]++; seen[v.Rule] <= shown {
			row("  %s\t%s", stamp(v.Time), v)
		}
	}
	for _, rule := range Rules() {
		if more := seen[rule] - shown; more > 0 {
			row("  \t%s: and %d more", rule, more)
		}
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
	slacks := r.Slacks()
	return slacks.Min, slacks.Count > 0
}

func stamp(t time.Time) string { return t.UTC().Format("15:04:05.000000") }
