// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shardtest

import (
	"slices"

	"github.com/banyan-hns/banyan/shard"
)

// gaps tells how old is what a process knows of each shard, against the last time when
// it was out of touch: I6.
type gaps struct {
	stepped shard.Instant // when it did something last
	gap     shard.Instant // when it noticed last that it had been out of touch
	asked   []question    // its latest Warm for each shard
	known   []shard.Instant
}

// question is what is in a shard.
type question struct {
	epoch int64
	at    shard.Instant
}

func newGaps(shards int) gaps {
	return gaps{asked: make([]question, shards), known: make([]shard.Instant, shards)}
}

func (g *gaps) clone() gaps {
	c := *g
	c.asked, c.known = slices.Clone(g.asked), slices.Clone(g.known)
	return c
}

// step is what the process learns next, with what it held until then.
func (g *gaps) step(now shard.Instant, held shard.Holding, cfg shard.Config, event shard.Event) {
	if now-g.stepped > cfg.RenewPeriod || now >= held.Until {
		g.gap = now
	}
	g.stepped = now
	if e, is := event.(shard.Warmed); is && g.asked[e.ID].epoch == e.Epoch {
		g.known[e.ID] = g.asked[e.ID].at
	}
}

// ask notes what the process asks for.
func (g *gaps) ask(now shard.Instant, effects []shard.Effect) {
	for _, effect := range effects {
		if e, is := effect.(shard.Warm); is {
			g.asked[e.ID] = question{e.Epoch, now}
		}
	}
}

// stale: what it knows of the shard is older than the gap.
func (g *gaps) stale(id shard.ID) bool { return g.known[id] < g.gap }

func (g *gaps) print(p *shard.Print) {
	for id, asked := range g.asked {
		p.Flag(g.stale(shard.ID(id)))
		p.Flag(asked.at < g.gap)
	}
}
