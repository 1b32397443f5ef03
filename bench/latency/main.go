// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Command latency measures how long a replica takes to answer admission: with a large
// forest, at a steady rate of requests, while it takes over the shards of another
// replica that was killed and reads all of their namespaces again.
//
// The requests are those of an API server, and go straight to the webhook port of the
// first replica, over TLS connections that are kept. None of them has an effect, but for
// changes of parents, which are written down as granted, as for a real request.
// Times are the replica's own, from its metrics, beside those of the client and those
// of a GET of the same API server in the same minute.
//
// It ends with 1 if a request failed or had another answer than it should. Times are
// judged only with -goal.
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

func main() { rig.Main("latency", run) }

// options are what can be set from outside.
type options struct {
	namespaces int
	objects    int
	replicas   int
	workers    int
	rate       int
	duration   time.Duration
	goal       time.Duration
	dir        string
	binary     string
	output     string
}

func parse(args []string) (options, error) {
	o := options{}
	f := flag.NewFlagSet("latency", flag.ContinueOnError)
	f.IntVar(&o.namespaces, "namespaces", 10000, "number of namespaces in the forest")
	f.IntVar(&o.objects, "objects", 4, "objects in each namespace, half of them Roles and half RoleBindings; in all but the roots they are copies")
	f.IntVar(&o.replicas, "replicas", 3, "number of replicas; the first is asked, the last is killed")
	f.IntVar(&o.workers, "workers", 20, "requests that whoever grows the forest has open at the same time")
	f.IntVar(&o.rate, "rate", 200, "requests for admission in a second, of all kinds together")
	f.DurationVar(&o.duration, "duration", 90*time.Second, "how long they are sent")
	f.DurationVar(&o.goal, "goal", 0, "fail if the p99 of any webhook, in the replica, is longer; 0: only print it")
	f.StringVar(&o.dir, "dir", ".run/latency", "directory for state and logs; what an earlier run left there is removed")
	f.StringVar(&o.binary, "binary", "", "banyan to measure; empty: build it")
	f.StringVar(&o.output, "o", "", "write the result to this file, as Markdown")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	return o, o.validate()
}

// Smallest values.
const (
	leastNamespaces = 100              // for two trees of three generations
	leastDuration   = 20 * time.Second // a replica that was killed is believed for 10 s
)

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
	if o.duration < leastDuration {
		faults = append(faults, fmt.Errorf("duration: is %v; set it to %v or more, so that shards change hands within it", o.duration, leastDuration))
	}
	return errors.Join(faults...)
}

// command is how to repeat the measurement.
func (o options) command() string {
	return fmt.Sprintf("go run ./bench/latency -namespaces %d -objects %d -replicas %d -rate %d -duration %v",
		o.namespaces, o.objects, o.replicas, o.rate, o.duration)
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
	cluster, err := rig.Start(ctx, rig.Options{Dir: ground.Dir, Binary: ground.Binary, Replicas: o.replicas, NoAudit: true, Out: os.Stderr})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	facts, err := cluster.Complete(ground.Facts)
	if err != nil {
		return r, err
	}
	m := &measurement{rate: o.rate, duration: o.duration, Grower: trees.Grower{
		Rig: cluster, Forest: trees.Plan(o.namespaces), Objects: o.objects, Workers: o.workers,
	}}
	r, err = m.measure(ctx)
	r.facts, r.command = facts, o.command()
	return r, err
}
