// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

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

// MissingFinalizers returns those to add to an anchor that is being created, so
// that it costs no write to add them afterwards. An anchor that gets no namespace
// needs none.
func MissingFinalizers(scope hierarchy.Scope, anchor *api.SubnamespaceAnchor) []string {
	if slices.Contains(anchor.Finalizers, api.FinalizerAnchor) || anchor.DeletionTimestamp != nil ||
		!scope.Manages(anchor.Namespace) || !scope.Manages(anchor.Name) || len(validation.IsDNS1123Label(anchor.Name)) > 0 {
		return nil
	}
	return []string{api.FinalizerAnchor}
}
