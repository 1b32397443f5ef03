// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// suspect is a write under examination. It is allowed by a rule if it was at any
// moment at which it can have happened.
type suspect struct {
	*window
	findings []finding // by judge
	turn     int       // of the world that it was examined in last
	tried    int       // how many removals were open then
	// epoch in which it was, and whether there was no other at any such moment.
	epoch   epoch
	certain bool
}

// examine looks at a write in the world as it is, and as it may be already.
func (c *check) examine(s *suspect) {
	if s.findings != nil && s.turn == c.world.turn && len(c.removals()) == s.tried {
		return
	}
	now := c.world.epochOf(s.event)
	s.certain = s.findings == nil || s.certain && s.epoch == now
	s.epoch = now
	s.turn, s.tried = c.world.turn, len(c.removals())
	s.look(c.world)
	if s.allowed() {
		return
	}
	// Deletions that can have happened by now are tried in the order in which they
	// were answered.
	defer c.world.restore(c.world.snapshot(c.removals()))
	for _, removal := range c.removals() {
		for _, ref := range c.world.removedBy(removal.event) {
			c.world.remove(ref)
		}
		s.look(c.world)
	}
}

func (s *suspect) look(w *world) {
	if s.findings == nil {
		for _, j := range judges {
			s.findings = append(s.findings, j.judge(w, s.event))
		}
		return
	}
	for i, j := range judges {
		s.findings[i] = s.findings[i].best(j.judge(w, s.event))
	}
}

func (s *suspect) allowed() bool {
	return !slices.ContainsFunc(s.findings, func(f finding) bool { return f.verdict != allowed })
}

// conclude counts and reports what was found.
func (c *check) conclude(s *suspect) {
	c.report.Counts.Judged++
	if !s.hidden { // its time is not known
		c.fences.wrote(s.event, s.first)
	}
	c.world.wrote(s)
	worst := allowed
	for i, f := range s.findings {
		worst = min(worst, f.verdict)
		rule := judges[i].rule
		if !f.idle {
			c.judged[rule]++
		}
		switch {
		case f.verdict == violates:
			c.violation(rule, s.event, f.why)
		case f.verdict != allowed:
			c.excused[rule]++
		}
	}
	switch worst {
	case unclear:
		c.report.Counts.Unclear++
	case meddled:
		c.report.Counts.Meddled++
	case moving:
		c.report.Counts.Moving++
	case late:
		c.report.Counts.Late++
	}
}

// loose takes care of the windows at one place of the history: it opens those that
// begin there, examines the writes in all, and closes those that end there.
func (c *check) loose(place int) {
	for len(c.waiting) > 0 && c.waiting[0].first <= place {
		c.open = append(c.open, &suspect{window: c.waiting[0]})
		c.waiting = c.waiting[1:]
	}
	c.world.dissolving = 0
	for _, s := range c.open {
		if s.verb == definitionVerb {
			c.world.dissolving++
		}
	}
	for _, s := range c.open {
		if c.world.judged(s.event) {
			c.examine(s)
		}
	}
	c.close(place, func(s *suspect) bool { return s.last <= place })
}

// settle a deletion before its object is seen to be created again.
func (c *check) settle(ref reference, verb string, place int) {
	if verb == "create" && c.world.exists(ref) {
		c.close(place, func(s *suspect) bool { return s.gone && s.ref == ref })
	}
}

func (c *check) close(place int, over func(*suspect) bool) {
	remaining := c.open[:0:0]
	for _, s := range c.open {
		if !over(s) {
			remaining = append(remaining, s)
			continue
		}
		if c.world.judged(s.event) {
			c.report.Counts.Unordered++
			c.conclude(s)
		}
		if s.gone {
			c.fold(s.event, place)
		}
	}
	c.open = remaining
}

// removals returns the open windows of deletions that shape the forest, in the
// order in which they were answered.
func (c *check) removals() []*suspect {
	var removals []*suspect
	for _, s := range c.open {
		if s.gone && shapesForest(s.ref) {
			removals = append(removals, s)
		}
	}
	slices.SortStableFunc(removals, func(a, b *suspect) int { return a.answered.Compare(b.answered) })
	return removals
}

// snapshot returns the objects that the removals would remove.
func (w *world) snapshot(removals []*suspect) map[reference]metav1.Object {
	objects := map[reference]metav1.Object{}
	for _, removal := range removals {
		for _, ref := range w.removedBy(removal.event) {
			if object, known := w.objects[ref]; known {
				objects[ref] = object
			}
		}
	}
	return objects
}

func (w *world) restore(objects map[reference]metav1.Object) {
	for ref, object := range objects {
		w.set(ref, object)
	}
}
