// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/webhook"
)

// kind of object that a webhook is asked about.
type kind struct {
	path     string
	gvk      schema.GroupVersionKind
	resource string
}

var (
	namespaces        = kind{webhook.PathNamespace, corev1.SchemeGroupVersion.WithKind("Namespace"), "namespaces"}
	mutatedNamespaces = kind{webhook.PathMutateNamespace, corev1.SchemeGroupVersion.WithKind("Namespace"), "namespaces"}
	configurations    = kind{webhook.PathConfiguration, api.GroupVersion.WithKind("HierarchyConfiguration"), "hierarchyconfigurations"}
	stamps            = kind{webhook.PathMutateConfiguration, api.GroupVersion.WithKind("HierarchyConfiguration"), "hierarchyconfigurations"}
	anchors           = kind{webhook.PathAnchor, api.GroupVersion.WithKind("SubnamespaceAnchor"), "subnamespaceanchors"}
	mutatedAnchors    = kind{webhook.PathMutateAnchor, api.GroupVersion.WithKind("SubnamespaceAnchor"), "subnamespaceanchors"}
	roles             = kind{webhook.PathObject, rbacv1.SchemeGroupVersion.WithKind("Role"), "roles"}
	hncConfigurations = kind{webhook.PathHNCConfiguration, api.GroupVersion.WithKind("HNCConfiguration"), "hncconfigurations"}
)

// template of an ask. The places are the one that it is about, and another one.
type template struct {
	kind
	what string
	code int32
	user string
	ask  func(here, there place) (object, old client.Object)
}

// templates of everything that is asked. What a policy judges is not: the API server
// asks nobody about it.
var templates = []template{
	{namespaces, "a new namespace", 0, permitted, func(here, _ place) (object, old client.Object) {
		return included(here.root.Name + "-new"), nil
	}},
	{namespaces, "a restored one", 0, permitted, func(here, _ place) (object, old client.Object) {
		ns := included(here.root.Name + "-new")
		ns.Labels[here.root.Name+api.LabelTreeDepthSuffix] = "3"
		return ns, nil
	}},
	{namespaces, "somebody else is to manage it", http.StatusForbidden, permitted, func(here, _ place) (object, old client.Object) {
		foreign := here.leaf.DeepCopy()
		foreign.Annotations[api.AnnotationManagedBy] = "others"
		return foreign, here.leaf
	}},
	{namespaces, "a claim that goes", 0, permitted, func(here, _ place) (object, old client.Object) {
		free := here.leaf.DeepCopy()
		delete(free.Annotations, api.AnnotationSubnamespaceOf)
		return free, here.leaf
	}},
	{namespaces, "a leaf goes", 0, permitted, func(here, _ place) (object, old client.Object) { return nil, here.mover }},
	{namespaces, "a subnamespace goes", http.StatusForbidden, permitted, func(here, _ place) (object, old client.Object) { return nil, here.leaf }},

	{mutatedNamespaces, "a new namespace", 0, permitted, func(here, _ place) (object, old client.Object) {
		return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: here.root.Name + "-new"}}, nil
	}},
	{mutatedNamespaces, "a restored one", 0, permitted, func(here, _ place) (object, old client.Object) {
		ns := included(here.root.Name + "-new")
		ns.Labels[here.root.Name+api.LabelTreeDepthSuffix] = "3"
		return ns, nil
	}},

	{configurations, "to another tree, with rights", 0, permitted, func(here, there place) (object, old client.Object) {
		return stamped(here, there.leaf.Name)
	}},
	{configurations, "within the tree, with rights", 0, permitted, func(here, _ place) (object, old client.Object) {
		return moved(here, here.leaf.Name)
	}},
	{configurations, "to another tree, without rights", http.StatusUnauthorized, stranger, func(here, there place) (object, old client.Object) {
		return moved(here, there.leaf.Name)
	}},
	{configurations, "nowhere", http.StatusForbidden, permitted, func(here, _ place) (object, old client.Object) {
		return moved(here, "nowhere")
	}},
	{configurations, "a cycle", http.StatusConflict, permitted, func(here, _ place) (object, old client.Object) {
		return configuration(here.root.Name, here.leaf.Name), configuration(here.root.Name, "")
	}},
	{configurations, "a subnamespace elsewhere", http.StatusConflict, permitted, func(here, there place) (object, old client.Object) {
		return configuration(here.leaf.Name, there.root.Name), configuration(here.leaf.Name, here.inner.Name)
	}},
	{configurations, "another setting", 0, permitted, func(here, _ place) (object, old client.Object) {
		changed := configuration(here.mover.Name, here.root.Name)
		changed.Spec.AllowCascadingDeletion = true
		return changed, configuration(here.mover.Name, here.root.Name)
	}},

	{stamps, "to another tree", 0, permitted, func(here, there place) (object, old client.Object) {
		return moved(here, there.leaf.Name)
	}},
	{stamps, "within the tree", 0, permitted, func(here, _ place) (object, old client.Object) {
		return moved(here, here.leaf.Name)
	}},

	{anchors, "a new subnamespace", 0, permitted, func(here, _ place) (object, old client.Object) {
		return anchor(here.leaf.Name, here.root.Name+"-new"), nil
	}},
	{anchors, "of a name that is taken", http.StatusConflict, permitted, func(here, there place) (object, old client.Object) {
		return anchor(here.leaf.Name, there.root.Name), nil
	}},
	{anchors, "a leaf goes", 0, permitted, func(here, _ place) (object, old client.Object) { return nil, here.leafAnchor }},
	{anchors, "a whole subtree goes", http.StatusForbidden, permitted, func(here, _ place) (object, old client.Object) { return nil, here.innerAnchor }},

	{mutatedAnchors, "a new subnamespace", 0, permitted, func(here, _ place) (object, old client.Object) {
		return anchor(here.leaf.Name, here.root.Name+"-new"), nil
	}},

	{roles, "a new one in a leaf", 0, permitted, func(here, _ place) (object, old client.Object) { return like(here.source, here.leaf.Name, "new"), nil }},
	{roles, "a new one in the root", 0, permitted, func(here, _ place) (object, old client.Object) { return like(here.source, here.root.Name, "new"), nil }},
	{roles, "a new one that a descendant has", http.StatusConflict, permitted, func(here, _ place) (object, old client.Object) {
		return like(here.source, here.root.Name, ownRole), nil
	}},
	{roles, "a source that is to stay alone", 0, permitted, func(here, _ place) (object, old client.Object) {
		return excepted(here.source, api.AnnotationNoneSelector, "true"), here.source
	}},
	{roles, "a source for some", 0, permitted, func(here, _ place) (object, old client.Object) {
		return excepted(here.source, api.AnnotationSelector, "team=x"), here.source
	}},
	{roles, "a selector that is none", http.StatusBadRequest, permitted, func(here, _ place) (object, old client.Object) {
		return excepted(here.source, api.AnnotationSelector, "!!"), here.source
	}},

	{hncConfigurations, "another type", 0, permitted, func(_, _ place) (object, old client.Object) {
		return types("secrets"), types()
	}},
	{hncConfigurations, "a type that is not there", http.StatusUnprocessableEntity, permitted, func(_, _ place) (object, old client.Object) {
		return types("nosuch"), types()
	}},
}

