// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"maps"
	"slices"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/shard"
)

// trackMoves folds an event into the forest and notes which namespaces it moved to
// another tree without a stamp, if that was a user's doing. A deletion always was:
// replicas only end what a user began. Of a move with a stamp nothing is noted: it
// changes no key until its end, and whoever writes that end knows of it.
func (w *world) trackMoves(e *event, fold func() hierarchy.Change) {
	namespace := e.ref.namespace
	was, key := w.forest.Moving(namespace) == namespace, w.forest.Key(namespace)
	change := fold()
	switch is := w.forest.Moving(namespace) == namespace; {
	case was && !is && w.isReplica(e.writer):
		delete(w.stamped, namespace)
		w.countEnd(key, w.forest.Key(namespace))
	case !is:
		delete(w.stamped, namespace)
	case !was:
		w.stamped[namespace] = e.answered
		w.marked++
	}
	if w.isReplica(e.writer) && !e.gone {
		return
	}
	strayed := maps.Clone(change.Strayed)
	for _, name := range change.Moved { // it was for the owner of the key to end that
		strayed[name] = key
	}
	crossed := false
	for name, before := range strayed {
		w.moves[name] = append(w.recentMoves(name, e), move{from: before, at: e.answered})
		crossed = crossed || shard.Of(before, w.cfg.Shards) != shard.Of(w.forest.Key(name), w.cfg.Shards)
	}
	if crossed {
		w.unstamped++
	}
}

// countEnd of a move, if it gave the namespace to another replica.
func (w *world) countEnd(before, after string) {
	from, held := w.valid(shard.Of(before, w.cfg.Shards))
	to, holds := w.valid(shard.Of(after, w.cfg.Shards))
	if held && holds && from != to {
		w.handed++
	}
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
