// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// TestSelectorsFindThePods ties together what would fail in silence: a Service
// or a budget that selects nobody.
func TestSelectorsFindThePods(t *testing.T) {
	set := find[appsv1.StatefulSet](t, "StatefulSet", "banyan")
	pod := labels.Set(set.Spec.Template.Labels)
	budget := find[policyv1.PodDisruptionBudget](t, "PodDisruptionBudget", "banyan")
	selectors := map[string]*metav1.LabelSelector{
		"StatefulSet":         set.Spec.Selector,
		"PodDisruptionBudget": budget.Spec.Selector,
		"governing Service":   {MatchLabels: find[corev1.Service](t, "Service", set.Spec.ServiceName).Spec.Selector},
		"webhook Service":     {MatchLabels: find[corev1.Service](t, "Service", "hnc-webhook-service").Spec.Selector},
	}
	for _, constraint := range set.Spec.Template.Spec.TopologySpreadConstraints {
		selectors["spread over "+constraint.TopologyKey] = constraint.LabelSelector
	}
	for name, labelSelector := range selectors {
		selector, err := metav1.LabelSelectorAsSelector(labelSelector)
		require.NoError(t, err)
		require.False(t, selector.Empty(), name)
		require.True(t, selector.Matches(pod), name)
	}
}

// TestPodIsRestricted checks what the "restricted" policy of its namespace asks.
func TestPodIsRestricted(t *testing.T) {
	pod := find[appsv1.StatefulSet](t, "StatefulSet", "banyan").Spec.Template.Spec
	require.True(t, *pod.SecurityContext.RunAsNonRoot)
	require.Equal(t, corev1.SeccompProfileTypeRuntimeDefault, pod.SecurityContext.SeccompProfile.Type)
	require.Len(t, pod.Containers, 1)
	container := pod.Containers[0].SecurityContext
	require.False(t, *container.AllowPrivilegeEscalation)
	require.True(t, *container.ReadOnlyRootFilesystem)
	require.Equal(t, []corev1.Capability{"ALL"}, container.Capabilities.Drop)
	require.Empty(t, pod.Volumes, "certificates are read from the API, and nothing else is needed")
}

// TestExcludedNamespacesAgree compares the two places that name them: the
// arguments and the match conditions.
func TestExcludedNamespacesAgree(t *testing.T) {
	var excluded []string
	for _, arg := range find[appsv1.StatefulSet](t, "StatefulSet", "banyan").Spec.Template.Spec.Containers[0].Args {
		if name, ok := strings.CutPrefix(arg, "--excluded-namespace="); ok {
			excluded = append(excluded, name)
		}
	}
	require.ElementsMatch(t, []string{"kube-system", "kube-public", "kube-node-lease", "hnc-system"}, excluded)
	for _, hook := range hooks(t) {
		if hook.Rules[0].Resources[0] != "namespaces" {
			continue
		}
		expression := condition(t, hook, "not-excluded")
		require.Equal(t, len(excluded), strings.Count(expression, `"`)/2, hook.Name)
		for _, name := range excluded {
			require.Contains(t, expression, `"`+name+`"`, hook.Name)
		}
	}
}

// TestTheRingIsNotShipped: a replica creates it, and an apply must not undo a
// change of its size.
func TestTheRingIsNotShipped(t *testing.T) {
	for _, object := range objects(t) {
		require.NotEqual(t, "ConfigMap", object.GetKind(), id(object))
		require.NotEqual(t, "Secret", object.GetKind(), id(object))
	}
}
