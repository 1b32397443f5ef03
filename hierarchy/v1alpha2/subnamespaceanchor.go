// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package v1alpha2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// AnchorState is where an anchor stands with its namespace.
type AnchorState string

// States of an anchor, as HNC writes them.
const (
	// Missing: the namespace does not exist (yet, or any more).
	Missing AnchorState = "Missing"
	// Ok: the namespace exists and is the subnamespace of this anchor.
	Ok AnchorState = "Ok"
	// Conflict: a namespace of that name exists and belongs to somebody else.
	Conflict AnchorState = "Conflict"
	// Forbidden: a namespace of that name may not be a subnamespace.
	Forbidden AnchorState = "Forbidden"
)

// SubnamespaceAnchorSpec is what the creator of a subnamespace decides.
type SubnamespaceAnchorSpec struct {
	// Labels are managed labels of the subnamespace and its descendants.
	// +optional
	// +listType=atomic
	Labels []MetaKVP `json:"labels,omitempty"`

	// Annotations are managed annotations of the subnamespace and its
	// descendants.
	// +optional
	// +listType=atomic
	Annotations []MetaKVP `json:"annotations,omitempty"`
}

// SubnamespaceAnchorStatus is what Banyan reports of an anchor.
type SubnamespaceAnchorStatus struct {
	// State of the subnamespace: Missing, Ok, Conflict or Forbidden.
	// +optional
	State AnchorState `json:"status,omitempty"`

	// Conditions say how far the subnamespace has come: Ready is True once it
	// is in its tree and all that it inherits has arrived.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// SubnamespaceAnchor asks for a namespace of its own name, as a child of the
// namespace in which it stands.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=subnamespaceanchors,shortName=subns,scope=Namespaced
// +kubebuilder:storageversion
type SubnamespaceAnchor struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +optional
	Spec SubnamespaceAnchorSpec `json:"spec,omitempty"`
	// +optional
	Status SubnamespaceAnchorStatus `json:"status,omitempty"`
}

// SubnamespaceAnchorList is a list of SubnamespaceAnchors.
//
// +kubebuilder:object:root=true
type SubnamespaceAnchorList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SubnamespaceAnchor `json:"items"`
}
