// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package shardtest runs many members of one ring on a virtual clock, so that a
// minute of protocol, with its pauses and losses, takes a moment and always ends
// the same way.
//
// It checks the safety of package shard after each step, against the store and
// against all members at once, which no member could do:
//
//	I1  at most one member may write for a shard at any instant
//	I2  a shard gets a new holder only when no write of another process can be
//	    in flight, even if each takes as long as it may
//	I3  a shard goes from one holder to another only through nobody, or after
//	    the first was fenced
//	I4  the epoch of a shard grows with each new holder
//	I5  a member whose heartbeat was fenced may not write any more
//	I6  a member that was out of touch writes for no shard until it knows anew
//	    what is in it
package shardtest

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/banyan-hns/banyan/shard"
)

// Faults are the chances, from 0 to 1, of what may go wrong with one request.
type Faults struct {
	LoseRequest float64 // it never arrives
	LoseAnswer  float64 // it is done, but the answer never comes back
	Late        float64 // it arrives after its sender gave up
}

// Latency of the network, uniform up to these bounds.
type Latency struct{ Request, Watch time.Duration }

// World is a set of members around one store.
type World struct {
	Config  shard.Config // but for Member, Instance and Incarnation
	Faults  Faults
	Latency Latency
	// TickEvery is the period of the ticks of each member. Default 100ms.
	TickEvery time.Duration
	// Broken is the mistake that all members make.
	Broken Broken
	// Policies of restarts, of which each process has one, at random; none: that of Config.
	Policies []shard.RestartPolicy
	// Intact: Disturb deletes no record. What is promised when somebody does, package
	// shard says.
	Intact bool

	now     shard.Instant
	store   *store
	members map[string]*Member
	scale   *shard.Eligible // what was said last; nil: nothing
	queue   events
	order   int
	random  *rand.Rand
	down    bool                     // the store answers nobody
	sent    map[string]shard.Instant // what the wall clock of its writer said, by heartbeat
	faults  []string
}

// Member is one process in the world.
type Member struct {
	name        string
	machine     *shard.Machine
	alive       bool
	pausedUntil shard.Instant
	cut         bool // no request of it arrives, and it sees nothing
	blind       bool // it sees nothing, but its requests are answered
	backlog     []shard.Event
	lives       int
	stopped     bool
	held        map[shard.ID]int64
	inflight    map[shard.ID]shard.Instant // the latest end of writes into closed shards
	mute        bool                       // its writes of shards are refused
	loose       bool                       // negative control: it writes without asking for the time
	deadline    shard.Instant
	holding     shard.Holding
	gaps        gaps
}

// New returns an empty world. The same seed gives the same history.
func New(cfg shard.Config, seed uint64) *World {
	return &World{
		Config: cfg, TickEvery: 100 * time.Millisecond,
		Latency: Latency{Request: 10 * time.Millisecond, Watch: 20 * time.Millisecond},
		store:   newStore(), members: map[string]*Member{}, sent: map[string]shard.Instant{},
		random: rand.New(rand.NewPCG(seed, 0)),
	}
}

// Now is the virtual time since the world began.
func (w *World) Now() shard.Instant { return w.now }

// Faulted lists the invariants that were broken; none is the promise.
func (w *World) Faulted() []string { return w.faults }

// Start begins a process under a name, in an instance of its own.
func (w *World) Start(name string) error {
	return w.start(name, fmt.Sprintf("uid-%s-%d", name, w.lives(name)+1))
}

// Restart begins a process under a name, in the instance of the one before, as
// a kubelet restarts a container.
func (w *World) Restart(name string) error {
	return w.start(name, fmt.Sprintf("uid-%s-%d", name, w.lives(name)))
}

func (w *World) lives(name string) int {
	if m := w.members[name]; m != nil {
		return m.lives
	}
	return 0
}

