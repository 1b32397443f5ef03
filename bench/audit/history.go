// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"cmp"
	"slices"
	"sort"
	"time"
)

// history is everything that was done, in the order in which it was done as far
// as the log tells.
type history struct {
	// steps have revisions of their own, and are in their order.
	steps []*event
	// loose events have none; they are in the order of their windows.
	loose []*window
}

// window is when a loose event can have happened: before one of the steps from
// first to last. Before the step that is one past the end means after them all.
type window struct {
	*event
	first, last int
}

// newHistory orders events. It leaves out requests without an answer.
func newHistory(events []*event) *history {
	var h history
	var loose []*event
	for _, e := range byTime(events) {
		switch {
		case e.outcome == unanswered:
		case e.ownsRevision():
			h.steps = append(h.steps, e)
		default:
			loose = append(loose, e)
		}
	}
	loose = append(loose, h.sort()...)
	bounds := h.bounds()
	for _, e := range loose {
		w := bounds.window(e)
		h.loose = append(h.loose, &w)
	}
	slices.SortStableFunc(h.loose, func(a, b *window) int {
		return cmp.Or(cmp.Compare(a.first, b.first), a.answered.Compare(b.answered))
	})
	return &h
}

func byTime(events []*event) []*event {
	return slices.SortedStableFunc(slices.Values(events), func(a, b *event) int { return a.answered.Compare(b.answered) })
}

// ownsRevision reports whether the revision that was returned is the one at which
// the event happened. An update that changes nothing returns the version that it
// was made for, and so does one that takes the last finalizer away.
func (e *event) ownsRevision() bool {
	switch e.verb {
	case "update", "patch":
		return e.revision != 0 && !e.gone && e.revision != revisionOf(e.request.version)
	}
	return e.revision != 0
}

// sort orders the steps and returns those that turn out to have changed nothing:
// they returned the revision of a step before them.
func (h *history) sort() []*event {
	slices.SortStableFunc(h.steps, func(a, b *event) int { return cmp.Compare(a.revision, b.revision) })
	var idle []*event
	steps := h.steps[:0]
	for _, e := range h.steps {
		if n := len(steps); n > 0 && steps[n-1].revision == e.revision {
			idle = append(idle, e)
			continue
		}
		steps = append(steps, e)
	}
	h.steps = steps
	return idle
}

// bounds find the window of a loose event from the steps that were certainly
// before it and certainly after it, by the one clock of the API server.
type bounds struct {
	revisions []uint64
	answers   []mark // in order of time; place is the greatest so far
	receipts  []mark // in order of time; place is the smallest from here on
}

type mark struct {
	at    time.Time
	place int
}

func (h *history) bounds() bounds {
	var b bounds
	for i, e := range h.steps {
		b.revisions = append(b.revisions, e.revision)
		if !e.hidden {
			b.answers = append(b.answers, mark{e.answered, i})
			b.receipts = append(b.receipts, mark{e.received, i})
		}
	}
	for _, marks := range [][]mark{b.answers, b.receipts} {
		slices.SortStableFunc(marks, func(x, y mark) int { return x.at.Compare(y.at) })
	}
	for i := 1; i < len(b.answers); i++ {
		b.answers[i].place = max(b.answers[i].place, b.answers[i-1].place)
	}
	for i := len(b.receipts) - 2; i >= 0; i-- {
		b.receipts[i].place = min(b.receipts[i].place, b.receipts[i+1].place)
	}
	return b
}

func (b bounds) window(e *event) window {
	w := window{event: e, first: 0, last: len(b.revisions)}
	// 1. All that was answered before the request was received is before it.
	if i := sort.Search(len(b.answers), func(i int) bool { return !b.answers[i].at.Before(e.received) }); i > 0 {
		w.first = b.answers[i-1].place + 1
	}
	// 2. So is the version of the object that the request names.
	named := max(revisionOf(e.request.version), e.revision)
	w.first = max(w.first, sort.Search(len(b.revisions), func(i int) bool { return b.revisions[i] > named }))
	// 3. All that was received after the answer is after it.
	if i := sort.Search(len(b.receipts), func(i int) bool { return b.receipts[i].at.After(e.answered) }); i < len(b.receipts) {
		w.last = b.receipts[i].place
	}
	// Only a clock that was set back can contradict the order.
	w.last = max(w.first, w.last)
	return w
}
