// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Command scale measures what replicas need to look after a number of namespaces:
// memory, processor time, and the time until a restarted one is ready again. It does
// so for several numbers, each on a cluster of its own, so that one can see what
// grows with what.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/bench/trees"
)

func main() { rig.Main("scale", run) }

// options are what can be set from outside.
type options struct {
	namespaces []int
	objects    int
	replicas   int
	workers    int
	idle       time.Duration
	dir        string
	binary     string
	output     string
}

func parse(args []string) (options, error) {
	o := options{namespaces: []int{500, 5000}}
	f := flag.NewFlagSet("scale", flag.ContinueOnError)
	f.Func("namespaces", "numbers of namespaces to measure with, separated by commas (default 500,5000)", func(value string) (err error) {
		o.namespaces, err = numbers(value)
		return err
	})
	f.IntVar(&o.objects, "objects", 10, "objects in each namespace, half of them Roles and half RoleBindings; in all but the roots they are copies")
	f.IntVar(&o.replicas, "replicas", 3, "number of replicas")
	f.IntVar(&o.workers, "workers", 20, "requests that the client has open at the same time")
	f.DurationVar(&o.idle, "idle", time.Minute, "how long replicas are watched doing nothing")
	f.StringVar(&o.dir, "dir", ".run/scale", "directory for state and logs; what an earlier run left there is removed")
	f.StringVar(&o.binary, "binary", "", "banyan to measure; empty: build it")
	f.StringVar(&o.output, "o", "", "write the result to this file, as Markdown")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	return o, o.validate()
}

func numbers(list string) ([]int, error) {
	var numbers []int
	for _, text := range strings.Split(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("reading %q: it is not a number", text)
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

func (o options) validate() error {
	var faults []error
	for _, n := range o.namespaces {
		if n < 2 {
			faults = append(faults, fmt.Errorf("namespaces: %d are too few for a tree; take two or more", n))
		}
	}
	if o.objects < 2 || o.objects%2 != 0 {
		faults = append(faults, fmt.Errorf("objects: is %d; set it to an even number of two or more", o.objects))
	}
	if o.replicas < 1 || o.workers < 1 {
		faults = append(faults, errors.New("replicas, workers: set each to one or more"))
	}
	return errors.Join(faults...)
}

// command is how to repeat the measurement.
func (o options) command() string {
	var sizes []string
	for _, n := range o.namespaces {
		sizes = append(sizes, strconv.Itoa(n))
	}
	return fmt.Sprintf("go run ./bench/scale -namespaces %s -objects %d -replicas %d -workers %d -idle %v",
		strings.Join(sizes, ","), o.objects, o.replicas, o.workers, o.idle)
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	r, err := measure(ctx, o)
	if err != nil {
		return err
	}
	return rig.Publish(r.text(), r.markdown(), o.output)
}

// measure with each number of namespaces.
func measure(ctx context.Context, o options) (r result, err error) {
	ground, err := rig.Prepare(ctx, o.dir, o.binary, os.Stderr)
	if err != nil {
		return r, err
	}
	r.command, r.facts = o.command(), ground.Facts
	for _, namespaces := range o.namespaces {
		s, err := measureSize(ctx, o, ground, namespaces)
		if err != nil {
			return r, fmt.Errorf("with %d namespaces: %w", namespaces, err)
		}
		r.sizes, r.facts = append(r.sizes, s), s.facts
	}
	return r, nil
}

// measureSize has a cluster of its own.
func measureSize(ctx context.Context, o options, ground rig.Ground, namespaces int) (s size, err error) {
	cluster, err := rig.Start(ctx, rig.Options{
		Dir:    filepath.Join(ground.Dir, strconv.Itoa(namespaces)),
		Binary: ground.Binary, Replicas: o.replicas, Out: os.Stderr,
	})
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	facts, err := cluster.Complete(ground.Facts)
	if err != nil {
		return s, err
	}
	m := &measurement{idle: o.idle, Grower: trees.Grower{
		Rig: cluster, Forest: trees.Plan(namespaces), Objects: o.objects, Workers: o.workers,
	}}
	s, err = m.measure(ctx)
	s.facts = facts
	return s, err
}
