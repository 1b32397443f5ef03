// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/audit"
)

const (
	// probed is how many trees of two are there for probes, enough for each replica
	// to own some of them.
	probed = 20
	// probes are made at this rate, until so many are.
	probeEvery = 40 * time.Millisecond
	probeCount = 100
	// probeBound is how long the copies of the last one may take.
	probeBound = 10 * time.Second

	probePrefix = "probe-"
)

func probedName(i int) string { return fmt.Sprintf("probed-%d", i) }

// probe makes objects in trees that are left alone otherwise, and waits for their
// copies. The audit log says how long each of them took.
func (s *stage) probe(ctx context.Context, name string) error {
	from := time.Now()
	for i := range probeCount {
		role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: probedName(i % probed), Name: fmt.Sprintf("%s%d", probePrefix, i)}}
		if err := s.Client.Create(ctx, role); err != nil {
			return fmt.Errorf("probing: %w", err)
		}
		if err := pause(ctx, probeEvery); err != nil {
			return err
		}
	}
	s.told.add(func(m *audit.Marks) {
		m.Probes = append(m.Probes, audit.Probe{Name: name, Span: audit.Span{From: from, To: time.Now()}, Prefix: probePrefix, Copies: 1})
	})
	// Copies that never come are found by the checker.
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, probeBound, true, func(ctx context.Context) (bool, error) {
		arrived := 0
		for i := range probed {
			list := &rbacv1.RoleList{}
			if err := s.Client.List(ctx, list, client.InNamespace(probedName(i)+"-child")); err != nil {
				return false, err
			}
			arrived += len(list.Items)
		}
		return arrived >= probeCount, nil
	})
	if err != nil && !wait.Interrupted(err) {
		return fmt.Errorf("waiting for the copies of probes: %w", err)
	}
	return context.Cause(ctx)
}
