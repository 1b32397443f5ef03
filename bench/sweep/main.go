// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Command sweep measures how long fresh changes take while replicas read thousands of
// namespaces again: one replica is killed, the others take over its shards, and what is
// in these is swept, slowly.
//
// All the time, sources are changed in all trees, at a steady rate. The latency of a
// change is from the API server's answer to it until a watch has shown the copy in a leaf
// of the tree. In a tree whose owner was killed it begins, at the earliest, when its
// shard was opened again: what an outage takes is for others to measure.
//
// It ends with 1, and writes no result, if a change did not arrive, if the goals were
// missed, or if the sweep was too short to measure anything.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/bench/trees"
)

func main() { rig.Main("sweep", run) }

// options are what can be set from outside.
type options struct {
	namespaces int
	objects    int
	replicas   int
	workers    int
	rate       int
	before     time.Duration
	resyncRate int
	goal       time.Duration
	oldest     time.Duration
	dir        string
	binary     string
	output     string
}

func parse(args []string) (options, error) {
	o := options{}
	f := flag.NewFlagSet("sweep", flag.ContinueOnError)
	f.IntVar(&o.namespaces, "namespaces", 10000, "number of namespaces in the forest")
	f.IntVar(&o.objects, "objects", 2, "objects in each namespace, half of them Roles and half RoleBindings; in all but the roots they are copies")
	f.IntVar(&o.replicas, "replicas", 3, "number of replicas; the one that has most namespaces is killed")
	f.IntVar(&o.workers, "workers", 20, "requests that whoever grows the forest has open at the same time")
	f.IntVar(&o.rate, "rate", 20, "changes in a second, in all trees together")
	f.DurationVar(&o.before, "before", 20*time.Second, "how long they are measured before the replica is killed")
	f.IntVar(&o.resyncRate, "resync-rate", 0, "what replicas are given by this name; 0: their default")
	f.DurationVar(&o.goal, "goal", time.Second, "fail if the p99 of changes during the sweep is longer; 0: only print it")
	f.DurationVar(&o.oldest, "oldest", time.Minute, "fail if a namespace waits longer in the queue to be read again; 0: only print it")
	f.StringVar(&o.dir, "dir", ".run/sweep", "directory for state and logs; what an earlier run left there is removed")
	f.StringVar(&o.binary, "binary", "", "banyan to measure; empty: build it")
	f.StringVar(&o.output, "o", "", "write the result to this file, as Markdown")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	return o, o.validate()
}

// leastNamespaces are enough for several trees with leaves.
const leastNamespaces = 100

func (o options) validate() error {
	var faults []error
	if o.namespaces < leastNamespaces {
		faults = append(faults, fmt.Errorf("namespaces: is %d; set it to %d or more", o.namespaces, leastNamespaces))
	}
	if o.objects < 2 || o.objects%2 != 0 {
		faults = append(faults, fmt.Errorf("objects: is %d; set it to an even number of two or more", o.objects))
	}
	if o.replicas < 2 {
		faults = append(faults, fmt.Errorf("replicas: is %d; set it to two or more, since one is killed", o.replicas))
	}
	if o.workers < 1 || o.rate < 1 {
		faults = append(faults, errors.New("workers, rate: set each to one or more"))
	}
	if o.before <= 0 {
		faults = append(faults, fmt.Errorf("before: is %v; set it to more than nothing, to have something to compare with", o.before))
	}
	if o.resyncRate < 0 {
		faults = append(faults, fmt.Errorf("resync-rate: is %d; set it to zero or more", o.resyncRate))
	}
	return errors.Join(faults...)
}

// command is how to repeat the measurement.
func (o options) command() string {
	command := fmt.Sprintf("go run ./bench/sweep -namespaces %d -objects %d -replicas %d -rate %d -before %v", o.namespaces, o.objects, o.replicas, o.rate, o.before)
	if o.resyncRate > 0 {
		command += fmt.Sprintf(" -resync-rate %d", o.resyncRate)
	}
	return command
}

// replicaFlags are those that replicas are given besides their own.
func (o options) replicaFlags() []string {
	if o.resyncRate == 0 {
		return nil
	}
	return []string{fmt.Sprintf("--resync-rate=%d", o.resyncRate)}
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
	file := o.output
	missed := r.judge(o.goal, o.oldest)
	if missed != nil {
		file = ""
	}
	return errors.Join(missed, rig.Publish(r.text(), r.markdown(), file))
}

// bench measures, and cleans up after it.
func bench(ctx context.Context, o options) (r result, err error) {
	ground, err := rig.Prepare(ctx, o.dir, o.binary, os.Stderr)
	if err != nil {
		return r, err
	}
	cluster, err := rig.Start(ctx, rig.Options{
		Dir: ground.Dir, Binary: ground.Binary, Replicas: o.replicas, Flags: o.replicaFlags(), Out: os.Stderr,
	})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	facts, err := cluster.Complete(ground.Facts)
	if err != nil {
		return r, err
	}
	m := &measurement{rate: o.rate, before: o.before, Grower: trees.Grower{
		Rig: cluster, Forest: trees.Plan(o.namespaces), Objects: o.objects, Workers: o.workers,
	}}
	r, err = m.measure(ctx)
	r.facts, r.command, r.goal, r.bound = facts, o.command(), o.goal, o.oldest
	return r, err
}
