// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package v1alpha2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Group is the API group of all four kinds, and the domain of their metadata.
const Group = "hnc.x-k8s.io"

// GroupVersion is the one version that is served and stored.
var GroupVersion = schema.GroupVersion{Group: Group, Version: "v1alpha2"}

var schemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)

// AddToScheme registers the four kinds.
var AddToScheme = schemeBuilder.AddToScheme

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&HierarchyConfiguration{}, &HierarchyConfigurationList{},
		&SubnamespaceAnchor{}, &SubnamespaceAnchorList{},
		&HNCConfiguration{}, &HNCConfigurationList{},
		&HierarchicalResourceQuota{}, &HierarchicalResourceQuotaList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
