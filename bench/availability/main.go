// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Command availability asks for admission all the time, through the API server, while
// replicas are killed, stopped, frozen and rolled in turn and their certificate and its
// authority are rotated, and counts what failed.
//
// Every webhook gets a request each 20 ms, as a dry run, so that nothing has an effect.
// A request that failed is one of three. Either it met a replica that was dead or frozen
// and still had connections of the API server, or was still ready for the balancer: a
// Service has such failures, too, until it has noticed. Or the API server itself gave no
// answer, and the figures are worthless. Or it reached a ready replica, or none though
// some were ready, and then it should not have failed. All three are counted; with one
// failure of the last two, the command ends with 1.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/banyan-hns/banyan/bench/rig"
)

func main() { rig.Main("availability", run) }

// options are what can be set from outside.
type options struct {
	duration time.Duration
	every    time.Duration
	down     time.Duration
	calm     time.Duration
	issued   bool
	certLife time.Duration
	rotate   time.Duration
	replicas int
	flags    []string
	dir      string
	binary   string
	output   string
}

func parse(args []string) (options, error) {
	o := options{}
	f := flag.NewFlagSet("availability", flag.ContinueOnError)
	f.DurationVar(&o.duration, "duration", 10*time.Minute, "how long replicas are disturbed, in turn")
	f.DurationVar(&o.every, "every", 20*time.Millisecond, "time between two requests to the same webhook")
	f.DurationVar(&o.down, "down", 12*time.Second, "how long a replica is dead, stopped or frozen; its lease ends after 10 s")
	f.DurationVar(&o.calm, "calm", 3*time.Second, "time between two disturbances, when all replicas are well again")
	f.BoolVar(&o.issued, "issued", true, "the replicas issue their certificate by themselves; if not, this command gives them one in a file")
	f.DurationVar(&o.certLife, "cert-life", time.Minute, "life of a certificate that replicas issue; that of its authority is three times as long")
	f.DurationVar(&o.rotate, "rotate", 20*time.Second, "time after which a certificate in a file is replaced; 0: never")
	f.IntVar(&o.replicas, "replicas", 3, "number of replicas")
	f.Func("replica-flag", "a flag that each replica is given besides its own; may be repeated", func(value string) error {
		o.flags = append(o.flags, value)
		return nil
	})
	f.StringVar(&o.dir, "dir", ".run/availability", "directory for state and logs; what an earlier run left there is removed")
	f.StringVar(&o.binary, "binary", "", "banyan to measure; empty: build it")
	f.StringVar(&o.output, "o", "", "write the result to this file, as Markdown")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	return o, o.validate()
}

func (o options) validate() error {
	var faults []error
	if o.replicas < 2 {
		faults = append(faults, fmt.Errorf("replicas: is %d; set it to two or more, since one is always disturbed", o.replicas))
	}
	for name, value := range map[string]time.Duration{"duration": o.duration, "every": o.every, "down": o.down, "cert-life": o.certLife} {
		if value <= 0 {
			faults = append(faults, fmt.Errorf("%s: is %v; set it to more than nothing", name, value))
		}
	}
	return errors.Join(faults...)
}

// command is how to repeat the measurement.
func (o options) command() string {
	command := fmt.Sprintf("go run ./bench/availability -duration %v -every %v -down %v -calm %v -replicas %d -issued=%v",
		o.duration, o.every, o.down, o.calm, o.replicas, o.issued)
	if o.issued {
		command += fmt.Sprintf(" -cert-life %v", o.certLife)
	} else {
		command += fmt.Sprintf(" -rotate %v", o.rotate)
	}
	for _, flag := range o.flags {
		command += " -replica-flag " + flag
	}
	return command
}

// replicaFlags are those that replicas are given besides their own.
func (o options) replicaFlags() []string {
	if !o.issued {
		return o.flags
	}
	return append([]string{
		fmt.Sprintf("--webhook-cert-life=%v", o.certLife), fmt.Sprintf("--webhook-authority-life=%v", o.authorityLife()),
	}, o.flags...)
}

// authorityLife leaves time for a few certificates.
func (o options) authorityLife() time.Duration { return 3 * o.certLife }

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	r, err := bench(ctx, o, turns)
	if err != nil {
		return err
	}
	if err := rig.Publish(r.text(), r.markdown(), o.output); err != nil {
		return err
	}
	return r.judge()
}

// bench measures, and cleans up after it.
func bench(ctx context.Context, o options, turns []turn) (r result, err error) {
	ground, err := rig.Prepare(ctx, o.dir, o.binary, os.Stderr)
	if err != nil {
		return r, err
	}
	cluster, err := rig.Start(ctx, rig.Options{
		Dir: ground.Dir, Binary: ground.Binary, Replicas: o.replicas, Flags: o.replicaFlags(), OwnCertificates: o.issued, NoAudit: true, Out: os.Stderr,
	})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	facts, err := cluster.Complete(ground.Facts)
	if err != nil {
		return r, err
	}
	m := &measurement{Rig: cluster, options: o, turns: turns}
	r, err = m.measure(ctx)
	r.facts, r.command, r.every = facts, o.command(), o.every
	if o.issued {
		r.certLife, r.authorityLife = o.certLife, o.authorityLife()
	}
	return r, err
}
