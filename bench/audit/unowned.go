// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/banyan-hns/banyan/shard"
)

// Unowned is how long one shard was without an owner, for one cause. A gap has
// one cause, the first of these that is true: hand, cold start, outage, restart,
// takeover, handover.
type Unowned struct {
	Shard    shard.ID
	Cause    Cause
	Gaps     int
	Sum, Max time.Duration
}

// UnownedByShard sums up the gaps, sorted by shard and cause.
func (r Report) UnownedByShard() []Unowned {
	type place struct {
		shard shard.ID
		cause Cause
	}
	sums := map[place]Unowned{}
	for _, g := range r.Gaps {
		at := place{g.Shard, g.Cause}
		u := sums[at]
		u.Shard, u.Cause, u.Gaps = g.Shard, g.Cause, u.Gaps+1
		u.Sum += g.Duration()
		u.Max = max(u.Max, g.Duration())
		sums[at] = u
	}
	return slices.SortedFunc(maps.Values(sums), func(a, b Unowned) int {
		return cmp.Or(cmp.Compare(a.Shard, b.Shard), cmp.Compare(a.Cause, b.Cause))
	})
}

// UnownedByCause tells how long gaps were, for each cause that there was.
func (r Report) UnownedByCause() map[Cause]Distribution {
	durations := map[Cause][]time.Duration{}
	for _, g := range r.Gaps {
		durations[g.Cause] = append(durations[g.Cause], g.Duration())
	}
	distributions := map[Cause]Distribution{}
	for cause, all := range durations {
		distributions[cause] = distribute(all)
	}
	return distributions
}

// Slacks tells how much time was left between the last write of a life and its
// fence, over all fences of lives that wrote.
func (r Report) Slacks() Distribution {
	var slacks []time.Duration
	for _, f := range r.Fences {
		if f.Wrote {
			slacks = append(slacks, f.Slack)
		}
	}
	return distribute(slacks)
}

// judgeGaps is C4: no gap is longer than its cause may make it.
func (c *check) judgeGaps() {
	for _, g := range c.gaps.found {
		limit, limited := c.world.cfg.Marks.Limits[g.Cause]
		if !limited {
			continue
		}
		c.judged[RuleGap]++
		longest := time.Duration(limit * float64(time.Second))
		if g.Cause == CauseColdStart {
			longest += shared(c.world.cfg.Marks.Down, g.From, g.To)
		}
		if g.Duration() > longest {
			c.fault(RuleGap, g.To, fmt.Sprintf("shard %d had no owner for %v after a %s, from %s to %s; the limit is %v",
				g.Shard, g.Duration().Round(time.Millisecond), g.Cause, g.Before, g.After, longest.Round(time.Millisecond)))
		}
	}
}
