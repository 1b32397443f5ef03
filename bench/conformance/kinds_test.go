// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
)

// kind of objects that are copied.
type kind struct {
	schema.GroupVersionKind
	resource string
	// field is the top-level one that says what the object is about.
	field   string
	content any
}

var (
	roles = kind{
		schema.GroupVersionKind{Group: rbacv1.GroupName, Version: "v1", Kind: "Role"}, "roles", "rules",
		[]any{map[string]any{"apiGroups": []any{""}, "resources": []any{"pods"}, "verbs": []any{"get"}}},
	}
	roleBindings = kind{
		schema.GroupVersionKind{Group: rbacv1.GroupName, Version: "v1", Kind: "RoleBinding"}, "rolebindings", "roleRef",
		map[string]any{"apiGroup": rbacv1.GroupName, "kind": "ClusterRole", "name": "view"},
	}
	configMaps      = kind{schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, "configmaps", "data", map[string]any{"a": "1"}}
	secrets         = kind{schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, "secrets", "data", map[string]any{"a": "MQ=="}}
	networkPolicies = kind{
		schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "NetworkPolicy"}, "networkpolicies", "spec",
		map[string]any{"podSelector": map[string]any{}, "policyTypes": []any{"Ingress"}},
	}
)

// things is a type that belongs to this scenario. The cluster has one
// HNCConfiguration, so scenarios about modes would be in each other's way.
func (s *scene) things() kind {
	suffix := strings.ReplaceAll(s.number, ".", "-")
	return kind{
		schema.GroupVersionKind{Group: conformanceGroup, Version: "v1", Kind: "Thing" + strings.ReplaceAll(suffix, "-", "x")},
		"things-" + suffix, "spec", map[string]any{"foo": "bar"},
	}
}

// define the type, and wait until it is served.
func (s *scene) define(k kind) {
	s.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: k.resource + "." + k.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: k.Group,
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Plural: k.resource, Singular: strings.ToLower(k.Kind), Kind: k.Kind, ListKind: k.Kind + "List",
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: k.Version, Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", XPreserveUnknownFields: ptr.To(true),
				}},
			}},
		},
	}
	s.Create(crd)
	s.Eventually(k.resource+" is served", func() error {
		return s.List(s.Context(), k.list())
	})
}

// moreRights lets Banyan propagate the types of all scenarios.
func moreRights() *rbacv1.ClusterRole {
	verbs := []string{"get", "list", "watch", "create", "update", "patch", "delete"}
	return &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "banyan-conformance", Labels: map[string]string{aggregateToBanyan: "true"}},
		Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"secrets", "configmaps", "serviceaccounts"}, Verbs: verbs},
			{APIGroups: []string{""}, Resources: []string{"limitranges"}, Verbs: verbs[:3]},
			{APIGroups: []string{"networking.k8s.io"}, Resources: []string{"networkpolicies"}, Verbs: verbs},
			{APIGroups: []string{conformanceGroup}, Resources: []string{"*"}, Verbs: verbs},
		},
	}
}
