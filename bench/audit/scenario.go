// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"fmt"
	"slices"
	"time"

	"github.com/banyan-hns/banyan/shard"
)

// Scenario is one change of the set of members, from one settled state to the next.
// A rolling update has the same members before and after, all of them restarted. An
// outage has the same, and none restarted.
type Scenario struct {
	Name string `json:"name"`
	Span
	// Before and After are the members in the ring.
	Before []string `json:"before"`
	After  []string `json:"after"`
	// Restarted are those of both that came back as another process.
	Restarted []string `json:"restarted,omitempty"`
}

// Moved is what C5 found of a scenario.
type Moved struct {
	Name string
	// Moves is how often shards changed hands, Wanted how often they had to, and
	// Most the greatest number for one shard.
	Moves, Wanted, Most int
}

// Moves counts how often each shard came to another holder from one time on and
// before another. A member that came back as another life is another holder.
func (r Report) Moves(from, to time.Time) map[shard.ID]int {
	moves := map[shard.ID]int{}
	for _, c := range r.changes {
		if !c.at.Before(from) && c.at.Before(to) {
			moves[c.id]++
		}
	}
	return moves
}

// judgeScenarios is C5: each shard goes where the ring wants it, in one move, and
// those that are there already do not move.
func (c *check) judgeScenarios() {
	for _, s := range c.world.cfg.Marks.Scenarios {
		moved := Moved{Name: s.Name}
		before, after := shard.NewRing(s.Before, c.world.cfg.Shards), shard.NewRing(s.After, c.world.cfg.Shards)
		for id := range shard.ID(c.world.cfg.Shards) {
			c.judged[RuleMoves]++
			owner, wanted := after.Owner(id), 0
			if owner != before.Owner(id) || slices.Contains(s.Restarted, owner) {
				wanted = 1
			}
			moves, first, last := c.gaps.during(id, s.Span)
			moved.Moves, moved.Wanted, moved.Most = moved.Moves+moves, moved.Wanted+wanted, max(moved.Most, moves)
			fault := func(format string, args ...any) {
				c.fault(RuleMoves, s.To, fmt.Sprintf("%s: shard %d ", s.Name, id)+fmt.Sprintf(format, args...))
			}
			switch {
			case first.Member() != before.Owner(id):
				fault("was held by %q before, not by %s, so it was not settled", first, before.Owner(id))
			case last.Member() != owner:
				fault("was held by %s after it, not by %s", last, owner)
			case moves != wanted:
				fault("moved %d times, not %d, from %s to %s", moves, wanted, first, last)
			}
		}
		c.report.Scenarios = append(c.report.Scenarios, moved)
	}
}

// during returns how often a shard came to another holder in a span, and who held
// it before and after.
func (g *gaps) during(id shard.ID, span Span) (moves int, first, last shard.Identity) {
	for _, change := range g.changes {
		if change.id != id {
			continue
		}
		switch span.place(change.at, change.revision) {
		case -1:
			first, last = change.holder, change.holder
		case 0:
			moves++
			last = change.holder
		}
	}
	return moves, first, last
}
