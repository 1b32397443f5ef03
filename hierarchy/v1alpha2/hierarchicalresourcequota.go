// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package v1alpha2

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// HierarchicalResourceQuotaSpec limits what a subtree may use in all.
type HierarchicalResourceQuotaSpec struct {
	// Hard limits per resource, over this namespace and all its descendants.
	// +optional
	Hard corev1.ResourceList `json:"hard,omitempty"`
}

// HierarchicalResourceQuotaStatus is what Banyan reports of a quota.
type HierarchicalResourceQuotaStatus struct {
	// Hard limits that are in force.
	// +optional
	Hard corev1.ResourceList `json:"hard,omitempty"`

	// Used amounts, over the whole subtree.
	// +optional
	Used corev1.ResourceList `json:"used,omitempty"`

	// RequestsSummary shows used and hard of all resources but limits, for
	// printing.
	// +optional
	RequestsSummary string `json:"requestsSummary,omitempty"`

	// LimitsSummary shows used and hard of the limits, for printing.
	// +optional
	LimitsSummary string `json:"limitsSummary,omitempty"`
}

// HierarchicalResourceQuota limits the resources of a namespace and all its
// descendants together.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=hierarchicalresourcequotas,shortName=hrq,scope=Namespaced
// +kubebuilder:printcolumn:name="Request",type="string",JSONPath=".status.requestsSummary"
// +kubebuilder:printcolumn:name="Limit",type="string",JSONPath=".status.limitsSummary"
// +kubebuilder:storageversion
type HierarchicalResourceQuota struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +optional
	Spec HierarchicalResourceQuotaSpec `json:"spec,omitempty"`
	// +optional
	Status HierarchicalResourceQuotaStatus `json:"status,omitempty"`
}

// HierarchicalResourceQuotaList is a list of HierarchicalResourceQuotas.
//
// +kubebuilder:object:root=true
type HierarchicalResourceQuotaList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []HierarchicalResourceQuota `json:"items"`
}
