// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shardtest

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/banyan-hns/banyan/shard"
)

// Search tries everything that may go wrong with three members and two shards, at
// every tick, up to a number of faults.
type Search struct {
	// Faults in one history. Each costs a few hundred times the one before.
	Faults int
	// From and To are the ticks between which something may go wrong. The members
	// begin at tick 0; by 8 they have shared the shards.
	From, To int
	// Policy of restarts; empty: shard.Reserve.
	Policy shard.RestartPolicy
	// Broken is the mistake that the members make.
	Broken Broken
	// Stop at the first broken invariant.
	Stop bool

	// Result.
	States, Merged, Histories int
	// Broke is the first history that broke an invariant: its faults, and what
	// they broke. Empty is the promise.
	Broke []string

	seen map[uint64]struct{}
}

// SmallConfig has the proportions of the defaults, in a shorter time, but for what is
// seldom done: it comes often here.
func SmallConfig() shard.Config {
	return shard.Config{
		Shards: 2, LeaseDuration: 4 * time.Second, RenewPeriod: time.Second,
		WriteTimeout: time.Second, Guard: shard.GuardFor(time.Second),
		Settle: time.Second, RestartGrace: 3 * time.Second, Budget: 2,
		TouchPeriod: 6 * time.Second, StaleAfter: 8 * time.Second,
	}
}

// modelTick is as long as a write may take, and divides the rest but the guard.
const modelTick = time.Second

// quietTicks is how long a history goes on after its last fault: a lease, a guard,
// the patience of the others and the ticks that lie in between, and as long again
// as the longest fault. It ends sooner where everything has been seen before.
const quietTicks = 24

// Run searches, once for each member that may be the first to act in a tick.
func (s *Search) Run() {
	parts := make([]Search, len(Names))
	var wait sync.WaitGroup
	for first := range parts {
		parts[first] = Search{Faults: s.Faults, From: s.From, To: s.To, Policy: s.Policy, Broken: s.Broken, Stop: s.Stop}
		wait.Go(func() { parts[first].runFirst(first) })
	}
	wait.Wait()
	for _, part := range parts {
		s.States += part.States
		s.Merged += part.Merged
		s.Histories += part.Histories
		if s.Broke == nil {
			s.Broke = part.Broke
		}
	}
}

func (s *Search) runFirst(first int) {
	s.seen = map[uint64]struct{}{}
	cfg := SmallConfig()
	cfg.RestartPolicy = s.Policy
	m := newModel(cfg, s.Broken, modelTick)
	for range s.From {
		m.advance(first)
	}
	s.explore(m, first, s.From, s.Faults, nil)
	s.seen = nil
}

// explore every future of a state, which it may change.
func (s *Search) explore(m *model, first, tick, budget int, past []string) {
	for quiet := 0; quiet < quietTicks; {
		if len(m.faults) > 0 {
			if s.Broke == nil {
				s.Broke = append(slices.Clone(past), m.faults...)
			}
			s.Histories++
			return
		}
		mayFail := budget > 0 && tick <= s.To
		key := m.print(budget, map[bool]int{true: s.To - tick}[mayFail])
		if _, known := s.seen[key]; known {
			s.Merged++
			return
		}
		s.seen[key] = struct{}{}
		s.States++
		if mayFail {
			for _, f := range disturbances {
				for i := range m.procs {
					if s.Stop && s.Broke != nil {
						return
					}
					s.branch(m, f, i, first, tick, budget, past)
				}
			}
		} else {
			quiet++
		}
		m.advance(first)
		tick++
	}
	s.Histories++
}

func (s *Search) branch(m *model, f disturbance, i, first, tick, budget int, past []string) {
	if gone := m.procs[i].dead || m.procs[i].stopped; gone != f.gone {
		return
	}
	next := m.clone()
	f.do(next, next.procs[i])
	next.settle()
	next.advance(first)
	said := fmt.Sprintf("tick %d: %s, %s", tick, m.procs[i].name, f.name)
	s.explore(next, first, tick+1, budget-1, append(slices.Clone(past), said))
}

// disturbance is one thing that may go wrong with one process. Two of them are
// never at one tick.
type disturbance struct {
	name string
	gone bool // it can happen only to a process that does not run
	do   func(*model, *process)
}

var disturbances = slices.Concat(
	pauses(2, 4, 5, 8), deafness(1, 3, 6), cuts(3, 6),
	requests("its requests are lost", lost), requests("its answers are lost", unanswered),
	requests("its requests come late", late), requests("its requests come a lease later", tooLate),
	requests("its answers and drains are slow", slow),
	[]disturbance{
		{"dies", false, func(m *model, p *process) { m.kill(p) }},
		{"dies, and begins in the same instance", false, func(m *model, p *process) { m.kill(p); m.begin(p) }},
		{"dies, and begins in another instance", false, func(m *model, p *process) { m.kill(p); p.instance++; m.begin(p) }},
		{"is told to stop", false, func(m *model, p *process) { m.step(p, shard.Stop{}) }},
		{"is told to leave", false, func(m *model, p *process) { m.step(p, shard.Stop{Leaving: true}) }},
		{"is told to leave, and its requests come a lease later", false, func(m *model, p *process) {
			p.ill, p.mode = m.now+4*m.tick, tooLate
			m.step(p, shard.Stop{Leaving: true})
		}},
		{"begins in another instance", true, func(m *model, p *process) { m.kill(p); p.instance++; m.begin(p) }},
	},
)

func pauses(ticks ...int) (all []disturbance) {
	for _, n := range ticks {
		all = append(all, disturbance{fmt.Sprintf("is paused for %d ticks", n), false, func(m *model, p *process) {
			p.paused = m.now + shard.Instant(n+1)*m.tick
		}})
	}
	return all
}

func deafness(ticks ...int) (all []disturbance) {
	for _, n := range ticks {
		all = append(all, disturbance{fmt.Sprintf("sees nothing for %d ticks", n), false, func(m *model, p *process) {
			p.deaf = m.now + shard.Instant(n+1)*m.tick
		}})
	}
	return all
}

func cuts(ticks ...int) (all []disturbance) {
	for _, n := range ticks {
		all = append(all, disturbance{fmt.Sprintf("is cut off for %d ticks", n), false, func(m *model, p *process) {
			p.deaf = m.now + shard.Instant(n+1)*m.tick
			p.ill, p.mode = p.deaf, lost
		}})
	}
	return all
}

// requests that are sent in the next tick, or in three of them.
func requests(name string, how mode) (all []disturbance) {
	for _, n := range []int{1, 3} {
		all = append(all, disturbance{fmt.Sprintf("%s for %d ticks", name, n), false, func(m *model, p *process) {
			p.ill, p.mode = m.now+shard.Instant(n+1)*m.tick, how
		}})
	}
	return all
}