// newAsks encodes every template for every place.
func newAsks(places []place) ([]ask, error) {
	var asks []ask
	for _, t := range templates {
		a := ask{path: t.path, what: t.what, code: t.code}
		for i, here := range places {
			object, old := t.ask(here, places[(i+1)%len(places)])
			body, err := review{user: t.user, operation: operation(object, old), kind: t.gvk, resource: t.resource, object: object, old: old}.encode()
			if err != nil {
				return nil, fmt.Errorf("preparing %q to %s: %w", t.what, t.path, err)
			}
			a.bodies = append(a.bodies, body)
		}
		asks = append(asks, a)
	}
	return asks, nil
}

func operation(object, old client.Object) admissionv1.Operation {
	switch {
	case old == nil:
		return admissionv1.Create
	case object == nil:
		return admissionv1.Delete
	}
	return admissionv1.Update
}

func included(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{api.LabelIncludedNamespace: "true"}}}
}

// moved is the mover of a place with another parent.
func moved(here place, parent string) (object, old client.Object) {
	return configuration(here.mover.Name, parent), configuration(here.mover.Name, here.root.Name)
}

// stamped is the same with the stamp that a move to another tree gets before it is
// judged.
func stamped(here place, parent string) (object, old client.Object) {
	move := configuration(here.mover.Name, parent)
	move.Annotations = map[string]string{api.AnnotationPreviousKey: here.root.Name}
	return move, configuration(here.mover.Name, here.root.Name)
}

func anchor(namespace, name string) *api.SubnamespaceAnchor {
	return &api.SubnamespaceAnchor{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// like is a new Role with the same rules.
func like(role *rbacv1.Role, namespace, name string) *rbacv1.Role {
	return &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Rules: role.Rules}
}

func excepted(role *rbacv1.Role, key, value string) *rbacv1.Role {
	changed := role.DeepCopy()
	changed.Annotations = map[string]string{key: value}
	return changed
}

func types(resources ...string) *api.HNCConfiguration {
	c := &api.HNCConfiguration{ObjectMeta: metav1.ObjectMeta{Name: api.HNCConfigurationName}}
	for _, resource := range resources {
		c.Spec.Resources = append(c.Spec.Resources, api.ResourceSpec{Resource: resource, Mode: api.AllowPropagate})
	}
	return c
}
