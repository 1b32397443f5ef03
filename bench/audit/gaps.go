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
	outages []Span
	down    []Span
	shards  map[shard.ID]*tenure
	beats   map[shard.Identity]time.Time // the last good heartbeat of each life
	struck  map[shard.Identity]time.Time // when somebody ended a life by hand
	found   []Gap
	changes []change
}

// tenure is the latest holder of a shard that was valid when it got it.
type tenure struct {
	holder   shard.Identity
	since    time.Time
	released time.Time
	byHand   bool // that it was released
}

// change is the beginning of a tenure.
type change struct {
	id       shard.ID
	holder   shard.Identity
	at       time.Time
	revision uint64
}

func newGaps(outages, down []Span) *gaps {
	return &gaps{
		outages: outages,
		down:    down,
		shards:  map[shard.ID]*tenure{},
		beats:   map[shard.Identity]time.Time{},
		struck:  map[shard.Identity]time.Time{},
	}
}

// observe a Lease write right before it is folded.
func (g *gaps) observe(w *world, e *event) {
	name, id, isMember, isShard := w.ours(e.ref)
	object, known := e.object.(*coordinationv1.Lease)
	if !known && !e.gone {
		return
	}
	var holder shard.Identity
	if known {
		holder = holderOf(object)
	}
	byHand := !e.hidden && !w.isReplica(e.writer)
	switch {
	case isMember && known && e.writer.lives(holder):
		g.beats[holder] = e.answered
	case isMember && byHand && w.member(name).holder != holder:
		g.struck[w.member(name).holder] = e.answered
	case isShard:
		g.observeShard(w, id, holder, e, byHand)
	}
}

func (g *gaps) observeShard(w *world, id shard.ID, now shard.Identity, e *event, byHand bool) {
	t := g.shards[id]
	if t == nil {
		t = &tenure{}
		g.shards[id] = t
	}
	if now == "" {
		if t.released.IsZero() && w.member(t.holder.Member()).holder == t.holder {
			t.released, t.byHand = e.answered, byHand
		}
		return
	}
	unbroken := now == t.holder && t.released.IsZero()
	if unbroken || w.member(now.Member()).holder != now {
		return
	}
	if t.holder != "" {
		g.found = append(g.found, g.gap(id, t, now, e.answered))
	}
	g.changes = append(g.changes, change{id, now, e.answered, e.revision})
	*t = tenure{holder: now, since: e.answered}
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
	if shared(g.outages, gap.From, gap.To) > 0 {
		gap.Cause = CauseOutage
	}
	if shared(g.down, gap.From, gap.To) > 0 {
		gap.Cause = CauseColdStart
	}
	struck, wasStruck := g.struck[t.holder]
	if t.released.IsZero() && wasStruck {
		gap.From = struck
	}
	if t.byHand || t.released.IsZero() && wasStruck {
		gap.Cause = CauseHand
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
