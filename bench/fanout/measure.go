// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"os"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/audit"
	"github.com/banyan-hns/banyan/bench/replicas"
	"github.com/banyan-hns/banyan/bench/requests"
	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/shard"
)

// phaseBound is how long any phase may take.
const phaseBound = 10 * time.Minute

// measurement is under way.
type measurement struct {
	*rig.Rig
	plan
	phases []phase
}

// measure alternates between the plain client and Banyan.
func (m *measurement) measure(ctx context.Context) error {
	for round := 1; round <= m.rounds; round++ {
		for _, part := range []func(context.Context, int) error{m.bare, m.banyan} {
			if err := part(ctx, round); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
	}
	return nil
}

// take the time and the counts of one phase, between two moments of quiet.
func (m *measurement) take(ctx context.Context, p phase, aim rig.Aim, begin func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, phaseBound)
	defer cancel()
	before, err := m.Quiet(ctx)
	if err != nil {
		return err
	}
	own := m.Own.Counts()
	p.objects, p.from = aim.Number, time.Now()
	aim.Progress = func(arrived int) { m.Say("%s: %d of %d objects", p.title(), arrived, aim.Number) }
	if p.took, err = aim.Time(ctx, m.Client, begin); err != nil {
		return fmt.Errorf("%s: %w", p.title(), err)
	}
	m.Say("%s: %d objects in %.2f s", p.title(), aim.Number, p.took.Seconds())
	after, err := m.Quiet(ctx)
	if err != nil {
		return err
	}
	p.to, p.all, p.own = time.Now(), after.Minus(before), m.Own.Counts().Minus(own)
	m.phases = append(m.phases, p)
	return nil
}

// inherited aims at all objects that belong to a part of the bench and are not in
// one of the namespaces where they come from.
func (m *measurement) inherited(of string, number int, counts func(watch.EventType, client.Object) bool, sources ...string) rig.Aim {
	from := map[string]bool{}
	for _, namespace := range sources {
		from[namespace] = true
	}
	elsewhere := func(event watch.EventType, object client.Object) bool {
		return !from[object.GetNamespace()] && counts(event, object)
	}
	selector := labels.Set{labelOf: of}
	return rig.Aim{Number: number, Sights: []rig.Sight{
		{List: &rbacv1.RoleList{}, Selector: selector, Counts: elsewhere},
		{List: &rbacv1.RoleBindingList{}, Selector: selector, Counts: elsewhere},
	}}
}

func created(event watch.EventType, _ client.Object) bool { return event == watch.Added }

func deleted(event watch.EventType, _ client.Object) bool { return event == watch.Deleted }

func changed(_ watch.EventType, object client.Object) bool {
	return object.GetLabels()[labelEdition] == "2"
}

// audit adds what the API server's own log says: who wrote, and whether it might.
func (m *measurement) audit(r *result) error {
	m.Say("reading the audit log")
	scope, err := hierarchy.NewScope(hierarchy.ScopeOptions{
		IncludedNamespaceRegex: managed,
		ExcludedNamespaces:     []string{"kube-system", "kube-public", "kube-node-lease", replicas.Namespace},
	})
	if err != nil {
		return err
	}
	file, err := os.Open(m.Plane.AuditLog())
	if err != nil {
		return fmt.Errorf("opening the audit log: %w", err)
	}
	defer func() { _ = file.Close() }()
	log, err := audit.Read(file)
	if err != nil {
		return err
	}
	report := log.Check(audit.Config{
		ServiceAccount: replicas.User, Namespace: replicas.Namespace, Shards: shard.DefaultShards, Scope: scope,
	})
	r.violations = report.Violations
	for i, p := range r.phases {
		r.phases[i].banyan = byReplicas(report.Writes(p.from, p.to))
	}
	return nil
}

// byReplicas adds up what all replicas did. The audit log knows the verbs by other
// names, and what was refused is not among its writes.
func byReplicas(tallies []audit.Tally) requests.Counts {
	methods := map[string]string{"create": "POST", "update": "PUT", "patch": "PATCH", "delete": "DELETE", "deletecollection": "DELETECOLLECTION"}
	counts := requests.Counts{}
	for _, t := range tallies {
		counts[requests.Kind{Verb: methods[t.Verb], Resource: t.Resource}] += t.Count
	}
	return counts
}
