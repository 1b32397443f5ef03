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

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// version is what a Recorder saw: an object as it was, or its end.
type version struct {
	ref      reference
	revision uint64
	at       time.Time
	gone     bool
	object   metav1.Object
}

// AddRecord adds what Recorders wrote down beside this log.
func (l *Log) AddRecord(r io.Reader) error {
	lines := json.NewDecoder(bufio.NewReaderSize(r, 1<<20))
	for number := 1; ; number++ {
		var line record
		err := lines.Decode(&line)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF): // half a line is left by who was killed
			return nil
		case err != nil:
			return fmt.Errorf("reading line %d of the record: %w", number, err)
		case line.Type == recordLost:
			l.lost++
			continue
		}
		seen := line.version()
		if seen.object == nil {
			return fmt.Errorf("reading line %d of the record: it has no object that says who owns what", number)
		}
		l.recorded = append(l.recorded, seen)
	}
}

func (r record) version() version {
	v := version{ref: reference{group: r.Group, resource: r.Resource}, at: r.At, gone: r.Type == string(watch.Deleted)}
	if v.object = decode(v.ref, r.Object); v.object != nil {
		v.ref.namespace, v.ref.name = v.object.GetNamespace(), v.object.GetName()
		v.revision = revisionOf(v.object.GetResourceVersion())
	}
	return v
}

// withRecorded returns the events with what the record adds to them: the revisions of
// deletions, and steps that the log does not have. It says how many steps there are.
func withRecorded(events []*event, recorded []version) (all []*event, added int) {
	all = slices.Clone(events)
	known := map[reference]map[uint64]bool{}
	for _, v := range recorded {
		known[v.ref] = map[uint64]bool{}
	}
	about := map[reference][]*event{}
	deletions := map[reference][]int{} // places in all
	for i, e := range all {
		if known[e.ref] == nil {
			continue
		}
		about[e.ref] = append(about[e.ref], e)
		switch {
		case e.outcome != done:
		case e.ownsRevision():
			known[e.ref][e.revision] = true
		case e.gone:
			deletions[e.ref] = append(deletions[e.ref], i)
		}
	}
	for _, v := range recorded {
		if known[v.ref][v.revision] {
			continue
		}
		known[v.ref][v.revision] = true
		if v.gone {
			if place, found := nearest(all, deletions[v.ref], v.at); found {
				e := *all[place]
				e.revision = v.revision
				all[place] = &e
				deletions[v.ref] = slices.DeleteFunc(deletions[v.ref], func(p int) bool { return p == place })
				continue
			}
		}
		added++
		step := v.step(about[v.ref])
		about[v.ref] = append(about[v.ref], step)
		all = append(all, step)
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
func (v version) step(about []*event) *event {
	if v.gone {
		return &event{verb: "delete", ref: v.ref, revision: v.revision, gone: true, hidden: true, received: v.at, answered: v.at}
	}
	before := &event{}
	for _, e := range about {
		if e.outcome == done && e.ownsRevision() && e.revision < v.revision && e.revision >= before.revision {
			before = e
		}
	}
	step := explain(about, v.ref, before, v.revision)
	step.received, step.answered = v.at, v.at
	step.object = v.object
	return step
}
