// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package rig

import (
	"fmt"
	"maps"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Sources are what a root may have: an even number of objects, Roles first, then a
// RoleBinding to each.
func Sources(namespace string, number int, labels map[string]string) []client.Object {
	var roles, bindings []client.Object
	for i := range number / 2 {
		meta := func() metav1.ObjectMeta {
			return metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("team-%02d", i), Labels: maps.Clone(labels)}
		}
		roles = append(roles, &rbacv1.Role{ObjectMeta: meta(), Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"pods", "services"}, Verbs: []string{"get", "list", "watch"}},
			{APIGroups: []string{"apps"}, Resources: []string{"deployments"}, Verbs: []string{"get", "update"}},
		}})
		bindings = append(bindings, &rbacv1.RoleBinding{
			ObjectMeta: meta(),
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: meta().Name}},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta().Name},
		})
	}
	return append(roles, bindings...)
}
