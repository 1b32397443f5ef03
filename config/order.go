// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package config

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// first and last say which kinds must not be applied in the middle. What an
// object needs comes before it; policies come late, when the kinds that they are
// about are there, and webhook configurations last, since from then on the API
// server depends on what came before.
var (
	first = []string{
		"Namespace",
		"CustomResourceDefinition",
		"ServiceAccount",
		"ClusterRole",
		"Role",
		"ClusterRoleBinding",
		"RoleBinding",
	}
	last = []string{
		"ValidatingAdmissionPolicy",
		"ValidatingAdmissionPolicyBinding",
		"MutatingWebhookConfiguration",
		"ValidatingWebhookConfiguration",
	}
)

// rank is negative for the kinds in first, positive for those in last.
func rank(kind string) int {
	if i := slices.Index(first, kind); i >= 0 {
		return i - len(first)
	}
	return slices.Index(last, kind) + 1
}

// sortForApply orders by rank, then by kind, namespace and name, so that the
// order is the same in every run.
func sortForApply(objects []*unstructured.Unstructured) {
	slices.SortStableFunc(objects, func(a, b *unstructured.Unstructured) int {
		return cmp.Or(
			cmp.Compare(rank(a.GetKind()), rank(b.GetKind())),
			cmp.Compare(a.GetKind(), b.GetKind()),
			cmp.Compare(a.GetNamespace(), b.GetNamespace()),
			cmp.Compare(a.GetName(), b.GetName()),
		)
	})
}
