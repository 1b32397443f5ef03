// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Command chaos breaks a cluster on purpose, by a plan that a seed decides, while
// users change it, and then asks the API server's audit log whether any replica ever
// wrote what it must not. It ends with 1 if one did, or if the cluster does not come
// to rest where an oracle says that it must.
//
// Every replica is a process of its own, the real one, behind a link of its own to a
// real API server. It is built with one more thing (the tag stopgate): it can be told
// to stop itself at a point of a write, which no signal from outside can hit.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/banyan-hns/banyan/bench/rig"
)

func main() { rig.Main("chaos", run) }

// options are what can be set from outside.
type options struct {
	seed       uint64
	duration   time.Duration
	replicas   int
	namespaces int
	trees      int
	rate       int
	kinds      []Kind
	dir        string
	binary     string
	output     string
	flags      []string // of the replicas
}

func parse(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("chaos", flag.ContinueOnError)
	f.Uint64Var(&o.seed, "seed", 0, "what decides faults and changes; 0: draw one")
	f.DurationVar(&o.duration, "duration", 390*time.Second, "how long faults begin; 6m30s shows each at least once. Growing, and coming to rest, take some eight minutes more on two cores")
	f.IntVar(&o.replicas, "replicas", 5, "number of replicas")
	f.IntVar(&o.namespaces, "namespaces", 3000, "number of namespaces before the first fault")
	f.IntVar(&o.trees, "trees", 300, "number of trees that they are in, of very unequal size")
	f.IntVar(&o.rate, "rate", 20, "changes a second by users")
	f.Func("kind", "only faults of this kind (repeatable)", func(kind string) error {
		o.kinds = append(o.kinds, Kind(kind))
		return nil
	})
	f.StringVar(&o.dir, "dir", ".run/chaos", "directory for state and logs; what an earlier run left there is removed")
	f.StringVar(&o.binary, "binary", "", "banyan to torment, built with -tags stopgate; empty: build it")
	f.StringVar(&o.output, "o", "", "write the result to this file, as Markdown, and a drawing beside it")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.seed == 0 {
		o.seed = uint64(rand.Uint32())
	}
	return o, o.validate()
}

func (o options) validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if o.replicas < 2 || o.replicas > 9 {
		fault("replicas: is %d; set it to a number from 2 to 9", o.replicas)
	}
	if o.trees < 2 || o.namespaces < o.trees {
		fault("trees, namespaces: are %d and %d; set the first to two or more, and the second to no less", o.trees, o.namespaces)
	}
	if o.duration <= 0 {
		fault("duration: is %v; set it to a positive duration", o.duration)
	}
	if o.rate < 1 {
		fault("rate: is %d; set it to one or more changes a second", o.rate)
	}
	for _, kind := range o.kinds {
		if !known(kind) {
			fault("kind: there is no %q", kind)
		}
	}
	return errors.Join(faults...)
}

func known(kind Kind) bool {
	for _, f := range round() {
		if f.Kind == kind {
			return true
		}
	}
	return false
}

// command is how to repeat the run.
func (o options) command() string {
	s := fmt.Sprintf("go run ./bench/chaos -seed %d -duration %v -replicas %d -namespaces %d -trees %d -rate %d",
		o.seed, o.duration, o.replicas, o.namespaces, o.trees, o.rate)
	for _, kind := range o.kinds {
		s += " -kind " + string(kind)
	}
	return s
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	ground, err := rig.Prepare(ctx, o.dir, o.binary, os.Stderr, "-tags=stopgate")
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "repeat with", o.command())
	r, err := torment(ctx, o, ground)
	if err != nil {
		return err
	}
	if err := rig.Publish(r.text(), r.markdown(), o.output); err != nil {
		return err
	}
	if err := r.draw(o); err != nil {
		return err
	}
	return r.verdict()
}
