// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// family is what a test says of one namespace.
type family struct {
	parent     string
	children   []string
	sub        bool
	cascades   bool
	conditions []metav1.Condition
}

func (f family) place(name string) place {
	var p place
	p.namespace.Name = name
	if f.sub {
		p.namespace.Annotations = map[string]string{api.AnnotationSubnamespaceOf: f.parent}
	}
	p.hierarchy.Namespace, p.hierarchy.Name = name, api.HierarchyConfigurationName
	p.hierarchy.Spec.Parent = f.parent
	p.hierarchy.Spec.AllowCascadingDeletion = f.cascades
	p.hierarchy.Status.Children = f.children
	p.hierarchy.Status.Conditions = f.conditions
	return p
}

func placesOf(families map[string]family) map[string]place {
	places := map[string]place{}
	for name, f := range families {
		places[name] = f.place(name)
	}
	return places
}

func condition(kind, reason, message string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: metav1.ConditionTrue, Reason: reason, Message: message}
}

func anchor(name string, state api.AnchorState) api.SubnamespaceAnchor {
	a := api.SubnamespaceAnchor{}
	a.Name, a.Status.State = name, state
	return a
}

func namespaceOf(name string, annotations map[string]string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations}}
}
