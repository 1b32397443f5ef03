// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shardtest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/banyan-hns/banyan/shard"
)

// model is a world that can be copied: a few members whose time goes in ticks, and
// whose requests are answered at once, unless a fault says otherwise. The same
// faults give the same history.
type model struct {
	cfg    shard.Config
	broken Broken
	tick   shard.Instant
	now    shard.Instant
	store  *store
	procs  []*process
	later  []later
	sent   map[string]shard.Instant // when the present state of each heartbeat was sent
	faults []string
}

// process is one process of the model. Others may have had its name before.
type process struct {
	name     string
	instance int
	starts   int
	machine  *shard.Machine
	dead     bool
	stopped  bool
	paused   shard.Instant // it does nothing before
	deaf     shard.Instant // it sees no change before
	ill      shard.Instant // its requests have the mode before
	mode     mode
	answers  []shard.Event
	watch    []shard.Event
	holding  shard.Holding
	inflight []shard.Instant // by shard: the latest end of a write
	owner    []shard.Identity
	gaps     gaps
}

// mode is what becomes of a request.
type mode int

const (
	good       mode = iota
	lost            // it never arrives
	unanswered      // it is done, and its sender does not hear of it
	late            // it is done after its sender gave up
	tooLate         // it is done a lease after its sender gave up
	slow            // its answer takes as long as it may
)

// later is something that is under way: the answer to a process, or its request.
type later struct {
	when    shard.Instant
	process *process
	answer  shard.Event
	request shard.Effect
	author  shard.Identity
}

func newModel(cfg shard.Config, broken Broken, tick shard.Instant) *model {
	m := &model{cfg: cfg, broken: broken, tick: tick, store: &store{
		members: map[string]shard.MemberRecord{}, shards: map[shard.ID]shard.Record{}, forgetful: true,
	}, sent: map[string]shard.Instant{}}
	for _, name := range Names {
		p := &process{name: name}
		m.procs = append(m.procs, p)
		m.begin(p)
	}
	m.settle()
	return m
}

// places for one member less than there are, if there is to be a spare. None of them
// is called as the set's are, so each may have any.
var places = shard.Eligible{Set: "seat", Replicas: len(Names)}

// begin a new life of a process, in the instance that it has.
func (m *model) begin(p *process) {
	cfg := m.cfg
	cfg.Member, cfg.Instance = p.name, fmt.Sprint(p.instance)
	cfg.Incarnation = fmt.Sprint(p.starts)
	machine, err := shard.NewMachine(cfg, m.now)
	if err != nil {
		panic(err) // the configuration of a search is its own
	}
	*p = process{name: p.name, instance: p.instance, starts: p.starts + 1, machine: machine,
		inflight: make([]shard.Instant, cfg.Shards), owner: make([]shard.Identity, cfg.Shards),
		gaps: newGaps(cfg.Shards)}
	for _, name := range sorted(m.store.members) {
		p.watch = append(p.watch, shard.MemberObserved{Record: m.store.members[name]})
	}
	for _, id := range sorted(m.store.shards) {
		p.watch = append(p.watch, shard.ShardObserved{Record: m.store.shards[id]})
	}
	p.watch = append(p.watch, places, shard.Listed{}, shard.Ready{})
}

// kill a process; what it sent goes its way.
func (m *model) kill(p *process) {
	p.dead, p.answers, p.watch = true, nil, nil
	p.holding = shard.Holding{}
	clear(p.inflight)
	m.later = slices.DeleteFunc(m.later, func(l later) bool { return l.process == p && l.request == nil })
}

// advance by one tick. The process at first goes before the others.
func (m *model) advance(first int) {
	m.now += m.tick
	due := m.later
	m.later = nil
	for _, l := range due {
		switch {
		case l.when > m.now:
			m.later = append(m.later, l)
		case l.request != nil:
			m.apply(l.process, l.author, l.request)
		default:
			l.process.answers = append(l.process.answers, l.answer)
		}
	}
	for i := range m.procs {
		p := m.procs[(first+i)%len(m.procs)]
		if m.runs(p) {
			m.step(p, shard.Tick{})
			m.mistake(p)
		}
	}
	m.settle()
	m.check()
}

// runs: it is there, and may do something.
func (m *model) runs(p *process) bool { return !p.dead && !p.stopped && m.now >= p.paused }

// settle delivers what waits, until nothing does.
func (m *model) settle() {
	for moved := true; moved; {
		moved = false
		for _, p := range m.procs {
			for m.runs(p) && len(p.answers) > 0 {
				moved = true
				next := p.answers[0]
				p.answers = p.answers[1:]
				m.step(p, next)
			}
			for m.runs(p) && m.now >= p.deaf && len(p.watch) > 0 {
				moved = true
				next := p.watch[0]
				p.watch = p.watch[1:]
				m.step(p, next)
			}
		}
	}
}

func (m *model) step(p *process, e shard.Event) {
	p.gaps.step(m.now, p.holding, m.cfg, e)
	effects := p.machine.Step(m.now, e)
	p.gaps.ask(m.now, effects)
	m.publish(p)
	author := p.holding.Holder
	for _, effect := range effects {
		m.perform(p, author, effect)
	}
	m.checkWriters()
}

// publish lets the gate know, and notes what may be in flight behind it.
func (m *model) publish(p *process) {
	before := p.holding
	p.holding = p.machine.Holding()
	m.noteWrites(p, before)
}

