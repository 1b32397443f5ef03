// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shardtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/banyan-hns/banyan/shard"
)

// Play runs a script, one command per line, and returns its transcript: the
// commands, each with what it printed below it. Blank lines and comments (#)
// stay as they are.
//
//	start NAME… | restart NAME | kill NAME | stop NAME | leave NAME
//	pause NAME DURATION | cut NAME | blind NAME | heal NAME | loosen NAME
//	mute NAME              refuse its writes of shards; heal ends that
//	scale SET REPLICAS     tell all members how many of a set there shall be
//	policy NAME            restart policy of members that begin from now on
//	outage | recover | delete-member NAME | delete-shard ID|all
//	run DURATION           let time pass
//	owners                 print who may write for each shard
//	members                print each member's state and number of shards
//	moves                  print how often shards changed their holder since the last "moves"
//	ended NAME             print whether it said that it may end
//	faults                 print the invariants that were broken
//	until-owned LIMIT      let time pass until each shard has an owner; print how long, rounded up to 500ms
func Play(w *World, script string) (string, error) {
	p := &player{World: w}
	for number, line := range strings.Split(strings.TrimRight(script, "\n"), "\n") {
		if strings.HasPrefix(line, "    ") {
			continue // output of an earlier run
		}
		fmt.Fprintln(&p.out, line)
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if err := p.do(words[0], words[1:]); err != nil {
			return "", fmt.Errorf("line %d, %q: %w", number+1, line, err)
		}
	}
	return p.out.String(), nil
}

type player struct {
	*World
	out   strings.Builder
	moved int // length of the history at the last "moves"
}

func (p *player) print(format string, args ...any) {
	fmt.Fprintf(&p.out, "    "+format+"\n", args...)
}

func (p *player) do(verb string, args []string) error {
	if verb == "start" {
		for _, name := range args {
			if err := p.Start(name); err != nil {
				return err
			}
		}
		return nil
	}
	if run, found := p.prints()[verb]; found {
		run()
		return nil
	}
	if len(args) == 0 {
		return fmt.Errorf("unknown command, or one that needs an argument")
	}
	return p.act(verb, args)
}

func (p *player) act(verb string, args []string) error {
	switch name := args[0]; verb {
	case "restart":
		return p.Restart(name)
	case "kill":
		p.Kill(name)
	case "stop":
		p.Stop(name, false)
	case "leave":
		p.Stop(name, true)
	case "cut":
		p.Cut(name)
	case "blind":
		p.Blind(name)
	case "mute":
		p.Mute(name)
	case "scale":
		replicas, err := strconv.Atoi(args[len(args)-1])
		p.Scale(name, replicas)
		return err
	case "policy":
		p.Config.RestartPolicy = shard.RestartPolicy(name)
	case "heal":
		p.Heal(name)
	case "loosen":
		p.Loosen(name)
	case "delete-member":
		p.DeleteMember(name)
	case "ended":
		p.print("%v", p.Ended(name))
	case "delete-shard":
		if name == "all" {
			for id := range shard.ID(p.Config.Shards) {
				p.DeleteShard(id)
			}
			return nil
		}
		id, err := strconv.Atoi(name)
		p.DeleteShard(shard.ID(id))
		return err
	case "run", "until-owned":
		d, err := time.ParseDuration(name)
		if err != nil {
			return err
		}
		if verb == "run" {
			p.Run(d)
			return nil
		}
		p.untilOwned(d)
	case "pause":
		d, err := time.ParseDuration(args[len(args)-1])
		p.Pause(name, d)
		return err
	default:
		return fmt.Errorf("unknown command")
	}
	return nil
}

func (p *player) prints() map[string]func() {
	return map[string]func(){
		"owners":  p.owners,
		"members": p.memberTable,
		"moves":   p.moves,
		"outage":  func() { p.Outage(true) },
		"recover": func() { p.Outage(false) },
		"faults": func() {
			if len(p.Faulted()) == 0 {
				p.print("none")
				return
			}
			p.print("%d, the first: %s", len(p.Faulted()), p.Faulted()[0])
		},
	}
}

func (p *player) owners() {
	for id, owner := range p.Owners() {
		if owner == "" {
			owner = "-"
		}
		p.print("%d %s", id, owner)
	}
}

func (p *player) memberTable() {
	owned := map[string]int{}
	for _, owner := range p.Owners() {
		owned[owner]++
	}
	for _, name := range sorted(p.store.members) {
		p.print("%s %s %d", name, p.store.members[name].State, owned[name])
	}
	if owned[""] > 0 {
		p.print("unowned %d", owned[""])
	}
}

// moves counts per pair of members, in order of the store.
func (p *player) moves() {
	last := map[shard.ID]string{}
	counts := map[string]int{}
	for i, record := range p.store.history {
		holder := record.Holder.Member()
		if holder == "" {
			continue
		}
		if i >= p.moved && last[record.ID] != holder {
			counts[fmt.Sprintf("%s to %s, %s", orNobody(last[record.ID]), holder, record.Reason)]++
		}
		last[record.ID] = holder
	}
	p.moved = len(p.store.history)
	if len(counts) == 0 {
		p.print("none")
	}
	for _, what := range sorted(counts) {
		p.print("%s: %d", what, counts[what])
	}
}

func orNobody(name string) string {
	if name == "" {
		return "nobody"
	}
	return name
}

func (p *player) untilOwned(limit time.Duration) {
	const step = 500 * time.Millisecond
	for waited := time.Duration(0); waited <= limit; waited += step {
		if !slices.Contains(p.Owners(), "") {
			p.print("within %v", waited)
			return
		}
		p.Run(step)
	}
	p.print("not within %v", limit)
}
