// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Command fanout measures what it costs to bring objects into every namespace of a
// tree, and states it as a ratio: to a plain client that creates the same objects,
// one by one, against the same API server at the same time of day.
//
// It alternates: first the plain client, then Banyan, and again. Both are measured
// from the first request until a watch has shown the last object. The replicas run
// all the time, with default flags but for one: only namespaces whose names begin
// with "tree" are managed, so that those of the plain client are not.
//
// It ends with 1 if a promise was broken: that a copy costs one write, that a
// subnamespace costs at most four, and that every write was allowed to the replica
// that did it. Times are judged only with -goal.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/banyan-hns/banyan/bench/rig"
)

func main() { rig.Main("fanout", run) }

// options are what can be set from outside.
type options struct {
	plan
	replicas int
	goal     float64
	dir      string
	binary   string
	output   string
}

func parse(args []string) (options, error) {
	o := options{}
	f := flag.NewFlagSet("fanout", flag.ContinueOnError)
	f.IntVar(&o.subnamespaces, "subnamespaces", 200, "number of subnamespaces, in all trees together")
	f.IntVar(&o.trees, "trees", 1, "number of trees that they are spread over")
	f.IntVar(&o.sources, "sources", 10, "objects in the root of each tree, half of them Roles and half RoleBindings")
	f.IntVar(&o.rounds, "rounds", 2, "how often both the plain client and Banyan are measured")
	f.IntVar(&o.workers, "workers", 10, "requests that the plain client, and whoever makes anchors, has open at the same time")
	f.IntVar(&o.replicas, "replicas", 3, "number of replicas")
	f.Float64Var(&o.goal, "goal", 0, "fail if the fan-out takes more than this many times as long as bare creates; 0: only print the ratio")
	f.StringVar(&o.dir, "dir", ".run/fanout", "directory for state and logs; what an earlier run left there is removed")
	f.StringVar(&o.binary, "binary", "", "banyan to measure; empty: build it")
	f.StringVar(&o.output, "o", "", "write the result to this file, as Markdown")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	return o, o.validate()
}

func (o options) validate() error {
	var faults []error
	for name, value := range map[string]int{
		"subnamespaces": o.subnamespaces, "trees": o.trees, "sources": o.sources, "rounds": o.rounds, "workers": o.workers, "replicas": o.replicas,
	} {
		if value < 1 {
			faults = append(faults, fmt.Errorf("%s: is %d; set it to one or more", name, value))
		}
	}
	if o.sources%2 != 0 {
		faults = append(faults, fmt.Errorf("sources: is %d; set it to an even number", o.sources))
	}
	if o.trees > o.subnamespaces {
		faults = append(faults, fmt.Errorf("trees: is %d, more than there are subnamespaces", o.trees))
	}
	return errors.Join(faults...)
}

// command is how to repeat the measurement.
func (o options) command() string {
	return fmt.Sprintf("go run ./bench/fanout -subnamespaces %d -trees %d -sources %d -replicas %d -rounds %d -workers %d",
		o.subnamespaces, o.trees, o.sources, o.replicas, o.rounds, o.workers)
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	r, err := bench(ctx, o)
	if err != nil {
		return err
	}
	if err := rig.Publish(r.text(), r.markdown(), o.output); err != nil {
		return err
	}
	return r.judge(o.goal)
}

// bench measures, and cleans up after it.
func bench(ctx context.Context, o options) (r result, err error) {
	ground, err := rig.Prepare(ctx, o.dir, o.binary, os.Stderr)
	if err != nil {
		return r, err
	}
	cluster, err := rig.Start(ctx, rig.Options{
		Dir: ground.Dir, Binary: ground.Binary, Replicas: o.replicas, Out: os.Stderr,
		Flags: []string{"--included-namespace-regex=" + managed},
	})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	facts, err := cluster.Complete(ground.Facts)
	if err != nil {
		return r, err
	}
	m := &measurement{Rig: cluster, plan: o.plan}
	if err := m.measure(ctx); err != nil {
		return r, err
	}
	r = result{plan: o.plan, facts: facts, command: o.command(), phases: m.phases}
	return r, m.audit(&r)
}
