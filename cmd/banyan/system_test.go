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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/system"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// TestThreeReplicas follows one small forest through its life, on three real
// replicas, and asks the API server's own log at the end.
func TestThreeReplicas(t *testing.T) {
	s := start(t, "-race")

	// A tree grows by anchors, and what its root has, arrives everywhere.
	s.Create(system.Namespace("acme"), system.Role("acme", "reader"), system.RoleBinding("acme", "readers", "reader"))
	s.Eventually("acme becomes managed", func() error {
		ns := &corev1.Namespace{}
		if err := s.Exists(ns, "", "acme")(); err != nil {
			return err
		}
		if ns.Labels["acme"+api.LabelTreeDepthSuffix] != "0" {
			return fmt.Errorf("labels are %v", ns.Labels)
		}
		return nil
	})
	s.Create(system.Anchor("acme", "team-a"), system.Anchor("acme", "team-b"))
	s.Eventually("team-a exists", s.Exists(&corev1.Namespace{}, "", "team-a"))
	s.Create(system.Anchor("team-a", "svc-1"))
	for _, ns := range []string{"team-a", "team-b", "svc-1"} {
		copied := &rbacv1.RoleBinding{}
		s.Eventually("the Role arrives in "+ns, s.Exists(&rbacv1.Role{}, ns, "reader"))
		s.Eventually("the RoleBinding arrives in "+ns, s.Exists(copied, ns, "readers"))
		require.Equal(t, "acme", copied.Labels[api.LabelInheritedFrom])
	}
	svc := &corev1.Namespace{}
	require.NoError(t, s.Exists(svc, "", "svc-1")())
	require.Equal(t, "2", svc.Labels["acme"+api.LabelTreeDepthSuffix])
	s.Eventually("the anchor says so", func() error {
		a := &api.SubnamespaceAnchor{}
		if err := s.Exists(a, "team-a", "svc-1")(); err != nil {
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
	require.NoError(t, s.Exists(changed, "acme", "reader")())
	changed.Rules[0].Verbs = []string{"get", "list"}
	require.NoError(t, s.Update(s.Context(), changed))
	s.Eventually("the change arrives", func() error {
		got := &rbacv1.Role{}
		if err := s.Exists(got, "svc-1", "reader")(); err != nil {
			return err
		}
		if len(got.Rules[0].Verbs) != 2 {
			return fmt.Errorf("verbs are %v", got.Rules[0].Verbs)
		}
		return nil
	})
	require.True(t, apierrors.IsForbidden(s.Delete(s.Context(), system.Role("svc-1", "reader"))))
	require.NoError(t, s.Unasked().Delete(s.Context(), system.Role("svc-1", "reader")))
	s.Eventually("the copy comes back", s.Exists(&rbacv1.Role{}, "svc-1", "reader"))
	require.NoError(t, s.Delete(s.Context(), system.RoleBinding("acme", "readers", "reader")))
	s.Eventually("the copy goes with its source", s.Gone(&rbacv1.RoleBinding{}, "svc-1", "readers"))

	// A binding cannot be pointed at another role, so its copy is made anew. The
	// replicas are stopped meanwhile, and see only what came of it.
	s.Create(system.RoleBinding("acme", "turning", "reader"))
	s.Eventually("the binding arrives", s.Exists(&rbacv1.RoleBinding{}, "svc-1", "turning"))
	for _, name := range system.Names {
		require.NoError(t, s.Set.Signal(name, syscall.SIGSTOP))
	}
	require.NoError(t, s.Delete(s.Context(), system.RoleBinding("acme", "turning", "reader")))
	s.Unasked().Create(system.RoleBinding("acme", "turning", "writer")) // nobody could answer
	for _, name := range system.Names {
		require.NoError(t, s.Set.Signal(name, syscall.SIGCONT))
	}
	s.Eventually("the copy follows", func() error {
		got := &rbacv1.RoleBinding{}
		if err := s.Exists(got, "svc-1", "turning")(); err != nil {
			return err
		}
		if got.RoleRef.Name != "writer" {
			return fmt.Errorf("it grants %q", got.RoleRef.Name)
		}
		return nil
	})

	// What a user had where a policy of an ancestor belongs is refused to be
	// replaced, or replaced if admission was not asked, but not without a trace.
	s.Create(system.Role("svc-1", "late"))
	s.Eventually("every replica knows of it", func() error {
		err := s.Client.Create(s.Context(), system.Role("acme", "late"), client.DryRunAll)
		if !apierrors.IsConflict(err) {
			return fmt.Errorf("want a conflict, got %w", err)
		}
		return nil
	})
	s.Unasked().Create(system.Role("acme", "late"))
	s.Eventually("the ancestor's Role replaces it", func() error {
		got := &rbacv1.Role{}
		if err := s.Exists(got, "svc-1", "late")(); err != nil {
			return err
		}
		if got.Labels[api.LabelInheritedFrom] != "acme" {
			return fmt.Errorf("its labels are %v", got.Labels)
		}
		return nil
	})
	for _, ns := range []string{"acme", "svc-1"} {
		s.Eventually("an event tells of it in "+ns, func() error {
			events := &eventsv1.EventList{}
			if err := s.List(s.Context(), events, client.InNamespace(ns)); err != nil {
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
	s.Create(system.Namespace("globex"), system.Role("globex", "auditor"), system.Namespace("solo"))
	s.moved("solo", "acme", "reader", "auditor")
	s.moved("solo", "globex", "auditor", "reader")
	s.moved("solo", "", "", "auditor", "reader")

	// A leaf can go; what is not one is protected.
	require.ErrorContains(t, s.Delete(s.Context(), system.Anchor("acme", "team-a")), "allowCascadingDeletion")
	require.NoError(t, s.Delete(s.Context(), system.Anchor("team-a", "svc-1")))
	s.Eventually("the subnamespace goes with its anchor", s.Gone(&corev1.Namespace{}, "", "svc-1"))
	s.Eventually("the anchor goes", s.Gone(&api.SubnamespaceAnchor{}, "team-a", "svc-1"))

	s.metricsAreAsDocumented()

	report := s.Audited()
	require.Empty(t, report.Violations, report.String())
	t.Log(report.String())
}

// moved gives a namespace another parent, and waits until it has one Role and none
// of the others.
func (s *fixture) moved(child, parent, wants string, lacks ...string) {
	s.Helper()
	hc := system.Configuration(child)
	s.Edit(hc, true, func() { hc.Spec.Parent = parent })
	if wants != "" {
		s.Eventually(wants+" arrives", s.Exists(&rbacv1.Role{}, child, wants))
	}
	for _, lack := range lacks {
		s.Eventually(lack+" goes", s.Gone(&rbacv1.Role{}, child, lack))
	}
}