func (w *World) start(name, instance string) error {
	cfg := w.Config
	cfg.Member, cfg.Instance, cfg.Incarnation = name, instance, fmt.Sprintf("%s-%d", instance, w.order)
	if len(w.Policies) > 0 {
		cfg.RestartPolicy = w.Policies[w.random.IntN(len(w.Policies))]
	}
	machine, err := shard.NewMachine(cfg, w.now)
	if err != nil {
		return err
	}
	m := &Member{name: name, machine: machine, alive: true, lives: w.lives(name) + 1,
		held: map[shard.ID]int64{}, inflight: map[shard.ID]shard.Instant{}, gaps: newGaps(cfg.Shards)}
	w.members[name] = m
	w.at(w.request(), m, func() {
		for _, n := range sorted(w.store.members) {
			w.step(m, shard.MemberObserved{Record: w.store.members[n]})
		}
		for _, id := range sorted(w.store.shards) {
			w.step(m, shard.ShardObserved{Record: w.store.shards[id]})
		}
		if w.scale != nil {
			w.step(m, *w.scale)
		}
		w.step(m, shard.Listed{})
		w.step(m, shard.Ready{})
	})
	w.tick(m)
	return nil
}

func (w *World) tick(m *Member) {
	w.at(w.TickEvery, m, func() {
		w.step(m, shard.Tick{})
		w.mistake(m)
		w.tick(m)
	})
}

// Kill ends a process without a word.
func (w *World) Kill(name string) { w.members[name].alive = false; w.members[name].held = nil }

// Stop tells a process to end; leaving, not to be back.
func (w *World) Stop(name string, leaving bool) {
	m := w.members[name]
	w.at(0, m, func() { w.step(m, shard.Stop{Leaving: leaving}) })
}

// Pause stops a process for a while, as SIGSTOP and SIGCONT do. What reaches it
// meanwhile, it learns afterwards.
func (w *World) Pause(name string, d time.Duration) {
	w.members[name].pausedUntil = w.now + d
}

// Cut takes a member from the network; Heal brings it back.
func (w *World) Cut(name string) { w.members[name].cut = true }

// Blind takes the watch from a member; its requests are still answered.
func (w *World) Blind(name string) { w.members[name].blind = true }

// Mute has every write of the record of a shard by a member refused; its heartbeats
// are taken.
func (w *World) Mute(name string) { w.members[name].mute = true }

// Scale tells all members how many of a set there shall be, and those that begin later.
func (w *World) Scale(set string, replicas int) {
	w.scale = &shard.Eligible{Set: set, Replicas: replicas}
	for _, name := range sorted(w.members) {
		m := w.members[name]
		w.at(w.watch(), m, func() { w.step(m, *w.scale) })
	}
}

// Heal ends a Cut, a Blind and a Mute: the member learns all that it missed.
func (w *World) Heal(name string) {
	m := w.members[name]
	m.cut, m.blind, m.mute = false, false, false
	w.resync(m)
}

// Outage takes the store from everybody; its end brings it back.
func (w *World) Outage(down bool) {
	w.down = down
	if !down {
		for _, name := range sorted(w.members) {
			w.resync(w.members[name])
		}
	}
}

// DeleteMember and DeleteShard remove a record by hand.
func (w *World) DeleteMember(name string) {
	delete(w.store.members, name)
	w.broadcast(shard.MemberGone{Name: name})
}

// DeleteShard removes the record of a shard by hand.
func (w *World) DeleteShard(id shard.ID) {
	delete(w.store.shards, id)
	w.broadcast(shard.ShardGone{ID: id})
}

// Loosen is the negative control: the member ignores the end of its lease.
func (w *World) Loosen(name string) { w.members[name].loose = true }

// Run lets virtual time pass.
func (w *World) Run(d time.Duration) {
	end := w.now + d
	for len(w.queue) > 0 && w.queue[0].when <= end {
		e := heap.Pop(&w.queue).(*event)
		w.now = e.when
		if e.member != nil && !e.member.alive {
			continue
		}
		if e.member != nil && w.now < e.member.pausedUntil {
			w.schedule(e.member.pausedUntil, e.member, e.run)
			continue
		}
		e.run()
	}
	w.now = end
	w.check()
}

