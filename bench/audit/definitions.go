// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"strings"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// definitionVerb is that of an event that stands for the end of all objects of a
// kind: the API server deletes them with their definition, and logs none.
const definitionVerb = "delete the definition"

const definitions = "customresourcedefinitions"

// withDefinitions returns the events and, for each deletion of the definition of a
// kind that shapes the forest, one more: at some moment from there to the last
// write of that definition, all objects of the kind went.
func withDefinitions(events []*event) []*event {
	all := events
	open := map[reference]*event{}
	for _, e := range byTime(events) {
		resource, isOurs := defines(e.ref)
		if !isOurs || e.outcome != done {
			continue
		}
		switch removal := open[e.ref]; {
		case e.verb == "create":
			delete(open, e.ref)
		case removal != nil:
			removal.answered = e.answered
		case e.verb == "delete":
			removal = &event{
				writer: e.writer, verb: definitionVerb, ref: reference{group: api.Group, resource: resource},
				received: e.received, answered: e.answered, gone: true, hidden: true,
			}
			open[e.ref] = removal
			all = append(all[:len(all):len(all)], removal)
		}
	}
	return all
}

// defines reports whether the object defines a kind that shapes the forest, and the
// resource of that kind.
func defines(ref reference) (resource string, ours bool) {
	resource, ours = strings.CutSuffix(ref.name, "."+api.Group)
	return resource, ours && ref.resource == definitions && shapesForest(reference{group: api.Group, resource: resource})
}

// dissolves: the objects of a kind go one after the other, and while they do, a
// namespace may have the key of any that it hung below.
func (w *world) dissolves(e *event) bool {
	if w.dissolving == 0 {
		return false
	}
	name := e.ref.home()
	for _, key := range append(w.forest.Ancestors(name), name) {
		if w.holds(e.writer, key, e).verdict == allowed {
			return true
		}
	}
	return false
}
