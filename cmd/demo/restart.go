// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// comeBack: the killed replica is started again, and is given its shards.
func (s *stage) comeBack(ctx context.Context) error {
	began := time.Now()
	if err := s.Set.StartReplica(ctx, names[1]); err != nil {
		return err
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	s.Say("%s is back and has its shards, %.1fs after its start", names[1], time.Since(began).Seconds())
	return nil
}

// restartSilently ends all replicas and starts them again: since nothing changed,
// they have nothing to write but Leases.
func (s *stage) restartSilently(ctx context.Context) error {
	if err := s.counted(ctx); err != nil {
		return err
	}
	s.Say("restarting all three replicas, with nothing changed")
	s.restarted = time.Now()
	for _, name := range names {
		if err := s.Set.Terminate(name); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := s.Set.StartReplica(ctx, name); err != nil {
			return err
		}
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	s.silent = time.Now()
	s.Say("all shards have their owners again, and every namespace was read again")
	return nil
}

// counted waits until the HNCConfiguration has counted every copy. Its counters
// are a few seconds late.
func (s *stage) counted(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		configuration, roles := &api.HNCConfiguration{}, &rbacv1.RoleList{}
		if err := s.Client.Get(ctx, client.ObjectKey{Name: api.HNCConfigurationName}, configuration); err != nil {
			return false, nil
		}
		if err := s.Client.List(ctx, roles, client.HasLabels{api.LabelInheritedFrom}); err != nil {
			return false, nil
		}
		for _, resource := range configuration.Status.Resources {
			if ptr.Deref(resource.NumPropagatedObjects, -1) != len(roles.Items) {
				return false, nil // there are as many RoleBindings as Roles
			}
		}
		return len(configuration.Status.Resources) > 0, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the HNCConfiguration to count: %w", err)
	}
	return nil
}
