// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shardtest

import (
	"fmt"

	"github.com/banyan-hns/banyan/shard"
)

func (m *model) fault(format string, args ...any) {
	m.faults = append(m.faults, fmt.Sprintf("%v: ", m.now)+fmt.Sprintf(format, args...))
}

// check what only time can break.
func (m *model) check() {
	for _, p := range m.procs {
		if !p.dead && !p.stopped && m.now < p.paused {
			continue // it writes nothing that it had not begun
		}
		m.noteWrites(p, p.holding)
	}
	m.checkWriters()
}

// checkWriters I1 and I2: whoever may write now, or has a write under way that may
// yet be done, is the one that the store names; so at most one is. And I6: it knows
// what is in the shard.
func (m *model) checkWriters() {
	for _, p := range m.procs {
		for id, end := range p.inflight {
			if p.dead {
				continue
			}
			holder := m.store.shards[shard.ID(id)].Holder
			owns := m.broken.open(p.holding, shard.ID(id)) && m.now < m.broken.until(p.holding, m.cfg)
			if owns && holder != p.holding.Holder {
				m.fault("I1: %s may write for shard %d, which is %q's", p.holding.Holder, id, holder)
			}
			if owns && p.gaps.stale(shard.ID(id)) && m.broken.knows(p.holding, shard.ID(id)) {
				m.fault("I6: %s may write for shard %d with what it knew at %v", p.holding.Holder, id, p.gaps.known[id])
			}
			if end > m.now && holder != p.owner[id] {
				m.fault("I2: a write of %s for shard %d may be done until %v, and the shard is %q's", p.owner[id], id, end, holder)
			}
		}
	}
}

// checkFence I5: the deadline of a member is over, and so are its writes, before
// another takes its heartbeat.
func (m *model) checkFence(by *process, before, after shard.MemberRecord) {
	if before.Holder == "" || after.Holder == before.Holder {
		return
	}
	for _, p := range m.procs {
		if p == by || p.dead || p.holding.Holder != before.Holder {
			continue
		}
		for id := range p.inflight {
			if m.broken.open(p.holding, shard.ID(id)) && m.now < m.broken.until(p.holding, m.cfg) {
				m.fault("I5: %s fenced %s, which could write for shard %d", by.name, before.Holder, id)
			}
		}
	}
}

// checkTransition I3 and I4: a shard goes from one to another through nobody, by
// its holder's own word, or after its holder lost its heartbeat; and each holder
// has the next epoch.
func (m *model) checkTransition(author shard.Identity, before, after shard.Record) {
	if after.Holder == before.Holder {
		return
	}
	over := before.Holder == "" || m.store.members[before.Holder.Member()].Holder != before.Holder
	given := after.Holder == "" && author == before.Holder
	if !over && !given {
		m.fault("I3: %s wrote that shard %d is %q's, which was %s's", author, after.ID, after.Holder, before.Holder)
	}
	if after.Holder == "" && after.Epoch != before.Epoch || after.Holder != "" && after.Epoch != before.Epoch+1 {
		m.fault("I4: shard %d went from epoch %d to %d", after.ID, before.Epoch, after.Epoch)
	}
}

// print of the whole model, for telling states apart.
func (m *model) print(budget, quiet int) uint64 {
	p := shard.Print{Horizon: 10 * m.cfg.LeaseDuration}
	p.Number(int64(budget))
	p.Number(int64(quiet))
	for _, name := range sorted(m.store.members) {
		p.Member(m.store.members[name])
		p.Distance(m.now - m.sent[name])
	}
	for _, id := range sorted(m.store.shards) {
		p.Shard(m.store.shards[id])
	}
	index := map[*process]int64{}
	for i, q := range m.procs {
		index[q] = int64(i)
		m.printProcess(&p, q)
	}
	for _, l := range m.later {
		p.Distance(l.when - m.now)
		p.Number(index[l.process])
		p.Text(string(l.author))
		printEvent(&p, m.now, l.answer)
		printEffect(&p, m.now, l.request)
	}
	return p.Sum()
}

func (m *model) printProcess(p *shard.Print, q *process) {
	p.Flag(q.dead)
	p.Flag(q.stopped)
	p.Number(int64(q.starts))
	p.Number(int64(q.instance))
	if q.dead || q.stopped {
		return
	}
	p.Distance(max(0, q.paused-m.now))
	p.Distance(max(0, q.deaf-m.now))
	p.Distance(max(0, q.ill-m.now))
	p.Number(int64(q.mode))
	for id, end := range q.inflight {
		p.Distance(max(0, end-m.now))
		p.Text(string(q.owner[id]))
	}
	q.gaps.print(p)
	p.Machine(q.machine)
	for _, e := range q.answers {
		printEvent(p, m.now, e)
	}
	p.Flag(true)
	for _, e := range q.watch {
		printEvent(p, m.now, e)
	}
}

func printEvent(p *shard.Print, now shard.Instant, e shard.Event) {
	p.Text(fmt.Sprintf("%T", e))
	switch e := e.(type) {
	case shard.MemberObserved:
		p.Member(e.Record)
	case shard.ShardObserved:
		p.Shard(e.Record)
	case shard.MemberWritten:
		printEffect(p, now, e.Put)
		p.Number(int64(e.Outcome))
		p.Member(e.Record)
	case shard.ShardWritten:
		printEffect(p, now, e.Put)
		p.Number(int64(e.Outcome))
		p.Shard(e.Record)
	case shard.MemberGone:
		p.Text(e.Name)
	case shard.MemberDeleted:
		printEffect(p, now, e.Delete)
		p.Number(int64(e.Outcome))
	case shard.Drained:
		p.Number(int64(e.ID))
	case shard.Warmed:
		p.Number(int64(e.ID))
	}
}

func printEffect(p *shard.Print, now shard.Instant, e shard.Effect) {
	switch e := e.(type) {
	case shard.PutMember:
		p.Member(e.Record)
		p.Version(e.Expect)
		p.Distance(now - e.Sent)
	case shard.PutShard:
		p.Shard(e.Record)
		p.Version(e.Expect)
	case shard.DeleteMember:
		p.Text(e.Name)
		p.Version(e.Expect)
	}
}
