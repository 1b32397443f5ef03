// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/banyan-hns/banyan/bench/audit"
	"github.com/banyan-hns/banyan/bench/oracle"
	"github.com/banyan-hns/banyan/bench/replicas"
	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/shard"
)

// excluded is what the rig's replicas do not manage.
var excluded = []string{"kube-system", "kube-public", "kube-node-lease", replicas.Namespace}

const (
	// restBound is how long replicas may have work to do after the last change.
	restBound = 2 * time.Minute
	// idle is how long nothing but heartbeats may be written, and is how these are
	// counted.
	idle = 10 * time.Second
	// few replicas are what heartbeats are counted of, too.
	few = 3
)

// judge what came of it: the cluster at rest, a second pass by new processes, few
// replicas, and the audit log. What is found wrong is in the result; an error means
// that it could not be found out.
func (s *stage) judge(ctx context.Context, r *result) error {
	s.Say("coming to rest")
	if err := s.rest(ctx, r); err != nil {
		return err
	}
	if err := s.beIdle(ctx, r); err != nil {
		return err
	}
	if err := s.secondPass(ctx, r); err != nil {
		return err
	}
	if s.running > few {
		if err := s.shrink(ctx, r); err != nil {
			return err
		}
	}
	s.Say("asking the audit log")
	report, err := s.audited(s.options.required()...)
	r.report, r.scenarios = report, s.told.marks.Scenarios
	return err
}

// beIdle has nothing written but heartbeats.
func (s *stage) beIdle(ctx context.Context, r *result) error {
	from := time.Now()
	err := s.steady(ctx, fmt.Sprintf("%d replicas at rest", s.running), idle)
	r.idle = append(r.idle, audit.Span{From: from, To: time.Now()})
	return err
}

// shrink to few replicas. Users go on while what moved is read again, and are not to
// notice.
func (s *stage) shrink(ctx context.Context, r *result) error {
	s.Say("scaling to %d replicas", few)
	if err := s.scaleTo(ctx, few); err != nil {
		return err
	}
	if err := s.probe(ctx, "changes while shards are swept that moved to fewer replicas"); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, restBound)
	defer cancel()
	if err := s.Swept(ctx, s.Names[:few]...); err != nil {
		return err
	}
	if err := s.quiet(ctx); err != nil {
		return err
	}
	return s.beIdle(ctx, r)
}

// rest waits until the cluster is what the oracle says.
func (s *stage) rest(ctx context.Context, r *result) error {
	began := time.Now()
	if err := s.swept(ctx); err != nil {
		return err
	}
	err := wait.PollUntilContextTimeout(ctx, time.Second, restBound, true, func(ctx context.Context) (bool, error) {
		seen, err := oracle.See(ctx, s.Client)
		if err != nil {
			return false, err
		}
		facts := seen.Facts(oracle.Rules{Excluded: excluded})
		r.differences = oracle.Differ(seen.Statements(facts), facts.Says())
		r.rest = facts.Summary()
		return len(r.differences) == 0, nil
	})
	if err != nil && !wait.Interrupted(err) {
		return fmt.Errorf("asking the oracle: %w", err)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.Say("the oracle has %d objections after %v", len(r.differences), time.Since(began).Round(time.Second))
	return s.quiet(ctx)
}

// swept waits until all shards have their owners, and all namespaces were read again.
func (s *stage) swept(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, restBound)
	defer cancel()
	return s.Settle(ctx)
}

// secondPass starts all replicas anew: nothing has changed, so they write nothing
// but Leases.
func (s *stage) secondPass(ctx context.Context, r *result) error {
	s.Say("restarting all replicas, with nothing changed")
	r.restarted.From = time.Now()
	for _, name := range s.Names {
		if err := s.Set.Kill(name); err != nil {
			return err
		}
	}
	// The balancer asks now and then: before it knows that they are gone, it would call
	// the next ones ready that have not even begun.
	gone := func(context.Context) (bool, error) { return len(s.Set.Ready()) == 0, nil }
	if err := s.eventually(ctx, "nobody is ready", gone); err != nil {
		return err
	}
	for _, name := range s.Names {
		if err := s.Set.StartReplica(ctx, name); err != nil {
			return err
		}
	}
	if err := s.ready(ctx, s.Names...); err != nil {
		return err
	}
	s.told.add(func(m *audit.Marks) { m.Down = append(m.Down, audit.Span{From: r.restarted.From, To: time.Now()}) })
	if err := s.swept(ctx); err != nil {
		return err
	}
	_, err := s.Quiet(ctx)
	r.restarted.To = time.Now()
	return err
}

// audited is what the audit log and the record beside it show so far.
func (s *stage) audited(require ...string) (report audit.Report, err error) {
	file, err := os.Open(s.Plane.AuditLog())
	if err != nil {
		return report, fmt.Errorf("opening the audit log: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	log, err := audit.Read(file)
	if err != nil {
		return report, err
	}
	beside, err := os.Open(s.record.path)
	if err != nil {
		return report, fmt.Errorf("opening the record: %w", err)
	}
	defer func() { err = errors.Join(err, beside.Close()) }()
	if err := log.AddRecord(beside); err != nil {
		return report, err
	}
	marks := s.told.marks
	marks.Limits = limits()
	scope, err := hierarchy.NewScope(hierarchy.ScopeOptions{ExcludedNamespaces: excluded})
	if err != nil {
		return report, err
	}
	return log.Check(audit.Config{
		ServiceAccount: replicas.User, Namespace: replicas.Namespace, Shards: shard.DefaultShards, Scope: scope,
		Marks: marks, Require: require,
	}), nil
}
