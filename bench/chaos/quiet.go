// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/replicas"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/webhook"
)

// quiet waits until nothing is left to be written, also of what replicas put off: the
// end of the record of moves, and the numbers of copies.
func (s *stage) quiet(ctx context.Context) error {
	if err := s.eventually(ctx, "the record of moves is empty", s.tidied); err != nil {
		return err
	}
	if err := s.eventually(ctx, "the copies are counted", s.counted); err != nil {
		return err
	}
	_, err := s.Quiet(ctx)
	return err
}

func (s *stage) eventually(ctx context.Context, what string, holds wait.ConditionWithContextFunc) error {
	if err := wait.PollUntilContextTimeout(ctx, 500*time.Millisecond, restBound, true, holds); err != nil {
		return fmt.Errorf("waiting until %s: %w", what, err)
	}
	return nil
}

// tidied: no change of a parent is remembered any more. One of which nobody knows
// whether it was written is forgotten after 75 s, and all are looked at twice a minute.
func (s *stage) tidied(ctx context.Context) (bool, error) {
	kept := &corev1.ConfigMap{}
	if err := s.Client.Get(ctx, client.ObjectKey{Namespace: replicas.Namespace, Name: webhook.MovesConfigMap}, kept); err != nil {
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	}
	return kept.Data["moves"] == "[]", nil
}

// counted: the HNCConfiguration, which follows with a delay, tells how many copies
// there are.
func (s *stage) counted(ctx context.Context) (bool, error) {
	config := &api.HNCConfiguration{}
	if err := s.Client.Get(ctx, client.ObjectKey{Name: api.HNCConfigurationName}, config); err != nil {
		return false, err
	}
	roles, bindings := &rbacv1.RoleList{}, &rbacv1.RoleBindingList{}
	for _, list := range []client.ObjectList{roles, bindings} {
		if err := s.Client.List(ctx, list, client.HasLabels{api.LabelInheritedFrom}); err != nil {
			return false, err
		}
	}
	told := 0
	for _, r := range config.Status.Resources {
		told += ptr.Deref(r.NumPropagatedObjects, 0)
	}
	return told == len(roles.Items)+len(bindings.Items), nil
}