// Owners returns who may write for each shard now; "" for nobody.
func (w *World) Owners() []string {
	owners := make([]string, w.Config.Shards)
	for _, name := range sorted(w.members) {
		for id := range owners {
			if w.owns(w.members[name], shard.ID(id)) {
				owners[id] = name
			}
		}
	}
	return owners
}

// History is every state of every shard record, in the order of the store.
func (w *World) History() []shard.Record { return w.store.history }

// Status of a member.
func (w *World) Status(name string) shard.Status { return w.members[name].machine.Status() }

// Ended reports whether a member has said that it may end.
func (w *World) Ended(name string) bool { return w.members[name].stopped }

// owns is what the gate would answer in that process.
func (w *World) owns(m *Member, id shard.ID) bool {
	if !m.alive {
		return false
	}
	_, open := m.held[id]
	return open && (m.loose || w.now < m.deadline)
}

// step gives one event to a member, publishes its holding and carries out what
// it asks for.
func (w *World) step(m *Member, e shard.Event) {
	if !m.alive || m.stopped {
		return
	}
	m.gaps.step(w.now, m.holding, w.Config, e)
	effects := m.machine.Step(w.now, e)
	m.gaps.ask(w.now, effects)
	w.publish(m)
	for _, effect := range effects {
		w.perform(m, effect)
	}
	w.check()
}

func (w *World) publish(m *Member) {
	holding := m.machine.Holding()
	open := func(id shard.ID) bool {
		return w.Broken.open(holding, id) || m.loose && holding.Suspended(id)
	}
	for id := range m.held {
		if !open(id) {
			m.inflight[id] = min(w.now, m.deadline) + w.Broken.writeTime(w.Config)
		}
	}
	m.deadline = w.Broken.until(holding, w.Config)
	m.holding = holding
	m.held = map[shard.ID]int64{}
	for id := range w.Config.Shards {
		if open(shard.ID(id)) {
			m.held[shard.ID(id)] = holding.Epoch(shard.ID(id))
		}
	}
}

func (w *World) perform(m *Member, effect shard.Effect) {
	switch e := effect.(type) {
	case shard.PutMember:
		w.send(m, func() (shard.Event, shard.Event) {
			record, done := w.store.putMember(e.Record, e.Expect)
			answer := shard.MemberWritten{Put: e, Outcome: shard.Lost, Record: record}
			if !done {
				return answer, nil
			}
			w.checkFence(e)
			w.sent[record.Name] = e.Sent + w.Broken.skew(m.name, w.Config)
			answer.Outcome = shard.Done
			return answer, shard.MemberObserved{Record: record}
		}, shard.MemberWritten{Put: e})
	case shard.PutShard:
		author := m.holding.Holder
		w.send(m, func() (shard.Event, shard.Event) {
			if m.mute {
				return shard.ShardWritten{Put: e}, nil
			}
			before := w.store.shards[e.Record.ID]
			record, done := w.store.putShard(e.Record, w.Broken.expect(e, before.Version))
			answer := shard.ShardWritten{Put: e, Outcome: shard.Lost, Record: record}
			if !done {
				return answer, nil
			}
			w.checkTransition(author, before, record)
			w.checkInFlight(m, before, record)
			answer.Outcome = shard.Done
			return answer, shard.ShardObserved{Record: record}
		}, shard.ShardWritten{Put: e})
	case shard.DeleteMember:
		w.send(m, func() (shard.Event, shard.Event) {
			if !w.store.deleteMember(e.Name, e.Expect) {
				return shard.MemberDeleted{Delete: e, Outcome: shard.Lost}, nil
			}
			return shard.MemberDeleted{Delete: e, Outcome: shard.Done}, shard.MemberGone{Name: e.Name}
		}, shard.MemberDeleted{Delete: e})
	case shard.Drain:
		w.at(w.drain(), m, func() {
			delete(m.inflight, e.ID)
			w.step(m, shard.Drained(e))
		})
	case shard.Warm:
		w.at(w.request(), m, func() { w.step(m, shard.Warmed{ID: e.ID, Epoch: e.Epoch}) })
	case shard.Stopped:
		m.stopped = true
		m.held = nil
	}
}

