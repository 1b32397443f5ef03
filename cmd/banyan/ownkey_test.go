// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/replicas"
	"github.com/banyan-hns/banyan/bench/system"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/lease"
)

// TestOwnKey splits a tree between two replicas, and makes it one again. What its root
// has arrives below all the time, written by whoever is to write there.
func TestOwnKey(t *testing.T) {
	s := start(t)
	root := "root"
	part := s.apartFrom(root)
	s.Create(system.Namespace(root), system.Role(root, "before"))
	s.Create(system.Anchor(root, part))
	s.Eventually("the part exists", s.Exists(&corev1.Namespace{}, "", part))
	s.Create(system.Anchor(part, "leaf"))
	s.arrives("before", root, part, "leaf")

	s.ownKey(part, true)
	s.Create(system.Role(root, "split"))
	s.arrives("split", part, part, "leaf")
	s.Create(system.Anchor("leaf", "late"), system.Anchor(root, "other"))
	s.arrives("split", part, "late")
	s.arrives("split", root, "other")
	require.NoError(t, s.Delete(s.Context(), system.Role(root, "before")))
	for _, name := range []string{"late", "other"} {
		s.Eventually("what went from the root goes from "+name, s.Gone(&rbacv1.Role{}, name, "before"))
	}
	s.Eventually("both parents list their children", func() error {
		return errors.Join(s.hasChildren(root, "other", part), s.hasChildren(part, "leaf"))
	})

	s.ownKey(part, false)
	s.Create(system.Role(root, "whole"))
	s.arrives("whole", root, part, "leaf", "late")

	report := s.Audited()
	require.Empty(t, report.Violations, report.String())
}

// holder of the shard of a key, as its Lease says; nobody, if it has none now.
func (s *fixture) holder(key string) string {
	leases := &coordinationv1.LeaseList{}
	require.NoError(s, s.List(s.Context(), leases, client.InNamespace(replicas.Namespace)))
	for _, l := range leases.Items {
		if r, shards, err := lease.DecodeShard(&l); err == nil && r.ID == shard.Of(key, shards) && r.Holder != "" {
			return r.Holder.Member()
		}
	}
	return ""
}

// apartFrom chooses a name that is, as a key, another replica's.
func (s *fixture) apartFrom(key string) (name string) {
	s.Helper()
	s.Eventually("two replicas hold shards", func() error {
		for i := range 100 {
			name = fmt.Sprint("part-", i)
			if here, there := s.holder(key), s.holder(name); here != "" && there != "" && here != there {
				return nil
			}
		}
		return errors.New("all that is held, one replica holds")
	})
	return name
}

// ownKey gives a namespace a key of its own, or takes it, and waits until it is handed
// over.
func (s *fixture) ownKey(namespace string, wanted bool) {
	s.Helper()
	hc := system.Configuration(namespace)
	s.Edit(hc, false, func() {
		if hc.Annotations == nil {
			hc.Annotations = map[string]string{}
		}
		if delete(hc.Annotations, api.AnnotationOwnKey); wanted {
			hc.Annotations[api.AnnotationOwnKey] = api.OwnKey
		}
	})
	require.NotEmpty(s, hc.Annotations[api.AnnotationPreviousKey], "it is stamped in the same write")
	s.Eventually("the owner before acknowledges", func() error {
		if err := s.Get(s.Context(), client.ObjectKeyFromObject(hc), hc); err != nil {
			return err
		}
		if stamp := hc.Annotations[api.AnnotationPreviousKey]; stamp != "" {
			return fmt.Errorf("the stamp is %q", stamp)
		}
		return nil
	})
	require.Equal(s, wanted, hc.Annotations[api.AnnotationOwnKey] == api.OwnKey)
}

// arrives waits for copies of a Role, and finds in the audit log that the holder of a
// key has made them.
func (s *fixture) arrives(role, key string, namespaces ...string) {
	s.Helper()
	for _, namespace := range namespaces {
		s.Eventually(role+" arrives in "+namespace, s.Exists(&rbacv1.Role{}, namespace, role))
		s.Eventually("it is known who made it", func() error {
			by := ""
			s.EachEvent(func(e *auditv1.Event) {
				if r := e.ObjectRef; e.Verb == "create" && system.ByBanyan(e) && r.Resource == "roles" && r.Namespace == namespace && r.Name == role {
					by = e.User.Extra["authentication.kubernetes.io/pod-name"][0]
				}
			})
			if holder := s.holder(key); by != holder {
				return fmt.Errorf("%q did, and %q holds the shard of %q", by, holder, key)
			}
			return nil
		})
	}
}

func (s *fixture) hasChildren(namespace string, names ...string) error {
	hc := system.Configuration(namespace)
	if err := s.Get(s.Context(), client.ObjectKeyFromObject(hc), hc); err != nil {
		return err
	}
	if fmt.Sprint(hc.Status.Children) != fmt.Sprint(names) {
		return fmt.Errorf("%s has %v", namespace, hc.Status.Children)
	}
	return nil
}
