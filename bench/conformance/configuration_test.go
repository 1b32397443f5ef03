// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"fmt"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// enforced are the part of section 13.9 about Roles and RoleBindings.
var enforced = scenarios{
	"13.9.2": func(s *scene) { copiedByDefault(s, roles) },
	"13.9.3": func(s *scene) { copiedByDefault(s, roleBindings) },
	"13.9.4": func(s *scene) { cannotBeConfigured(s, roles, rbacv1.GroupName, "roles") },
	"13.9.5": func(s *scene) { cannotBeConfigured(s, roles, rbacv1.GroupName, "role") },
	"13.9.6": func(s *scene) { cannotBeConfigured(s, roles, "", "roles") },
	"13.9.7": func(s *scene) { cannotBeConfigured(s, roleBindings, rbacv1.GroupName, "rolebindings") },
	"13.9.8": func(s *scene) { cannotBeConfigured(s, roleBindings, rbacv1.GroupName, "rolebinding") },
	"13.9.9": func(s *scene) { cannotBeConfigured(s, roleBindings, "", "rolebindings") },
}

// configuration are the part of section 13.9 about entries that are wrong.
var configuration = scenarios{
	"13.9.10": wrongGroup,
	"13.9.11": twoEntries,
	"13.9.12": secondEntryRemoved,
	"13.9.20": typeDefinedLater,
	"13.9.21": clusterScopedType,
}

// defaultConfiguration plays before any other: no type is configured yet.
func defaultConfiguration(s *scene) {
	s.midway()
	s.reports("there is one, by default", func(config *api.HNCConfiguration) error {
		if err := differs([]api.ResourceSpec(nil), config.Spec.Resources); err != nil {
			return err
		}
		var got []api.ResourceStatus
		for _, r := range config.Status.Resources {
			got = append(got, api.ResourceStatus{Group: r.Group, Version: r.Version, Resource: r.Resource, Mode: r.Mode})
		}
		return differs([]api.ResourceStatus{
			{Group: rbacv1.GroupName, Version: "v1", Resource: "rolebindings", Mode: api.Propagate},
			{Group: rbacv1.GroupName, Version: "v1", Resource: "roles", Mode: api.Propagate},
		}, got)
	})
}

func copiedByDefault(s *scene, k kind) {
	s.tree("parent", "parent/child")
	s.midway()
	s.put(k, "parent", "object")
	s.arrives(k, "parent", "object", "child")
}

func cannotBeConfigured(s *scene, k kind, group, resource string) {
	entry := api.ResourceSpec{Group: group, Resource: resource, Mode: api.Ignore}
	words := []string{fmt.Sprintf("%q", resource), fmt.Sprintf("group %q", group)}
	s.tree("parent", "parent/child")
	s.add(entry)
	s.faulty(reasonMultipleConfigurationsForType, words...)
	s.active(k, api.Propagate)
	s.midway()
	s.put(k, "parent", "object")
	s.arrives(k, "parent", "object", "child")
	s.reports("the entry stays", func(config *api.HNCConfiguration) error {
		require.Contains(s, config.Spec.Resources, entry)
		return nil
	})
	s.drop(entry)
	s.sound(reasonMultipleConfigurationsForType, words...)
}

func wrongGroup(s *scene) {
	entry := api.ResourceSpec{Group: "wrong.example", Resource: "secrets", Mode: api.Ignore}
	s.add(entry)
	s.faulty(reasonResourceNotFound, `"secrets"`, `"wrong.example"`)
	s.midway()
	s.drop(entry)
	s.sound(reasonResourceNotFound, `"secrets"`, `"wrong.example"`)
}

func (k kind) ignoredEntries(won api.SynchronizationMode) string {
	return fmt.Sprintf("Multiple sync mode settings found for %q; all but one (%q) will be ignored", k.resource, won)
}

func twoEntries(s *scene) {
	k := s.things()
	s.define(k)
	s.tree("parent", "parent/child")
	s.add(k.entry(api.Propagate))
	s.midway()
	s.add(k.entry(api.Remove))
	s.faulty(reasonMultipleConfigurationsForType, k.ignoredEntries(api.Propagate))
	s.active(k, api.Propagate)
	s.put(k, "parent", "thing")
	s.arrives(k, "parent", "thing", "child")
}

func secondEntryRemoved(s *scene) {
	k := s.things()
	s.define(k)
	s.add(k.entry(api.Propagate))
	s.add(k.entry(api.Remove))
	s.faulty(reasonMultipleConfigurationsForType, k.ignoredEntries(api.Propagate))
	s.midway()
	s.drop(k.entry(api.Remove))
	s.sound(reasonMultipleConfigurationsForType, k.ignoredEntries(api.Propagate))
	s.active(k, api.Propagate)
}

func typeDefinedLater(s *scene) {
	k := s.things()
	s.tree("parent", "parent/child")
	s.setMode(k, api.Propagate)
	s.faulty(reasonResourceNotFound, k.resource)
	s.inactive(k)
	s.midway()
	s.define(k)
	s.sound(reasonResourceNotFound, k.resource)
	s.active(k, api.Propagate)
	s.put(k, "parent", "thing")
	s.arrives(k, "parent", "thing", "child")
}

func clusterScopedType(s *scene) {
	entry := api.ResourceSpec{Group: rbacv1.GroupName, Resource: "clusterroles", Mode: api.Propagate}
	s.tree("parent", "parent/child")
	s.midway()
	s.add(entry)
	s.faulty(reasonResourceNotNamespaced, `resource "clusterroles.rbac.authorization.k8s.io" is not namespaced`)
	s.put(roles, "parent", "role")
	s.arrives(roles, "parent", "role", "child")
	s.drop(entry)
	s.sound(reasonResourceNotNamespaced, "clusterroles")
}
