// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/banyan-hns/banyan/shard"
)

// silence is how long no write of anybody succeeds before that counts as an outage
// of the API server, if a replica outlived it. Each writes every two seconds; but if
// all are dead, a cluster may be silent for longer, and nothing be wrong with it.
const silence = 5 * time.Second

// outages are those that the rig told, or else those that the log shows.
func (w *world) outages(events []*event) []Span {
	if told := w.cfg.Marks.Outages; len(told) > 0 {
		return told
	}
	var found, silent []Span
	var last time.Time
	beats := map[shard.Identity]time.Time{}
	for _, e := range byTime(events) {
		if e.outcome != done {
			continue
		}
		if !last.IsZero() && e.answered.Sub(last) > silence {
			silent = append(silent, Span{From: last, To: e.answered})
		}
		last = e.answered
		life, beating := w.beat(e)
		if !beating {
			continue
		}
		before, lived := beats[life]
		beats[life] = e.answered
		rest := silent[:0]
		for _, s := range silent {
			if lived && !before.After(s.From) {
				found = append(found, s)
				continue
			}
			rest = append(rest, s)
		}
		silent = rest
	}
	return found
}

// beat reports whether an event is a heartbeat, and of which life.
func (w *world) beat(e *event) (shard.Identity, bool) {
	object, known := e.object.(*coordinationv1.Lease)
	if _, _, isMember, _ := w.ours(e.ref); !known || !isMember {
		return "", false
	}
	life := holderOf(object)
	return life, e.writer.lives(life)
}
