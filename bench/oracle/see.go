// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Seen is a cluster as it was found.
type Seen struct {
	namespaces     []corev1.Namespace
	configurations []api.HierarchyConfiguration
	anchors        []api.SubnamespaceAnchor
	config         api.HNCConfiguration
	objects        []unstructured.Unstructured
}

var groups = map[string]schema.GroupVersion{
	"Role":        {Group: "rbac.authorization.k8s.io", Version: "v1"},
	"RoleBinding": {Group: "rbac.authorization.k8s.io", Version: "v1"},
	"ConfigMap":   {Version: "v1"},
	"Secret":      {Version: "v1"},
}

// See reads a cluster. What is written meanwhile may be seen or not.
func See(ctx context.Context, c client.Client) (Seen, error) {
	var seen Seen
	var namespaces corev1.NamespaceList
	var configurations api.HierarchyConfigurationList
	var anchors api.SubnamespaceAnchorList
	for _, list := range []client.ObjectList{&namespaces, &configurations, &anchors} {
		if err := c.List(ctx, list); err != nil {
			return seen, fmt.Errorf("listing %T: %w", list, err)
		}
	}
	seen.namespaces, seen.configurations, seen.anchors = namespaces.Items, configurations.Items, anchors.Items
	for _, kind := range Kinds {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(groups[kind].WithKind(kind + "List"))
		if err := c.List(ctx, list); err != nil {
			return seen, fmt.Errorf("listing objects of kind %s: %w", kind, err)
		}
		seen.objects = append(seen.objects, list.Items...)
	}
	if err := c.Get(ctx, client.ObjectKey{Name: api.HNCConfigurationName}, &seen.config); err != nil {
		return seen, fmt.Errorf("reading the HNCConfiguration: %w", err)
	}
	return seen, nil
}

// Facts are the part of it that users wrote.
func (s Seen) Facts(rules Rules) Facts {
	f := Facts{
		Rules: rules, Namespaces: map[string]Namespace{}, Configurations: map[string]Configuration{},
		Anchors: map[Place]Anchor{}, Modes: map[string]api.SynchronizationMode{}, Copies: map[string]int{},
	}
	for _, n := range s.namespaces {
		f.Namespaces[n.Name] = Namespace{n.UID, n.Labels, n.Annotations}
	}
	for _, c := range s.configurations {
		f.Configurations[c.Namespace] = configurationOf(c)
	}
	for _, a := range s.anchors {
		f.Anchors[Place{a.Namespace, a.Name}] = Anchor{a.Spec.Labels, a.Spec.Annotations}
	}
	for _, entry := range s.config.Spec.Resources {
		f.Modes[kindsByResource[entry.Resource]] = entry.Mode
	}
	for _, u := range s.objects {
		if u.GetLabels()[api.LabelInheritedFrom] == "" {
			f.Objects = append(f.Objects, objectOf(u))
			continue
		}
		if f.managed(u.GetNamespace()) {
			f.Copies[u.GetKind()]++
		}
	}
	return f
}

var kindsByResource = map[string]string{"configmaps": "ConfigMap", "secrets": "Secret"}

func configurationOf(c api.HierarchyConfiguration) Configuration {
	return Configuration{c.Spec.Parent, c.Spec.AllowCascadingDeletion, c.Spec.Labels, c.Spec.Annotations}
}

func objectOf(u unstructured.Unstructured) Object {
	o := Object{
		Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName(), Labels: u.GetLabels(), Annotations: u.GetAnnotations(),
		HasFinalizers: len(u.GetFinalizers()) > 0, Content: contentOf(u),
	}
	switch o.Kind {
	case "RoleBinding":
		o.Fixed = canonical(u.Object["roleRef"])
	case "Secret":
		o.Type, _, _ = unstructured.NestedString(u.Object, "type")
		o.Fixed = o.Type
	}
	o.Immutable, _, _ = unstructured.NestedBool(u.Object, "immutable")
	return o
}

func contentOf(u unstructured.Unstructured) string {
	content := map[string]any{}
	for key, value := range u.Object {
		if !slices.Contains([]string{"apiVersion", "kind", "metadata", "status"}, key) {
			content[key] = value
		}
	}
	return canonical(content)
}

// canonical JSON: keys are sorted.
func canonical(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Dying are objects that wait for somebody to take finalizers off.
func (s Seen) Dying() []*unstructured.Unstructured {
	var found []*unstructured.Unstructured
	for i, u := range s.objects {
		if u.GetDeletionTimestamp() != nil && len(u.GetFinalizers()) > 0 {
			found = append(found, &s.objects[i])
		}
	}
	return found
}