// noteWrites: while a shard is open, a write of it may begin at any moment.
func (m *model) noteWrites(p *process, holding shard.Holding) {
	for id := range p.inflight {
		if m.broken.open(holding, shard.ID(id)) {
			last := min(m.now, m.broken.until(holding, m.cfg))
			p.inflight[id] = max(p.inflight[id], last+m.broken.writeTime(m.cfg))
			p.owner[id] = holding.Holder
		}
	}
}

func (m *model) perform(p *process, author shard.Identity, effect shard.Effect) {
	switch e := effect.(type) {
	case shard.PutMember:
		m.send(p, author, e, shard.MemberWritten{Put: e})
	case shard.PutShard:
		m.send(p, author, e, shard.ShardWritten{Put: e})
	case shard.DeleteMember:
		m.send(p, author, e, shard.MemberDeleted{Delete: e})
	case shard.Drain:
		m.drain(p, e)
	case shard.Warm:
		p.answers = append(p.answers, shard.Warmed{ID: e.ID, Epoch: e.Epoch})
	case shard.Stopped:
		p.stopped = true
		p.holding = shard.Holding{}
	}
}

// drain ends when the last write has, which is at once, or takes as long as it may.
func (m *model) drain(p *process, e shard.Drain) {
	if m.now < p.ill && p.mode == slow {
		m.later = append(m.later, later{when: m.now + m.cfg.WriteTimeout, process: p, answer: shard.Drained(e)})
		return
	}
	p.inflight[e.ID] = min(p.inflight[e.ID], m.now)
	p.answers = append(p.answers, shard.Drained(e))
}

// send a request by the mode that its sender is in.
func (m *model) send(p *process, author shard.Identity, request shard.Effect, unknown shard.Event) {
	how := good
	if m.now < p.ill {
		how = p.mode
	}
	giveUp := later{when: m.now + m.cfg.WriteTimeout, process: p, answer: unknown}
	switch how {
	case good:
		p.answers = append(p.answers, m.apply(p, author, request))
	case slow:
		m.later = append(m.later, later{when: giveUp.when, process: p, answer: m.apply(p, author, request)})
	case unanswered:
		m.apply(p, author, request)
		m.later = append(m.later, giveUp)
	case lost:
		m.later = append(m.later, giveUp)
	case late:
		m.later = append(m.later, giveUp, later{when: giveUp.when + m.tick, process: p, request: request, author: author})
	case tooLate:
		m.later = append(m.later, giveUp, later{when: giveUp.when + m.cfg.LeaseDuration, process: p, request: request, author: author})
	}
}

// apply a request to the store, and return the answer.
func (m *model) apply(p *process, author shard.Identity, request shard.Effect) shard.Event {
	switch e := request.(type) {
	case shard.PutMember:
		before := m.store.members[e.Record.Name]
		record, done := m.store.putMember(e.Record, e.Expect)
		if !done {
			return shard.MemberWritten{Put: e, Outcome: shard.Lost, Record: record}
		}
		m.sent[record.Name] = e.Sent + m.broken.skew(p.name, m.cfg)
		m.checkFence(p, before, record)
		m.broadcast(shard.MemberObserved{Record: record})
		return shard.MemberWritten{Put: e, Outcome: shard.Done, Record: record}
	case shard.DeleteMember:
		if !m.store.deleteMember(e.Name, e.Expect) {
			return shard.MemberDeleted{Delete: e, Outcome: shard.Lost}
		}
		m.broadcast(shard.MemberGone{Name: e.Name})
		return shard.MemberDeleted{Delete: e, Outcome: shard.Done}
	case shard.PutShard:
		before := m.store.shards[e.Record.ID]
		record, done := m.store.putShard(e.Record, m.broken.expect(e, before.Version))
		if !done {
			return shard.ShardWritten{Put: e, Outcome: shard.Lost, Record: record}
		}
		m.checkTransition(author, before, record)
		m.broadcast(shard.ShardObserved{Record: record})
		return shard.ShardWritten{Put: e, Outcome: shard.Done, Record: record}
	}
	panic("no request")
}

func (m *model) broadcast(e shard.Event) {
	for _, p := range m.procs {
		if !p.dead && !p.stopped {
			p.watch = append(p.watch, e)
		}
	}
}

// mistake of a member that trusts the clocks of others.
func (m *model) mistake(p *process) {
	if m.broken != ForeignClock {
		return
	}
	for _, name := range sorted(m.store.members) {
		record := m.store.members[name]
		wall := m.now + m.broken.skew(p.name, m.cfg)
		if name == p.name || record.Holder == "" || wall-m.sent[name] <= m.cfg.LeaseDuration {
			continue
		}
		fence := shard.PutMember{
			Record: shard.MemberRecord{Name: name, State: shard.MemberFenced}, Expect: record.Version, Sent: m.now,
		}
		m.send(p, p.holding.Holder, fence, shard.MemberWritten{Put: fence})
	}
}

// clone copies everything that may change.
func (m *model) clone() *model {
	c := *m
	c.store = m.store.clone()
	c.sent = maps.Clone(m.sent)
	c.procs = make([]*process, len(m.procs))
	moved := map[*process]*process{}
	for i, p := range m.procs {
		q := *p
		q.machine = p.machine.Clone()
		q.answers, q.watch = slices.Clone(p.answers), slices.Clone(p.watch)
		q.inflight, q.owner = slices.Clone(p.inflight), slices.Clone(p.owner)
		q.gaps = p.gaps.clone()
		c.procs[i] = &q
		moved[p] = &q
	}
	c.later = slices.Clone(m.later)
	for i := range c.later {
		c.later[i].process = moved[c.later[i].process]
	}
	c.faults = slices.Clone(m.faults)
	return &c
}