// mistake of a member that trusts the clocks of others.
func (w *World) mistake(m *Member) {
	if w.Broken != ForeignClock || !m.alive || m.stopped {
		return
	}
	for _, name := range sorted(w.store.members) {
		record := w.store.members[name]
		wall := w.now + w.Broken.skew(m.name, w.Config)
		if name == m.name || record.Holder == "" || wall-w.sent[name] <= w.Config.LeaseDuration {
			continue
		}
		w.perform(m, shard.PutMember{
			Record: shard.MemberRecord{Name: name, State: shard.MemberFenced}, Expect: record.Version, Sent: w.now,
		})
	}
}

// send carries one request to the store and its answer back, or not.
func (w *World) send(m *Member, do func() (answer, seen shard.Event), unknown shard.Event) {
	timeout := w.Config.WriteTimeout
	giveUp := func() { w.at(timeout, m, func() { w.step(m, unknown) }) }
	chance := w.random.Float64()
	arrive := w.request()
	answered := true
	switch {
	case chance < w.Faults.LoseRequest:
		giveUp()
		return
	case chance < w.Faults.LoseRequest+w.Faults.LoseAnswer:
		answered = false
	case chance < w.Faults.LoseRequest+w.Faults.LoseAnswer+w.Faults.Late:
		answered = false
		arrive = timeout + time.Duration(w.random.Int64N(int64(time.Second)))
	}
	if !answered {
		giveUp()
	}
	// The request is on its way whatever becomes of its sender.
	w.schedule(w.now+arrive, nil, func() {
		if m.cut || w.down {
			if answered {
				w.schedule(w.now+timeout, m, func() { w.step(m, unknown) })
			}
			return
		}
		answer, seen := do()
		if seen != nil {
			w.broadcast(seen)
		}
		if answered {
			w.schedule(w.now+w.request(), m, func() { w.step(m, answer) })
		}
	})
}

// broadcast lets every member see a change, each after a delay of its own, but
// in the order of the store.
func (w *World) broadcast(e shard.Event) {
	delay := w.watch()
	for _, name := range sorted(w.members) {
		m := w.members[name]
		if m.cut || m.blind || w.down {
			continue
		}
		m.backlog = append(m.backlog, e)
		w.at(delay, m, func() {
			if len(m.backlog) == 0 || m.cut || m.blind || w.down {
				return
			}
			next := m.backlog[0]
			m.backlog = m.backlog[1:]
			w.step(m, next)
		})
	}
}

// resync lets a member list everything again.
func (w *World) resync(m *Member) {
	m.backlog = nil
	w.at(w.watch(), m, func() {
		if m.cut || m.blind || w.down {
			return
		}
		for _, name := range sorted(w.members) {
			if record, exists := w.store.members[name]; exists {
				w.step(m, shard.MemberObserved{Record: record})
			} else {
				w.step(m, shard.MemberGone{Name: name})
			}
		}
		for id := range shard.ID(w.Config.Shards) {
			if record, exists := w.store.shards[id]; exists {
				w.step(m, shard.ShardObserved{Record: record})
			} else {
				w.step(m, shard.ShardGone{ID: id})
			}
		}
	})
}

// drain takes no longer than a write; most writes are short.
func (w *World) drain() time.Duration {
	if w.random.Float64() < w.Faults.Late {
		return w.upTo(w.Config.WriteTimeout)
	}
	return w.request()
}

func (w *World) request() time.Duration { return w.upTo(w.Latency.Request) }
func (w *World) watch() time.Duration   { return w.upTo(w.Latency.Watch) }

func (w *World) upTo(d time.Duration) time.Duration {
	return time.Millisecond + time.Duration(w.random.Int64N(int64(d)))
}

func sorted[K interface{ ~string | ~int }, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
