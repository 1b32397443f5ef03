// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

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

	// A binding cannot be pointed at another role, so its copy is made anew. The
	// replicas are stopped meanwhile, and see only what came of it.
	s.create(roleBinding("acme", "turning", "reader"))
	s.eventually("the binding arrives", s.exists(&rbacv1.RoleBinding{}, "svc-1", "turning"))
	for _, name := range names {
		require.NoError(t, s.set.Signal(name, syscall.SIGSTOP))
	}
	require.NoError(t, s.Delete(s.ctx, roleBinding("acme", "turning", "reader")))
	s.create(roleBinding("acme", "turning", "writer"))
	for _, name := range names {
		require.NoError(t, s.set.Signal(name, syscall.SIGCONT))
	}
	s.eventually("the copy follows", func() error {
		got := &rbacv1.RoleBinding{}
		if err := s.exists(got, "svc-1", "turning")(); err != nil {
			return err
		}
		if got.RoleRef.Name != "writer" {
			return fmt.Errorf("it grants %q", got.RoleRef.Name)
		}
		return nil
	})

	// What a user had where a policy of an ancestor belongs is replaced, but not
	// without a trace.
	s.create(role("svc-1", "late"), role("acme", "late"))
	s.eventually("the ancestor's Role replaces it", func() error {
		got := &rbacv1.Role{}
		if err := s.exists(got, "svc-1", "late")(); err != nil {
			return err
		}
		if got.Labels[api.LabelInheritedFrom] != "acme" {
			return fmt.Errorf("its labels are %v", got.Labels)
		}
		return nil
	})
	for _, ns := range []string{"acme", "svc-1"} {
		s.eventually("an event tells of it in "+ns, func() error {
			events := &eventsv1.EventList{}
			if err := s.List(s.ctx, events, client.InNamespace(ns)); err != nil {
				return err
			}
			for _, event := range events.Items {
				if event.Reason == "ObjectReplaced" && event.Regarding.Name == "late" && event.ReportingController == api.Group {
					return nil
				}
			}
			return fmt.Errorf("of %d events, none does", len(events.Items))
		})
	}

	// A full namespace moves from tree to tree, and what it inherits follows.
	s.create(namespace("globex"), role("globex", "auditor"), namespace("solo"))
	s.moved("solo", "acme", "reader", "auditor")
	s.moved("solo", "globex", "auditor", "reader")
	s.moved("solo", "", "", "auditor", "reader")

	// A leaf can go; what is not one is protected.
	require.ErrorContains(t, s.Delete(s.ctx, anchor("acme", "team-a")), "allowCascadingDeletion")
	require.NoError(t, s.Delete(s.ctx, anchor("team-a", "svc-1")))
	s.eventually("the subnamespace goes with its anchor", s.gone(&corev1.Namespace{}, "", "svc-1"))
	s.eventually("the anchor goes", s.gone(&api.SubnamespaceAnchor{}, "team-a", "svc-1"))

	report := s.audited()
	require.Empty(t, report.Violations, report.String())
	t.Log(report.String())
}

// moved gives a namespace another parent, and waits until it has one Role and none
// of the others.
func (s *system) moved(child, parent, wants string, lacks ...string) {
	s.Helper()
	s.eventually(child+" is set below "+parent, func() error {
		hc := &api.HierarchyConfiguration{ObjectMeta: metav1.ObjectMeta{Namespace: child, Name: api.HierarchyConfigurationName}}
		err := s.Get(s.ctx, client.ObjectKeyFromObject(hc), hc)
		hc.Spec.Parent = parent
		if apierrors.IsNotFound(err) {
			return s.Create(s.ctx, hc)
		}
		if err != nil {
			return err
		}
		return s.Update(s.ctx, hc)
	})
	if wants != "" {
		s.eventually(wants+" arrives", s.exists(&rbacv1.Role{}, child, wants))
	}
	for _, lack := range lacks {
		s.eventually(lack+" goes", s.gone(&rbacv1.Role{}, child, lack))
	}
}
