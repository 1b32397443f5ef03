// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package v1alpha2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// HNCConfigurationName is the only name that an HNCConfiguration may have.
const HNCConfigurationName = "config"

// SynchronizationMode says what Banyan does with the objects of one type.
type SynchronizationMode string

// Modes of a type. An absent mode means Propagate; an unknown one, Ignore.
const (
	// Propagate copies objects to all descendants, but for exceptions.
	Propagate SynchronizationMode = "Propagate"
	// AllowPropagate copies only objects that ask for it.
	AllowPropagate SynchronizationMode = "AllowPropagate"
	// Remove deletes all copies and makes none.
	Remove SynchronizationMode = "Remove"
	// Ignore leaves sources and copies as they are.
	Ignore SynchronizationMode = "Ignore"
)

// ResourceSpec sets the mode of one type.
type ResourceSpec struct {
	// Group of the resource; absent or empty means the core group.
	// +optional
	Group string `json:"group,omitempty"`

	// Resource name, such as "secrets".
	Resource string `json:"resource"`

	// Mode in which objects of the type are handled.
	// +optional
	// +kubebuilder:validation:Enum=Propagate;Ignore;Remove;AllowPropagate
	Mode SynchronizationMode `json:"mode,omitempty"`
}

// HNCConfigurationSpec lists the types that are handled beyond Roles and
// RoleBindings.
type HNCConfigurationSpec struct {
	// Resources and their modes. Roles and RoleBindings are always propagated
	// and must not be listed.
	// +optional
	Resources []ResourceSpec `json:"resources,omitempty"`
}

// ResourceStatus reports on one type that is handled.
type ResourceStatus struct {
	// Group of the resource, as it stands in the spec.
	Group string `json:"group"`

	// Version that discovery prefers.
	Version string `json:"version"`

	// Resource name, as it stands in the spec.
	Resource string `json:"resource"`

	// Mode that is in effect.
	// +optional
	Mode SynchronizationMode `json:"mode,omitempty"`

	// NumPropagatedObjects counts the copies of this type.
	// +optional
	// +kubebuilder:validation:Minimum=0
	NumPropagatedObjects *int `json:"numPropagatedObjects,omitempty"`

	// NumSourceObjects counts the objects of this type that are not copies.
	// +optional
	// +kubebuilder:validation:Minimum=0
	NumSourceObjects *int `json:"numSourceObjects,omitempty"`
}

// HNCConfigurationStatus is what Banyan reports of all types.
type HNCConfigurationStatus struct {
	// Resources has one entry per type that is handled, sorted by group and
	// resource.
	// +optional
	Resources []ResourceStatus `json:"resources,omitempty"`

	// Conditions say what is wrong with the configuration or the namespaces.
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// HNCConfiguration says which types are propagated, for the whole cluster. Its
// name is always "config".
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=hncconfigurations,scope=Cluster
// +kubebuilder:storageversion
// +kubebuilder:validation:XValidation:rule="self.metadata.name == 'config'",message="metadata.name: an HNCConfiguration must be named \"config\""
type HNCConfiguration struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +optional
	Spec HNCConfigurationSpec `json:"spec,omitempty"`
	// +optional
	Status HNCConfigurationStatus `json:"status,omitempty"`
}

// HNCConfigurationList is a list of HNCConfigurations.
//
// +kubebuilder:object:root=true
type HNCConfigurationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []HNCConfiguration `json:"items"`
}
