// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"slices"
	"time"
)

// fenced is C3: a process of which a life has ended writes nothing more, unless it
// has begun a new life. Leases are not judged here: a compare-and-swap that is
// late does no harm, and C2 says which may succeed.
func fenced(w *world, e *event) finding {
	if !w.ended[e.writer.String()] || w.alive(e.writer) {
		return finding{verdict: allowed}
	}
	m := w.member(e.writer.pod)
	why := "its life has ended before that"
	if m.holder != "" {
		why += "; the heartbeat names " + string(m.holder)
	}
	switch {
	case m.unseen:
		return finding{verdict: unclear, why: why}
	case recently(m.leaseState, e):
		return finding{verdict: meddled, why: why}
	}
	return finding{verdict: violates, why: why}
}

// fences observes how much time was left between the last write of a life and the
// end that others made to it.
type fences struct {
	found  []fence
	writes map[string][]placed // by process
}

type fence struct {
	Fence
	place int
}

// placed is a write, and the first place in the history where it can have been.
type placed struct {
	place int
	at    time.Time
}

func newFences() *fences { return &fences{writes: map[string][]placed{}} }

func (f *fences) wrote(e *event, place int) {
	process := e.writer.String()
	f.writes[process] = append(f.writes[process], placed{place, e.answered})
}

func (f *fences) observe(w *world, e *event, place int) {
	life := w.endedBy(e)
	if life == "" {
		return
	}
	f.found = append(f.found, fence{Fence{Time: e.answered, Life: life, By: e.writer.String()}, place})
}

// results are complete when all writes are known. A write that can have been on
// either side of a fence counts as before it, with the little slack that it shows.
func (f *fences) results() []Fence {
	fences := make([]Fence, 0, len(f.found))
	for _, found := range f.found {
		before := slices.DeleteFunc(slices.Clone(f.writes[processOf(found.Life)]), func(p placed) bool { return p.place > found.place })
		if len(before) > 0 {
			last := slices.MaxFunc(before, func(a, b placed) int { return a.at.Compare(b.at) })
			found.Wrote, found.Slack = true, found.Time.Sub(last.at)
		}
		fences = append(fences, found.Fence)
	}
	return fences
}
