// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/banyan-hns/banyan/shard"
)

// gaps is C4: it observes how long shards are without a valid holder.
type gaps struct {
	shards map[shard.ID]*tenure
	beats  map[shard.Identity]time.Time // the last good heartbeat of each life
	found  []Gap
}

// tenure is the latest holder of a shard that was valid when it got it.
type tenure struct {
	holder   shard.Identity
	since    time.Time
	released time.Time
}

func newGaps() *gaps {
	return &gaps{shards: map[shard.ID]*tenure{}, beats: map[shard.Identity]time.Time{}}
}

// observe a Lease write right before it is folded.
func (g *gaps) observe(w *world, e *event) {
	object, known := e.object.(*coordinationv1.Lease)
	if !known {
		return
	}
	holder := holderOf(object)
	_, id, isMember, isShard := w.ours(e.ref)
	if isMember && e.writer.lives(holder) {
		g.beats[holder] = e.answered
	}
	if isShard {
		g.observeShard(w, id, holder, e.answered)
	}
}

func (g *gaps) observeShard(w *world, id shard.ID, now shard.Identity, at time.Time) {
	t := g.shards[id]
	if t == nil {
		t = &tenure{}
		g.shards[id] = t
	}
	if now == "" {
		if t.released.IsZero() && w.member(t.holder.Member()).holder == t.holder {
			t.released = at
		}
		return
	}
	unbroken := now == t.holder && t.released.IsZero()
	if unbroken || w.member(now.Member()).holder != now {
		return
	}
	if t.holder != "" {
		g.found = append(g.found, g.gap(id, t, now, at))
	}
	*t = tenure{holder: now, since: at}
}

func (g *gaps) gap(id shard.ID, t *tenure, now shard.Identity, at time.Time) Gap {
	gap := Gap{Shard: id, Cause: CauseHandover, From: t.released, To: at, Before: t.holder, After: now}
	if t.released.IsZero() {
		gap.Cause, gap.From = CauseTakeover, g.beats[t.holder]
		if gap.From.Before(t.since) {
			gap.From = t.since
		}
	}
	if t.holder.Member() == now.Member() {
		gap.Cause = CauseRestart
	}
	return gap
}

// unowned counts shards that once had a valid holder and have none now.
func (g *gaps) unowned(w *world) int {
	count := 0
	for id, t := range g.shards {
		if _, valid := w.valid(id); t.holder != "" && !valid {
			count++
		}
	}
	return count
}
