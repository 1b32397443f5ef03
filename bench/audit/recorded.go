// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// AddLeases adds what a Recorder wrote down beside this log.
func (l *Log) AddLeases(r io.Reader) error {
	lines := json.NewDecoder(bufio.NewReaderSize(r, 1<<20))
	for number := 1; ; number++ {
		var line record
		err := lines.Decode(&line)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF): // half a line is left by who was killed
			return nil
		case err != nil:
			return fmt.Errorf("reading line %d of the record of Leases: %w", number, err)
		case line.Type == recordLost:
			l.lost++
		case line.Lease == nil:
			return fmt.Errorf("reading line %d of the record of Leases: it has no Lease", number)
		default:
			l.leases = append(l.leases, line)
		}
	}
}

func (r record) reference() reference {
	return reference{group: coordinationv1.GroupName, resource: "leases", namespace: r.Lease.Namespace, name: r.Lease.Name}
}

// withLeases returns the events with what the record of Leases adds to them: the
// revisions of deletions, and steps that the log does not have. It says how many
// steps there are.
func withLeases(events []*event, records []record) (all []*event, added int) {
	all = slices.Clone(events)
	known := map[reference]map[uint64]bool{}
	deletions := map[reference][]int{} // places in all
	for i, e := range all {
		switch {
		case e.ref.resource != "leases" || e.outcome != done:
		case e.ownsRevision():
			if known[e.ref] == nil {
				known[e.ref] = map[uint64]bool{}
			}
			known[e.ref][e.revision] = true
		case e.gone:
			deletions[e.ref] = append(deletions[e.ref], i)
		}
	}
	for _, r := range records {
		ref, revision := r.reference(), revisionOf(r.Lease.ResourceVersion)
		if known[ref][revision] {
			continue
		}
		if known[ref] == nil {
			known[ref] = map[uint64]bool{}
		}
		known[ref][revision] = true
		if r.Type == string(watch.Deleted) {
			if place, found := nearest(all, deletions[ref], r.At); found {
				e := *all[place]
				e.revision = revision
				all[place] = &e
				deletions[ref] = slices.DeleteFunc(deletions[ref], func(p int) bool { return p == place })
				continue
			}
		}
		added++
		all = append(all, r.step(events, ref, revision))
	}
	return all, added
}

// nearest returns the place of the deletion that was answered nearest to a time.
func nearest(events []*event, places []int, at time.Time) (int, bool) {
	if len(places) == 0 {
		return 0, false
	}
	return slices.MinFunc(places, func(a, b int) int {
		return cmp.Compare(events[a].answered.Sub(at).Abs(), events[b].answered.Sub(at).Abs())
	}), true
}

// step stands for what only the record has. Its writer is known if exactly one asked
// for such a write and got no answer.
func (r record) step(events []*event, ref reference, revision uint64) *event {
	if r.Type == string(watch.Deleted) {
		return &event{verb: "delete", ref: ref, revision: revision, gone: true, hidden: true, received: r.At, answered: r.At}
	}
	before := &event{received: r.At, answered: r.At}
	for _, e := range events {
		if e.ref == ref && e.outcome == done && e.ownsRevision() && e.revision < revision && e.revision >= before.revision {
			before = e
		}
	}
	step := explain(events, ref, before, revision)
	step.received, step.answered = r.At, r.At
	step.object = r.Lease
	return step
}
