// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/shard"
)

// trackMoves folds an event into the forest and notes which namespaces it moved to
// another tree, if that was a user's doing. A deletion always was: replicas only
// end what a user began. Of a move with a stamp nothing is noted: it changes no key
// until its end, and whoever writes that end knows of it.
func (w *world) trackMoves(e *event, fold func() hierarchy.Change) {
	before, stamp := w.keysBelow(e), w.stamps.keys[e.ref.namespace]
	moved := sets.New(fold().Moved...)
	restamped := w.stamps.keys[e.ref.namespace] != stamp
	if restamped {
		w.stamps.noteTime(e.ref.namespace, e.answered)
	}
	stampless := false
	for name, key := range before {
		now := w.keyOf(name)
		if key == now || !restamped && !moved.Has(name) {
			continue
		}
		w.moves[name] = append(w.recentMoves(name, e), move{from: key, at: e.answered})
		stampless = stampless || shard.Of(key, w.cfg.Shards) != shard.Of(now, w.cfg.Shards)
	}
	switch {
	case stampless:
		w.unstamped++
	case restamped && stamp == "":
		w.marked++
	}
}

// keysBelow returns the keys of all that can move by an event: the namespace that
// the object places, and whatever hangs below, be it there or only wanted.
func (w *world) keysBelow(e *event) map[string]string {
	keys := map[string]string{}
	if w.isReplica(e.writer) && !e.gone {
		return keys
	}
	top := e.ref.home()
	if e.ref.resource == "subnamespaceanchors" {
		top = e.ref.name
	}
	affected := append(w.forest.Descendants(top), top)
	if e.ref.name == "" { // a collection, or all of a kind
		affected = w.forest.Namespaces()
	}
	for _, name := range affected {
		keys[name] = w.keyOf(name)
		for _, anchor := range w.forest.Anchors(name) {
			keys[anchor.Name] = w.keyOf(anchor.Name)
		}
	}
	return keys
}

// movedFrom returns the keys that the namespace had shortly before a write was
// answered.
func (w *world) movedFrom(e *event) []string {
	var keys []string
	for _, m := range w.recentMoves(e.ref.home(), e) {
		keys = append(keys, m.from)
	}
	return keys
}

func (w *world) recentMoves(namespace string, e *event) []move {
	return slices.DeleteFunc(slices.Clone(w.moves[namespace]), func(m move) bool { return e.answered.Sub(m.at) > patience })
}
