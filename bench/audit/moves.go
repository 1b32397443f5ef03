// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import "github.com/banyan-hns/banyan/hierarchy"

// trackMoves folds an event into the forest and notes which namespaces it moved to
// another tree, if that was a user's doing. A deletion always was: replicas only
// end what a user began.
func (w *world) trackMoves(e *event, fold func() hierarchy.Change) {
	if w.isReplica(e.writer) && !e.gone {
		fold()
		return
	}
	before := w.keysBelow(e.ref)
	for _, name := range fold().Moved {
		if key, known := before[name]; known && key != w.forest.Key(name) {
			w.moves[name] = append(w.moves[name], move{from: key, at: e.answered})
		}
	}
}

// keysBelow returns the keys of all that can move with an object: the namespace
// that it places, and whatever hangs below, be it there or only wanted.
func (w *world) keysBelow(ref reference) map[string]string {
	top := ref.home()
	if ref.resource == "subnamespaceanchors" {
		top = ref.name
	}
	affected := append(w.forest.Descendants(top), top)
	if ref.name == "" { // a collection, or all of a kind
		affected = w.forest.Namespaces()
	}
	keys := map[string]string{}
	for _, name := range affected {
		keys[name] = w.forest.Key(name)
		for _, anchor := range w.forest.Anchors(name) {
			keys[anchor.Name] = w.forest.Key(anchor.Name)
		}
	}
	return keys
}

// movedFrom returns the keys that the namespace had shortly before a write was
// answered.
func (w *world) movedFrom(e *event) []string {
	var keys []string
	for _, m := range w.moves[e.ref.home()] {
		if e.answered.Sub(m.at) <= patience {
			keys = append(keys, m.from)
		}
	}
	return keys
}
