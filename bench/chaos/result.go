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

	idle      []audit.Span
	restarted audit.Span

	scenarios []audit.Scenario // in the order of those of the report
	report    audit.Report
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
	for _, span := range r.idle {
		for _, tally := range r.written(span.From, span.To) {
			faults = append(faults, fmt.Errorf("at rest, %s did %d times %s %s", tally.Replica, tally.Count, tally.Verb, tally.Resource))
		}
	}
	if n := r.report.Counts.Handed; n == 0 {
		faults = append(faults, errors.New("no namespace moved to another replica's tree with a stamp, so S1 was not shown for it"))
	}
	for _, tally := range r.written(r.restarted.From, r.restarted.To) {
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
