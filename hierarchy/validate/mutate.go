// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// MissingLabels returns the labels to add to a namespace that is being written.
// One that is there already is not touched, even if it is wrong.
func MissingLabels(scope hierarchy.Scope, ns *corev1.Namespace) map[string]string {
	if _, labelled := ns.Labels[api.LabelIncludedNamespace]; labelled || !scope.Manages(ns.Name) {
		return nil
	}
	return map[string]string{api.LabelIncludedNamespace: "true"}
}
