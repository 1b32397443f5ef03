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
		w.Run(time.Duration(random.Int64N(int64(4 * time.Second))))
		disturbOne(w, random, Names[random.IntN(len(Names))])
	}
}

func disturbOne(w *World, random *rand.Rand, name string) {
	m := w.members[name]
	if !m.alive || m.stopped {
		mustStart(w, name)
		return
	}
	switch random.IntN(12) {
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
		w.Pause(name, time.Duration(random.Int64N(int64(25*time.Second))))
	case 6:
		w.Cut(name)
	case 7:
		w.Heal(name)
	case 8:
		w.Outage(true)
		w.Run(time.Duration(random.Int64N(int64(20 * time.Second))))
		w.Outage(false)
	case 9:
		w.DeleteMember(name)
	case 10:
		w.DeleteShard(shard.ID(random.IntN(w.Config.Shards)))
	case 11:
		w.Blind(name)
	}
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
