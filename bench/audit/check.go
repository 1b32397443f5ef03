// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"slices"
	"time"
)

// check is one pass over a history.
type check struct {
	world   *world
	history *history
	report  Report
	gaps    *gaps
	fences  *fences
	costs   *costs
	// judged and excused count, by rule.
	judged, excused map[string]int

	open    []*suspect // loose events whose window is open
	waiting []*window  // loose events whose window is still to come
}

// Check applies all rules.
func (l *Log) Check(cfg Config) Report {
	events, watched := withRecorded(l.events, l.recorded)
	events, unseen, recovered := withUnseen(events, cfg.Namespace)
	events = withDefinitions(events)
	world := newWorld(cfg)
	outages := world.outages(l.events)
	c := &check{
		world: world, history: newHistory(events), gaps: newGaps(outages, cfg.Marks.Down), fences: newFences(), costs: newCosts(cfg.Marks),
		judged: map[string]int{}, excused: map[string]int{},
	}
	c.report.Outages = outages
	c.waiting = c.history.loose
	c.report.Counts = Counts{Events: l.read, Unreadable: l.unreadable, Unseen: unseen, Recovered: recovered, Watched: watched, Lost: l.lost}

	c.alone(l.events)
	for place := 0; place <= len(c.history.steps); place++ {
		c.loose(place)
		if place < len(c.history.steps) {
			c.step(c.history.steps[place], place)
		}
	}
	c.course(l)
	return c.results(l)
}

// course applies the rules about the course of things.
func (c *check) course(l *Log) {
	c.judgeGaps()
	c.judgeScenarios()
	c.judgeCosts(l.reads)
	c.judgeProbes(l.events)
	c.judgeEvidence()
}

// alone applies what needs no order, to each event by itself.
func (c *check) alone(events []*event) {
	lines := sorts{}
	defer func() { c.report.Lines = lines.lines() }()
	for _, e := range byTime(events) {
		lines[c.world.sortOf(e)]++
		if e.outcome != done {
			continue
		}
		if !c.world.isReplica(e.writer) {
			c.meddling(e)
			continue
		}
		c.report.Counts.Writes++
		c.report.writes = append(c.report.writes, write{e.answered, Tally{Replica: e.writer.String(), Verb: e.verb, Resource: e.ref.resource}})
		if missing := conditional(e); missing != "" {
			c.violation(RuleConditional, e, missing)
		}
		if e.verb != "create" && !e.request.opaque && e.ref.resource != "events" {
			c.judged[RuleConditional]++
		}
		if e.request.opaque && e.verb != "create" && e.ref.resource != "events" {
			c.report.Counts.Opaque++
		}
	}
}

func (c *check) meddling(e *event) {
	if _, _, isMember, isShard := c.world.ours(e.ref); isMember || isShard {
		c.report.Meddling = append(c.report.Meddling, Meddling{Time: e.answered, User: e.writer.user, Verb: e.verb, Object: e.ref.String()})
	}
}

// step applies the rules to an event that has a revision, then folds it.
func (c *check) step(e *event, place int) {
	c.settle(e.ref, e.verb, place)
	if c.world.judged(e) {
		s := &suspect{window: &window{event: e, first: place, last: place}}
		c.examine(s)
		c.conclude(s)
	}
	c.fold(e, place)
}

func (c *check) fold(e *event, place int) {
	if _, _, isMember, isShard := c.world.ours(e.ref); (isMember || isShard) && c.world.isReplica(e.writer) {
		c.judged[RuleTransfer]++
	}
	c.costs.observe(c.world, e)
	for _, fault := range transfer(c.world, e) {
		c.violation(RuleTransfer, e, fault)
	}
	if judged, fault := tooEarly(c.world, e); judged {
		c.judged[RuleFence]++
		if fault != "" {
			c.violation(RuleFence, e, fault)
		}
	}
	c.gaps.observe(c.world, e)
	c.fences.observe(c.world, e, place)
	c.world.fold(e)
}

func (c *check) violation(rule string, e *event, why string) {
	c.report.Violations = append(c.report.Violations, Violation{
		Rule: rule, Time: e.answered, Revision: e.revision,
		Replica: e.writer.String(), Object: e.ref.String() + " (" + e.verb + ")", Explanation: why,
	})
}

// fault is a violation that is no single write.
func (c *check) fault(rule string, at time.Time, why string) {
	c.report.Violations = append(c.report.Violations, Violation{Rule: rule, Time: at, Explanation: why})
}

func (c *check) results(l *Log) Report {
	c.report.Gaps, c.report.changes = c.gaps.found, c.gaps.changes
	slices.SortStableFunc(c.report.Gaps, func(a, b Gap) int { return a.From.Compare(b.From) })
	c.report.Fences = c.fences.results()
	c.report.Counts.Stamped, c.report.Counts.Unstamped = c.world.marked, c.world.unstamped
	c.report.Counts.Handed = c.world.handed
	c.report.Counts.Unowned = c.gaps.unowned(c.world)
	slices.SortStableFunc(c.report.Violations, func(a, b Violation) int { return a.Time.Compare(b.Time) })
	if idle := l.read - len(l.events) - len(l.reads); idle > 0 {
		c.report.Lines = append(c.report.Lines, Lines{"refused, or changes nothing", idle})
	}
	if len(l.reads) > 0 {
		c.report.Lines = append(c.report.Lines, Lines{"reads of Leases", len(l.reads)})
	}
	c.count()
	return c.report
}
