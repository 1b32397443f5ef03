// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/banyan-hns/banyan/bench/audit"
	"github.com/banyan-hns/banyan/bench/oracle"
	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/bench/table"
	"github.com/banyan-hns/banyan/shard"
)

// result of a run.
type result struct {
	options options
	facts   rig.Facts
	names   []string

	began, ended time.Time
	deeds        []deed
	changes      string
	lanes        *lanes

	rest        string // what there was at rest
	differences []oracle.Difference

	idleFrom, idleTo           time.Time
	restartedFrom, restartedTo time.Time

	report audit.Report
}

// verdict is an error if anything must not be.
func (r *result) verdict() error {
	var faults []error
	if n := len(r.report.Violations); n > 0 {
		faults = append(faults, fmt.Errorf("the audit log shows %d violations, the first: %v", n, r.report.Violations[0]))
	}
	if n := len(r.differences); n > 0 {
		faults = append(faults, fmt.Errorf("the cluster did not come to rest where it must: %d differences, the first: %v", n, r.differences[0]))
	}
	for _, tally := range r.written(r.idleFrom, r.idleTo) {
		faults = append(faults, fmt.Errorf("at rest, %s did %d times %s %s", tally.Replica, tally.Count, tally.Verb, tally.Resource))
	}
	for _, tally := range r.written(r.restartedFrom, r.restartedTo) {
		faults = append(faults, fmt.Errorf("after a restart with nothing changed, %s did %d times %s %s", tally.Replica, tally.Count, tally.Verb, tally.Resource))
	}
	if len(faults) > 0 {
		faults = append(faults, fmt.Errorf("repeat with %s", r.options.command()))
	}
	return errors.Join(faults...)
}

// written but Leases and Events in a time.
func (r *result) written(from, to time.Time) []audit.Tally {
	return slices.DeleteFunc(r.report.Writes(from, to), func(t audit.Tally) bool {
		return t.Resource == "leases" || t.Resource == "events"
	})
}

// figures are what a run measured besides its verdict.
func (r *result) figures() table.Table {
	t := table.Table{Head: []string{"figure", ""}}
	for _, cause := range []audit.Cause{audit.CauseHandover, audit.CauseTakeover, audit.CauseRestart} {
		lengths := r.gaps(func(g audit.Gap) bool { return g.Cause == cause })
		sum := time.Duration(0)
		for _, d := range lengths {
			sum += d
		}
		t.Add(fmt.Sprintf("shards without a holder by %s, times", cause), fmt.Sprint(len(lengths)))
		if len(lengths) > 0 {
			t.Add("  p50, s", seconds(quantile(lengths, 50)))
			t.Add("  p99, s", seconds(quantile(lengths, 99)))
			t.Add("  all together, s", seconds(sum))
		}
	}
	killed := r.during(func(d deed) bool { return d.Kind == Kill && d.Lasts > shard.DefaultLeaseDuration })
	if lengths := r.gaps(func(g audit.Gap) bool { return g.Cause == audit.CauseTakeover && killed(g.To) }); len(lengths) > 0 {
		t.Add("take-over after SIGKILL, from the last heartbeat, longest, s", seconds(quantile(lengths, 100)))
	}
	t.Add("moves of a shard in a rolling update, on average", r.moves(Roll, 0))
	t.Add("shards moved by 30 s without API server", r.moves(APIServer, 30*time.Second))
	beats := 0
	for _, tally := range r.report.Writes(r.idleFrom, r.idleTo) {
		beats += tally.Count
	}
	t.Add("writes a second at rest", fmt.Sprintf("%.1f", float64(beats)/r.idleTo.Sub(r.idleFrom).Seconds()))
	return t
}

// gaps of a sort in the time of faults, shortest first.
func (r *result) gaps(of func(audit.Gap) bool) []time.Duration {
	var lengths []time.Duration
	for _, g := range r.report.Gaps {
		if g.To.After(r.began) && g.To.Before(r.ended) && of(g) {
			lengths = append(lengths, g.Duration())
		}
	}
	slices.Sort(lengths)
	return lengths
}

// during tells whether a moment was in one of the faults.
func (r *result) during(of func(deed) bool) func(time.Time) bool {
	return func(at time.Time) bool {
		return slices.ContainsFunc(r.deeds, func(d deed) bool {
			return of(d) && at.After(d.From) && at.Before(d.To.Add(afterwards))
		})
	}
}

// afterwards belongs to a fault, too: what it set off is not over with it.
const afterwards = 5 * time.Second

// moves to another replica that faults of a kind caused. For a rolling update it is
// per shard and update.
func (r *result) moves(kind Kind, lasts time.Duration) string {
	in := func(d deed) bool { return d.Kind == kind && d.Lasts == lasts }
	faults := 0
	for _, d := range r.deeds {
		if in(d) {
			faults++
		}
	}
	if faults == 0 {
		return "-"
	}
	held := r.during(in)
	number := len(r.gaps(func(g audit.Gap) bool { return held(g.To) && g.Before.Member() != g.After.Member() }))
	if kind == Roll {
		return fmt.Sprintf("%.2f", float64(number)/float64(faults*shard.DefaultShards))
	}
	return fmt.Sprint(number)
}

func quantile(sorted []time.Duration, percent int) time.Duration {
	return sorted[min(len(sorted)-1, len(sorted)*percent/100)]
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()) }

func (r *result) text() string {
	figures, what := r.figures(), r.happened()
	return what.Text() + "\n" + figures.Text() + "\n" + r.report.String() + "\n" + r.conclusion() + "\n"
}

func (r *result) conclusion() string {
	if err := r.verdict(); err != nil {
		var lines []string
		for _, d := range r.differences[:min(20, len(r.differences))] {
			lines = append(lines, d.String())
		}
		return "FAILED: " + err.Error() + "\n" + strings.Join(lines, "\n")
	}
	return fmt.Sprintf("No rule was broken. At rest the cluster was what the oracle says (%s); at rest, and after a restart of all\n"+
		"replicas, nothing but Leases and Events was written.", r.rest)
}

// happened is the list of faults.
func (r *result) happened() table.Table {
	t := table.Table{Head: []string{"fault", "began, s", "over, s", "", ""}}
	for _, d := range r.deeds {
		name := ""
		if d.Replica >= 0 {
			name = r.names[d.Replica]
		}
		t.Add(d.Label(), fmt.Sprintf("%.1f", d.From.Sub(r.began).Seconds()), fmt.Sprintf("%.1f", d.To.Sub(r.began).Seconds()), name, d.Note)
	}
	return t
}

func (r *result) markdown() string {
	figures, what := r.figures(), r.happened()
	return fmt.Sprintf(`# What chaos did, and what it did not

%s

    %s

Replicas were killed, stopped, cut off, scaled and rolled while users changed the cluster (%s).
The plan follows from the seed; how things interleave does not. A shard counts as without a holder from the last good
heartbeat of a dead one. The drawing is in chaos.svg.

![timeline](chaos.svg)

%s

%s
## What the audit log says

~~~
%s~~~

## Faults

%s`, r.facts, r.options.command(), r.changes, r.conclusion(), figures.Markdown(), r.report, what.Markdown())
}
