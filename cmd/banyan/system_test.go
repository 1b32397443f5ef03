// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// TestThreeReplicas follows one small forest through its life, on three real
// replicas, and asks the API server's own log at the end.
func TestThreeReplicas(t *testing.T) {
	s := startSystem(t, "-race")

	// A tree grows by anchors, and what its root has, arrives everywhere.
	s.create(namespace("acme"), role("acme", "reader"), roleBinding("acme", "readers", "reader"))
	s.eventually("acme becomes managed", func() error {
		ns := &corev1.Namespace{}
		if err := s.exists(ns, "", "acme")(); err != nil {
			return err
		}
		if ns.Labels["acme"+api.LabelTreeDepthSuffix] != "0" {
			return fmt.Errorf("labels are %v", ns.Labels)
		}
		return nil
	})
	s.create(anchor("acme", "team-a"), anchor("acme", "team-b"))
	s.eventually("team-a exists", s.exists(&corev1.Namespace{}, "", "team-a"))
	s.create(anchor("team-a", "svc-1"))
	for _, ns := range []string{"team-a", "team-b", "svc-1"} {
		copied := &rbacv1.RoleBinding{}
		s.eventually("the Role arrives in "+ns, s.exists(&rbacv1.Role{}, ns, "reader"))
		s.eventually("the RoleBinding arrives in "+ns, s.exists(copied, ns, "readers"))
		require.Equal(t, "acme", copied.Labels[api.LabelInheritedFrom])
	}
	svc := &corev1.Namespace{}
	require.NoError(t, s.exists(svc, "", "svc-1")())
	require.Equal(t, "2", svc.Labels["acme"+api.LabelTreeDepthSuffix])
	s.eventually("the anchor says so", func() error {
		a := &api.SubnamespaceAnchor{}
		if err := s.exists(a, "team-a", "svc-1")(); err != nil {
			return err
		}
		if a.Status.State != api.Ok {
			return fmt.Errorf("its state is %q", a.Status.State)
		}
		return nil
	})

	// Sources change and go, and the copies with them; a copy that was deleted
	// comes back.
	changed := &rbacv1.Role{}
	require.NoError(t, s.exists(changed, "acme", "reader")())
	changed.Rules[0].Verbs = []string{"get", "list"}
	require.NoError(t, s.Update(s.ctx, changed))
	s.eventually("the change arrives", func() error {
		got := &rbacv1.Role{}
		if err := s.exists(got, "svc-1", "reader")(); err != nil {
			return err
		}
		if len(got.Rules[0].Verbs) != 2 {
			return fmt.Errorf("verbs are %v", got.Rules[0].Verbs)
		}
		return nil
	})
	require.NoError(t, s.Delete(s.ctx, role("svc-1", "reader")))
	s.eventually("the copy comes back", s.exists(&rbacv1.Role{}, "svc-1", "reader"))
	require.NoError(t, s.Delete(s.ctx, roleBinding("acme", "readers", "reader")))
	s.eventually("the copy goes with its source", s.gone(&rbacv1.RoleBinding{}, "svc-1", "readers"))

	// A leaf can go; what is not one is protected.
	require.ErrorContains(t, s.Delete(s.ctx, anchor("acme", "team-a")), "allowCascadingDeletion")
	require.NoError(t, s.Delete(s.ctx, anchor("team-a", "svc-1")))
	s.eventually("the subnamespace goes with its anchor", s.gone(&corev1.Namespace{}, "", "svc-1"))
	s.eventually("the anchor goes", s.gone(&api.SubnamespaceAnchor{}, "team-a", "svc-1"))

	report := s.audited()
	require.Empty(t, report.Violations, report.String())
	t.Log(report.String())
}
