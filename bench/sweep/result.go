// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/bench/table"
	"github.com/banyan-hns/banyan/shard"
)

// result is all that was measured.
type result struct {
	facts       rig.Facts
	command     string
	goal, bound time.Duration

	namespaces, trees, copies, probes, rate int

	victim victim
	killed time.Time
	opened map[shard.ID]time.Time // when the shards of the victim were again
	swept  time.Time              // when nothing was left to read again
	items  int                    // namespaces that were

	changes []change
	counts  counts
	refusal error
	backlog []rig.Backlog
}

// phases of the measurement.
type phase int

const (
	calm   phase = iota // before the kill
	silent              // after it, before any of the shards was opened again
	kept                // during the sweep, in trees whose owner lived
	taken               // during the sweep, in trees that were taken over
	late                // after the sweep
)

// begun is when the sweep could begin.
func (r result) begun() time.Time {
	first := r.swept
	for _, opened := range r.opened {
		if opened.Before(first) {
			first = opened
		}
	}
	return first
}

// of a change, says in which phase it began to wait for its owner, and how long it did.
func (r result) of(c change) (phase, time.Duration) {
	from, took := c.answered, kept
	// What arrived before its shard was opened, the victim had written while it lived.
	if opened := r.opened[shard.Of(c.root, r.victim.total)]; r.victim.has(c.root) && !c.arrived.Before(opened) {
		took = taken
		if opened.After(from) {
			from = opened
		}
	}
	waited := max(0, c.arrived.Sub(from))
	switch {
	case from.Before(r.killed):
		return calm, waited
	case from.Before(r.begun()):
		return silent, waited
	case from.After(r.swept):
		return late, waited
	}
	return took, waited
}

// times of the changes of some phases.
func (r result) times(phases ...phase) (times []time.Duration) {
	for _, c := range r.changes {
		at, waited := r.of(c)
		for _, wanted := range phases {
			if at == wanted {
				times = append(times, waited)
			}
		}
	}
	return times
}

// during is what the survivors had to read again while they swept.
type during struct {
	looks, busy, most int
	oldest            time.Duration
}

func (r result) during() (d during) {
	for _, b := range r.backlog {
		d.oldest = max(d.oldest, b.Oldest)
		if b.At.Before(r.begun()) || b.At.After(r.swept) {
			continue
		}
		d.looks++
		d.most = max(d.most, b.Pending)
		if b.Pending > 0 {
			d.busy++
		}
	}
	return d
}

// leastChanges is how many there must be in a phase to say anything of its p99.
const leastChanges = 20

// judge returns everything that makes the figures worthless, and what the goals are about;
// one of 0 is none.
func (r result) judge(goal, bound time.Duration) error {
	var broken []error
	fault := func(format string, args ...any) { broken = append(broken, fmt.Errorf(format, args...)) }
	d := r.during()
	if 2*d.busy <= d.looks {
		fault("the survivors had something to read again in %d of %d looks; take more namespaces, or a lower -resync-rate", d.busy, d.looks)
	}
	if r.items < r.victim.namespaces {
		fault("the survivors read %d namespaces again; %s had %d", r.items, r.victim.name, r.victim.namespaces)
	}
	for _, p := range []struct {
		what  string
		times []time.Duration
	}{
		{"before the kill", r.times(calm)},
		{"during the sweep, in trees whose owner lived", r.times(kept)},
		{"during the sweep, in trees that were taken over", r.times(taken)},
	} {
		if n := len(p.times); n < leastChanges {
			fault("%d changes were measured %s; there must be %d", n, p.what, leastChanges)
		}
	}
	if p99 := rig.Quantile(r.times(kept, taken), 0.99); goal > 0 && p99 > goal {
		fault("the p99 of changes during the sweep is %v; the goal is %v", p99, goal)
	}
	if bound > 0 && d.oldest > bound {
		fault("a namespace waited %v to be read again; the bound is %v", d.oldest, bound)
	}
	return errors.Join(broken...)
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()*1000) }

func ratio(d, to time.Duration) string {
	if to == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", d.Seconds()/to.Seconds())
}

// table of all phases.
func (r result) table() *table.Table {
	t := &table.Table{Head: []string{"when", "changes", "p50, ms", "p99, ms", "longest, ms", "p50 to that before", "p99 to that before"}}
	before := r.times(calm)
	row := func(name string, times []time.Duration) {
		p50, p99 := rig.Quantile(times, 0.5), rig.Quantile(times, 0.99)
		t.Add(name, fmt.Sprint(len(times)), milliseconds(p50), milliseconds(p99), milliseconds(rig.Quantile(times, 1)),
			ratio(p50, rig.Quantile(before, 0.5)), ratio(p99, rig.Quantile(before, 0.99)))
	}
	row("before the kill", before)
	row("after it, until a shard was taken over", r.times(silent))
	row("during the sweep, in trees whose owner lived", r.times(kept))
	row("during the sweep, in trees that were taken over", r.times(taken))
	row("during the sweep, in all", r.times(kept, taken))
	return t
}

// summary is what the goals are about.
func (r result) summary() string {
	d := r.during()
	return fmt.Sprintf(`- p99 of changes during the sweep: %s ms (goal: at most %s)
- longest time that a namespace waited in the queue to be read again: %.1f s (bound: %v)
- %s had %d namespaces in %d shards; the others read %d again, in %.0f s. Something waited in %d of %d looks, at most %d of them
- changes that were refused, since the API server asked the dead replica: %d; that found no source free to change: %d
`, milliseconds(rig.Quantile(r.times(kept, taken), 0.99)), milliseconds(r.goal), d.oldest.Seconds(), r.bound,
		r.victim.name, r.victim.namespaces, len(r.victim.shards), r.items, r.swept.Sub(r.begun()).Seconds(), d.busy, d.looks, d.most,
		r.counts.refused, r.counts.busy)
}

// text is the result for a terminal.
func (r result) text() string {
	return r.facts.String() + "\n\n" + r.table().Text() + "\n" + r.summary()
}

// markdown is the result for a page.
func (r result) markdown() string {
	return fmt.Sprintf(`# How long changes take while namespaces are read again

%s.

    %s

The forest has %d namespaces in %d trees, and %d copies. In %d of the trees a Role is changed, in the parent of a leaf, %d
times a second in all of them together. Then the replica with most namespaces is killed. The others take over its shards,
and read all that is in these again, at the pace of their --resync-rate, behind fresh changes.

A time is from the API server's answer to a change until a watch showed the copy in the leaf, on the same machine as
everything else. In trees that were taken over it begins when their shard was opened, if that was later. The sweep lasts
from the first such moment until nothing waits to be read again.

%s
%s`, r.facts, r.command, r.namespaces, r.trees, r.copies, r.probes, r.rate, r.table().Markdown(), r.summary())
}
