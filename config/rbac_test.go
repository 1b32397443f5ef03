// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
)

// TestNoRoleHoldsAWildcard holds for what we ship to users as well as for what
// Banyan itself may do.
func TestNoRoleHoldsAWildcard(t *testing.T) {
	roles := 0
	for _, object := range objects(t, "rbac") {
		if object.GetKind() != "ClusterRole" && object.GetKind() != "Role" {
			continue
		}
		roles++
		role := find[rbacv1.ClusterRole](t, object.GetKind(), object.GetName())
		for _, rule := range role.Rules {
			for _, list := range [][]string{rule.APIGroups, rule.Resources, rule.Verbs} {
				require.NotContains(t, list, "*", id(object))
			}
			require.Empty(t, rule.NonResourceURLs, id(object))
		}
	}
	require.Equal(t, 6, roles)
}

func TestSecretsAreOutOfReach(t *testing.T) {
	for _, rule := range find[rbacv1.ClusterRole](t, "ClusterRole", "banyan-base").Rules {
		require.NotContains(t, rule.Resources, "secrets")
	}
	verbs := map[string][]string{}
	for _, rule := range find[rbacv1.Role](t, "Role", "banyan").Rules {
		if !slices.Contains(rule.Resources, "secrets") {
			continue
		}
		require.Equal(t, []string{"secrets"}, rule.Resources)
		verbs[strings.Join(rule.ResourceNames, ",")] = rule.Verbs
	}
	require.Equal(t, map[string][]string{
		"hnc-webhook-server-cert": {"get", "list", "watch", "update"},
		"":                        {"create"}, // of a name that RBAC cannot know
	}, verbs)
}

// TestAgreement pins what replicas may do to agree on who owns what.
func TestAgreement(t *testing.T) {
	rules := map[string]rbacv1.PolicyRule{}
	for _, rule := range find[rbacv1.Role](t, "Role", "banyan").Rules {
		rules[strings.Join(rule.Resources, ",")] = rule
	}
	require.Equal(t, []string{"get", "list", "watch", "create", "update", "delete"}, rules["leases"].Verbs)
	require.Equal(t, []string{"banyan"}, rules["statefulsets"].ResourceNames)
	require.Equal(t, []string{"get", "list", "watch"}, rules["statefulsets"].Verbs)
	for _, rule := range find[rbacv1.ClusterRole](t, "ClusterRole", "banyan-base").Rules {
		require.NotContains(t, rule.Resources, "leases", "in other namespaces")
		require.NotContains(t, rule.Resources, "statefulsets", "in other namespaces")
	}
}

// TestClusterRoleIsAggregated makes sure that applying the manifests again does
// not claim the rules, which the control plane fills in.
func TestClusterRoleIsAggregated(t *testing.T) {
	for _, object := range objects(t, "rbac") {
		if object.GetKind() == "ClusterRole" && object.GetName() == "banyan" {
			require.NotContains(t, object.Object, "rules")
		}
	}
	selectors := find[rbacv1.ClusterRole](t, "ClusterRole", "banyan").AggregationRule.ClusterRoleSelectors
	require.Len(t, selectors, 1)
	base := find[rbacv1.ClusterRole](t, "ClusterRole", "banyan-base")
	for key, value := range selectors[0].MatchLabels {
		require.Equal(t, value, base.Labels[key])
	}
}

// TestEscalation pins the only rights that reach beyond Banyan's own.
func TestEscalation(t *testing.T) {
	got := map[string][]string{}
	for _, rule := range find[rbacv1.ClusterRole](t, "ClusterRole", "banyan-base").Rules {
		for _, verb := range []string{"bind", "escalate", "impersonate"} {
			if slices.Contains(rule.Verbs, verb) {
				got[verb] = append(got[verb], rule.Resources...)
			}
		}
	}
	require.Equal(t, map[string][]string{"bind": {"roles", "clusterroles"}, "escalate": {"roles"}}, got)
}

// TestConfigMaps pins those that replicas may change: each by its name, and none of
// anybody else's. A name cannot be given where an object is yet to be created.
func TestConfigMaps(t *testing.T) {
	for _, rule := range find[rbacv1.ClusterRole](t, "ClusterRole", "banyan-base").Rules {
		require.NotContains(t, rule.Resources, "configmaps")
	}
	got := map[string][]string{}
	for _, rule := range find[rbacv1.Role](t, "Role", "banyan").Rules {
		if slices.Contains(rule.Resources, "configmaps") {
			require.Equal(t, []string{"configmaps"}, rule.Resources)
			require.LessOrEqual(t, len(rule.ResourceNames), 1)
			got[strings.Join(rule.ResourceNames, "")] = rule.Verbs
		}
	}
	require.Equal(t, map[string][]string{
		"": {"create"}, "banyan-ring": {"get", "list", "watch"}, "banyan-moves": {"get", "update"}, "banyan-admission": {"get", "patch"},
	}, got)
}

// TestWebhookConfigurations pins those that Banyan may change, and the only one that it
// may delete: the one that it registers by itself.
func TestWebhookConfigurations(t *testing.T) {
	got := map[string][]string{}
	for _, rule := range find[rbacv1.ClusterRole](t, "ClusterRole", "banyan-base").Rules {
		if !slices.Contains(rule.APIGroups, "admissionregistration.k8s.io") {
			continue
		}
		require.Len(t, rule.Resources, 1)
		for _, verb := range rule.Verbs {
			of := verb + " " + rule.Resources[0]
			got[of] = append(got[of], rule.ResourceNames...)
		}
	}
	const validating, mutating = "validatingwebhookconfigurations", "mutatingwebhookconfigurations"
	const ours, objects = "hnc-validating-webhook-configuration", "banyan-objects-webhook-configuration"
	require.Equal(t, map[string][]string{
		"create " + validating: nil, // of a name that RBAC cannot know
		"get " + validating:    {objects, ours}, "patch " + validating: {objects, ours}, "delete " + validating: {objects},
		"get " + mutating: {"hnc-mutating-webhook-configuration"}, "patch " + mutating: {"hnc-mutating-webhook-configuration"},
	}, got)
}
