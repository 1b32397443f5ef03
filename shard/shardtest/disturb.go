// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shardtest

import (
	"math/rand/v2"
	"time"

	"github.com/banyan-hns/banyan/shard"
)

// Names of the members that Disturb plays with.
var Names = []string{"a", "b", "c"}

// Disturb starts the members that do not run, and for the given time does to
// them what operators, kernels and networks do, at random.
func Disturb(w *World, seed uint64, d time.Duration) {
	random := rand.New(rand.NewPCG(seed, 1))
	for _, name := range Names {
		if w.members[name] == nil {
			mustStart(w, name)
		}
	}
	for end := w.now + d; w.now < end; {
		w.Run(upTo(random, w.Config.LeaseDuration*2/5))
		disturbOne(w, random, Names[random.IntN(len(Names))])
	}
}

func disturbOne(w *World, random *rand.Rand, name string) {
	m := w.members[name]
	if !m.alive || m.stopped {
		mustStart(w, name)
		return
	}
	kinds := 12
	if w.Intact {
		kinds -= 2
	}
	lease := w.Config.LeaseDuration
	switch random.IntN(kinds) {
	case 0:
		w.Kill(name)
	case 1:
		w.Kill(name)
		if err := w.Restart(name); err != nil {
			panic(err)
		}
	case 2:
		w.Stop(name, random.IntN(2) == 0)
	case 3, 4, 5:
		w.Pause(name, upTo(random, lease*5/2))
	case 6:
		w.Cut(name)
	case 7:
		w.Heal(name)
	case 8:
		w.Outage(true)
		w.Run(upTo(random, lease*2))
		w.Outage(false)
	case 9:
		w.Blind(name)
	case 10:
		w.DeleteMember(name)
	case 11:
		w.DeleteShard(shard.ID(random.IntN(w.Config.Shards)))
	}
}

func upTo(random *rand.Rand, d time.Duration) time.Duration {
	return time.Duration(random.Int64N(int64(d)))
}

// networks that RandomRun takes in turn: good, bad, slow.
var networks = []struct {
	faults  Faults
	latency Latency
}{
	{Faults{LoseRequest: 0.02, LoseAnswer: 0.02, Late: 0.02}, Latency{Request: 10 * time.Millisecond, Watch: 20 * time.Millisecond}},
	{Faults{LoseRequest: 0.1, LoseAnswer: 0.1, Late: 0.1}, Latency{Request: 10 * time.Millisecond, Watch: 20 * time.Millisecond}},
	{Faults{LoseRequest: 0.03, LoseAnswer: 0.03, Late: 0.03}, Latency{Request: 300 * time.Millisecond, Watch: time.Second}},
}

// policies that the processes of RandomRun have.
var policies = [][]shard.RestartPolicy{{shard.Reserve}, {shard.Spare}, {shard.Reserve, shard.Spare}}

// RandomRun lets three members of SmallConfig, with eight shards, live through fifty seconds of pauses,
// losses, deaths and stops, and returns what broke and how many changes of holders
// there were. The policies of restarts take turns, too: either, or one that changes.
func RandomRun(seed uint64, broken Broken) (faults []string, moves int) {
	cfg := SmallConfig()
	cfg.Shards = 8
	w := New(cfg, seed)
	w.Policies = policies[seed/uint64(len(networks))%uint64(len(policies))]
	w.Scale(places.Set, places.Replicas)
	w.Broken, w.Intact, w.TickEvery, w.store.forgetful = broken, true, cfg.RenewPeriod/5, true
	network := networks[seed%uint64(len(networks))]
	w.Faults, w.Latency = network.faults, network.latency
	Disturb(w, seed, 50*time.Second)
	for _, record := range w.store.shards {
		moves += int(record.Epoch)
	}
	return w.faults, moves
}

// Calm heals everything and has every member run.
func Calm(w *World) {
	w.Outage(false)
	for _, name := range Names {
		m := w.members[name]
		m.pausedUntil = 0
		w.Heal(name)
		if !m.alive || m.stopped || m.machine.Status().State <= 1 {
			m.alive = false
			mustStart(w, name)
		}
	}
	w.Run(40 * time.Second) // members that were told to stop do so now
	for _, name := range Names {
		if w.members[name].stopped {
			mustStart(w, name)
		}
	}
}

// mustStart: the configuration was accepted for the first member already.
func mustStart(w *World, name string) {
	if err := w.Start(name); err != nil {
		panic(err)
	}
}
