// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package v1alpha2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// HierarchyConfigurationName is the only name that a HierarchyConfiguration may have.
const HierarchyConfigurationName = "hierarchy"

// MetaKVP is one label or annotation. Lists of pairs, not maps, are the wire
// format that HNC chose; where a key is repeated, the last pair counts.
type MetaKVP struct {
	// Key of the label or annotation, with its prefix.
	Key string `json:"key"`

	// Value of the label or annotation; it may be empty.
	Value string `json:"value"`
}

// HierarchyConfigurationSpec is what the administrators of a namespace decide.
type HierarchyConfigurationSpec struct {
	// Parent is the name of the parent namespace; empty means that this
	// namespace is a root. For a subnamespace it is always the namespace of
	// its anchor.
	// +optional
	Parent string `json:"parent,omitempty"`

	// AllowCascadingDeletion allows that subnamespaces are deleted together
	// with this namespace or with an ancestor.
	// +optional
	AllowCascadingDeletion bool `json:"allowCascadingDeletion,omitempty"`

	// Labels are managed labels, set on this namespace and its descendants.
	// Only keys that the controller was told to manage take effect.
	// +optional
	// +listType=atomic
	Labels []MetaKVP `json:"labels,omitempty"`

	// Annotations are managed annotations, set on this namespace and its
	// descendants. Only keys that the controller was told to manage take
	// effect.
	// +optional
	// +listType=atomic
	Annotations []MetaKVP `json:"annotations,omitempty"`
}

// HierarchyConfigurationStatus is what Banyan reports of a namespace.
type HierarchyConfigurationStatus struct {
	// Children are the names of the direct children, sorted.
	// +optional
	Children []string `json:"children,omitempty"`

	// Conditions say what is wrong; a healthy namespace has none.
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// HierarchyConfiguration places one namespace in its tree. Its name is always
// "hierarchy".
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=hierarchyconfigurations,scope=Namespaced
// +kubebuilder:storageversion
// +kubebuilder:validation:XValidation:rule="self.metadata.name == 'hierarchy'",message="metadata.name: a HierarchyConfiguration must be named \"hierarchy\""
type HierarchyConfiguration struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +optional
	Spec HierarchyConfigurationSpec `json:"spec,omitempty"`
	// +optional
	Status HierarchyConfigurationStatus `json:"status,omitempty"`
}

// HierarchyConfigurationList is a list of HierarchyConfigurations.
//
// +kubebuilder:object:root=true
type HierarchyConfigurationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []HierarchyConfiguration `json:"items"`
}
