// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// driver plays the store, the clock and the other members to one Machine, which
// is that of "b". What the machine asks for a shard stays unanswered until the
// test answers it; its own heartbeats are answered at once.
type driver struct {
	*testing.T
	m       *Machine
	now     Instant
	version Version
	others  map[string]MemberRecord // they renew every second

	mute     bool            // own heartbeats end in a timeout
	blind    bool            // own heartbeats do not come back
	disagree map[string]bool // others that publish another ring

	beats, fences []PutMember
	puts          []PutShard
	effects       []Effect // all others
	late          []PutMember
}

const (
	tick  = 100 * time.Millisecond
	epoch = time.Hour // when each test begins
)

// self1 is the first life of b.
var self1 = NewIdentity("b", "uid-b", "one.0")

func testConfig() Config {
	cfg := validConfig()
	cfg.Member, cfg.Instance, cfg.Shards = "b", "uid-b", 8
	return cfg
}

func drive(t *testing.T, change ...func(*Config)) *driver {
	cfg := testConfig()
	for _, f := range change {
		f(&cfg)
	}
	m, err := NewMachine(cfg, epoch)
	require.NoError(t, err)
	return &driver{T: t, m: m, now: epoch, others: map[string]MemberRecord{}, disagree: map[string]bool{}}
}

func life(name string) Identity { return NewIdentity(name, "uid-"+name, "one.0") }

func (d *driver) next() Version { d.version++; return d.version }

func (d *driver) step(e Event) {
	for _, effect := range d.m.Step(d.now, e) {
		switch put := effect.(type) {
		case PutShard:
			d.puts = append(d.puts, put)
		case PutMember:
			if put.Record.Name != "b" {
				d.fences = append(d.fences, put)
				continue
			}
			d.beats = append(d.beats, put)
			d.renew(put)
		default:
			d.effects = append(d.effects, effect)
		}
	}
}

func (d *driver) renew(put PutMember) {
	if d.mute {
		d.late = append(d.late, put)
		return
	}
	record := put.Record
	record.Version = d.next()
	d.step(MemberWritten{Put: put, Outcome: Done, Record: record})
	if !d.blind {
		d.step(MemberObserved{Record: record})
	}
}

// observe lets a record of a member appear. One with a holder renews from now on.
func (d *driver) observe(name string, holder Identity, state MemberState) MemberRecord {
	record := MemberRecord{Name: name, Holder: holder, State: state, RingKey: d.m.Ring().Key(), Version: d.next()}
	if d.disagree[name] {
		record.RingKey = "another"
	}
	delete(d.others, name)
	if holder != "" {
		d.others[name] = record
	}
	d.step(MemberObserved{Record: record})
	return record
}

// silence stops a member from renewing.
func (d *driver) silence(name string) { delete(d.others, name) }

// shard lets a record of a shard appear.
func (d *driver) shard(id ID, holder Identity, handoffTo string) Record {
	record := Record{ID: id, Holder: holder, Epoch: d.m.slots[id].record.Epoch + 1, HandoffTo: handoffTo, Version: d.next()}
	d.step(ShardObserved{Record: record})
	return record
}

// run lets time pass.
func (d *driver) run(span time.Duration) {
	for end := d.now + span; d.now < end; {
		d.now += tick
		for len(d.late) > 0 && d.now-d.late[0].Sent >= d.m.cfg.WriteTimeout {
			put := d.late[0]
			d.late = d.late[1:]
			d.step(MemberWritten{Put: put})
		}
		if d.now%time.Second == 0 {
			for _, name := range d.m.memberNames() {
				if other, renews := d.others[name]; renews {
					d.observe(name, other.Holder, other.State)
				}
			}
		}
		d.step(Tick{})
	}
}

// join lists what there is, with these other members active, and runs until the
// ring of all has settled. All shards are held by "elsewhere", which renews but
// has no place in the ring; so nothing happens that a test did not ask for.
func (d *driver) join(others ...string) *driver {
	d.observe("elsewhere", life("elsewhere"), MemberJoining)
	for id := range d.m.slots {
		d.shard(ID(id), life("elsewhere"), "")
	}
	for _, name := range others {
		d.observe(name, life(name), MemberActive)
	}
	d.step(Listed{})
	d.step(Ready{})
	d.run(10 * time.Second)
	require.Empty(d, d.puts)
	require.Equal(d, MemberActive, d.m.members["b"].State)
	return d
}

// own lets b hold a shard, open for writes.
func (d *driver) own(id ID) {
	record := d.shard(id, d.m.identity(), "")
	d.step(Tick{})
	d.step(Warmed{ID: id, Epoch: record.Epoch})
	require.Equal(d, Owned, d.m.slots[id].state)
}

// take returns the writes of shards that were asked for since the last take.
func (d *driver) take() []PutShard {
	puts := d.puts
	d.puts = nil
	return puts
}

// one is the only write that was asked for since the last take.
func (d *driver) one() PutShard {
	puts := d.take()
	require.Len(d, puts, 1)
	return puts[0]
}

func (d *driver) done(put PutShard) {
	record := put.Record
	record.Version = d.next()
	d.step(ShardWritten{Put: put, Outcome: Done, Record: record})
}

// askedAfter lets time pass until b asks for the shard, and returns how long it
// took; -1 if it did not within the limit.
func (d *driver) askedAfter(id ID, limit time.Duration) time.Duration {
	for begin := d.now; d.now-begin <= limit; d.run(tick) {
		for _, put := range d.puts {
			if put.Record.ID == id {
				return d.now - begin
			}
		}
	}
	return -1
}

// pick returns the first shard for which b has that place in the ring: 1 is its
// owner, 2 the next one, 3 any other.
func (d *driver) pick(place int) ID {
	for id := range ID(d.m.cfg.Shards) {
		got := 3
		if d.m.ring.Owner(id) == "b" {
			got = 1
		} else if d.m.ring.Second(id) == "b" {
			got = 2
		}
		if got == place {
			return id
		}
	}
	d.Fatalf("no shard for which b has place %d", place)
	return 0
}

func has[E Effect](d *driver) bool {
	for _, effect := range d.effects {
		if _, is := effect.(E); is {
			return true
		}
	}
	return false
}
