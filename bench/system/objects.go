// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package system

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Namespace returns a full namespace.
func Namespace(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// Anchor returns the anchor of a subnamespace.
func Anchor(parent, name string) *api.SubnamespaceAnchor {
	return &api.SubnamespaceAnchor{ObjectMeta: metav1.ObjectMeta{Namespace: parent, Name: name}}
}

// Configuration returns an empty HierarchyConfiguration.
func Configuration(namespace string) *api.HierarchyConfiguration {
	return &api.HierarchyConfiguration{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: api.HierarchyConfigurationName}}
}

// Role returns a Role that lets one get pods.
func Role(namespace, name string) *rbacv1.Role {
	return &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}},
	}
}

// RoleBinding returns one that gives a Role to somebody.
func RoleBinding(namespace, name, role string) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Subjects:   []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: "somebody"}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role},
	}
}
