// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package admission

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

func annotated(o client.Object, annotations ...string) client.Object {
	all := map[string]string{}
	for i := 0; i < len(annotations); i += 2 {
		all[annotations[i]] = annotations[i+1]
	}
	o.SetAnnotations(all)
	return o
}

func copied(o client.Object, from string) client.Object {
	o.SetLabels(label(api.LabelInheritedFrom, from))
	return o
}

func editSecret(namespace, name string, edit func(*corev1.Secret)) request {
	return change(secret(namespace, name), edit)
}

func configMap(namespace, name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// ofSources has the first half of 8.4. Policies know no reason BadRequest; what they
// refuse for its form is Invalid.
var ofSources = map[string]rule{
	"8.4 source: a new object":                          {do: create(secret("acme", "fresh"))},
	"8.4 source: in an excluded namespace, all is free": {do: create(annotated(secret("kube-public", "fresh"), "any.hnc.x-k8s.io/thing", "x"))},
	"8.4 source: of a type that is not propagated, too": {do: create(annotated(configMap("acme", "fresh"), "any.hnc.x-k8s.io/thing", "x"))},
	"8.4.1: an unknown exception":                       {do: create(annotated(secret("acme", "fresh"), "propagate.hnc.x-k8s.io/tree", "x")), want: invalid, message: api.AnnotationTreeSelector},
	"8.4.1: in an update":                               {do: editSecret("acme", "token", func(s *corev1.Secret) { annotated(s, "propagate.hnc.x-k8s.io/tree", "x") }), want: invalid},
	"8.4.1: a key of ours that is none":                 {do: create(annotated(secret("acme", "fresh"), "hnc.x-k8s.io/thing", "x"))},
	"8.4.2: a select that cannot be read":               {do: create(annotated(secret("acme", "fresh"), api.AnnotationSelector, "a in b")), want: bad, message: api.AnnotationSelector},
	"8.4.2: a select":                                   {do: create(annotated(secret("acme", "fresh"), api.AnnotationSelector, "a in (b)"))},
	"8.4.2: a treeSelect that cannot be read":           {do: create(annotated(secret("acme", "fresh"), api.AnnotationTreeSelector, "a b")), want: invalid, message: api.AnnotationTreeSelector},
	"8.4.2: a treeSelect of two namespaces":             {do: create(annotated(secret("acme", "fresh"), api.AnnotationTreeSelector, "full,team")), want: invalid},
	"8.4.2: a treeSelect":                               {do: create(annotated(secret("acme", "fresh"), api.AnnotationTreeSelector, "team,!svc"))},
	"8.4.2: none that is neither true nor false":        {do: create(annotated(secret("acme", "fresh"), api.AnnotationNoneSelector, "yes")), want: invalid, message: api.AnnotationNoneSelector},
	"8.4.2: none":                                       {do: create(annotated(secret("acme", "fresh"), api.AnnotationNoneSelector, "true"))},
	"8.4.2: all that is neither true nor false":         {do: create(annotated(secret("acme", "fresh"), api.AnnotationAllSelector, "yes")), want: invalid, message: api.AnnotationAllSelector},
	"8.4.2: all":            {do: create(annotated(secret("acme", "fresh"), api.AnnotationAllSelector, "true"))},
	"8.4.3: two exceptions": {do: create(annotated(secret("acme", "fresh"), api.AnnotationAllSelector, "true", api.AnnotationTreeSelector, "team")), want: invalid, message: "one"},
	"8.4.4: an object of a descendant would be replaced": {do: create(secret("acme", "taken")), want: conflicting, message: `"svc"`},
	"8.4.4: unless it does not go there":                 {do: create(annotated(secret("acme", "taken"), api.AnnotationTreeSelector, "!svc"))},
	"8.4.4: or nowhere":                                  {do: create(annotated(secret("acme", "taken"), api.AnnotationNoneSelector, "true"))},
	"8.4.4: the other tree is no matter":                 {do: create(secret("other", "token"))},
	"8.4.5: a source is edited":                          {do: editSecret("acme", "token", func(s *corev1.Secret) { s.Data["k"] = []byte("w") })},
	"8.4.5: a source is deleted":                         {do: remove(secret("acme", "token"))},
}

// ofCopies has the second half of 8.4.
var ofCopies = map[string]rule{
	"8.4 r1: a copy is made by hand":           {do: create(copied(secret("full", "fresh"), "acme")), want: denied, message: api.LabelInheritedFrom},
	"8.4 r1: of a type that is not propagated": {do: create(copied(configMap("full", "fresh"), "acme"))},
	"8.4 r1: in an excluded namespace":         {do: create(copied(secret("kube-public", "fresh"), "acme"))},
	"8.4 r2: a source says that it is a copy":  {do: editSecret("acme", "token", func(s *corev1.Secret) { copied(s, "other") }), want: denied, message: api.LabelInheritedFrom},
	"8.4 r2: a copy says that it is none":      {do: editSecret("full", "token", func(s *corev1.Secret) { delete(s.Labels, api.LabelInheritedFrom) }), want: denied, message: api.LabelInheritedFrom},
	"8.4 r2: a copy says it is from elsewhere": {do: editSecret("full", "token", func(s *corev1.Secret) { copied(s, "other") }), want: denied},
	"8.4 r3: the content of a copy is edited":  {do: editSecret("full", "token", func(s *corev1.Secret) { s.Data["k"] = []byte("w") }), want: denied, message: "acme"},
	"8.4 r3: its labels":                       {do: editSecret("full", "token", func(s *corev1.Secret) { s.Labels["color"] = "red" }), want: denied},
	"8.4 r3: its annotations":                  {do: editSecret("full", "token", func(s *corev1.Secret) { s.Annotations = label("color", "red") }), want: denied},
	"8.4 r3: its finalizers are free":          {do: editSecret("full", "token", func(s *corev1.Secret) { s.Finalizers = []string{"example.com/mine"} })},
	"8.4 r3: its owners, too":                  {do: editSecret("full", "token", own)},
	"8.4 r4: a copy is deleted":                {do: remove(secret("full", "token")), want: denied, message: "acme"},
	"8.4 r4: many are, at once":                {do: removeAll("full"), want: denied},
}

func own(s *corev1.Secret) {
	s.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Secret", Name: "owner", UID: "0"}}
}

func removeAll(namespace string) request {
	return func(ctx context.Context, c client.Client) error {
		return c.DeleteAllOf(ctx, &corev1.Secret{}, client.InNamespace(namespace), client.HasLabels{api.LabelInheritedFrom})
	}
}

func resources(list ...api.ResourceSpec) request {
	c := &api.HNCConfiguration{ObjectMeta: metav1.ObjectMeta{Name: api.HNCConfigurationName}}
	return change(c, func(c *api.HNCConfiguration) { c.Spec.Resources = append(c.Spec.Resources, list...) })
}

func setMode(resource string, mode api.SynchronizationMode) request {
	c := &api.HNCConfiguration{ObjectMeta: metav1.ObjectMeta{Name: api.HNCConfigurationName}}
	return change(c, func(c *api.HNCConfiguration) {
		for i := range c.Spec.Resources {
			if c.Spec.Resources[i].Resource == resource {
				c.Spec.Resources[i].Mode = mode
			}
		}
	})
}

// ofTypes has 8.6. The types are secrets, and configmaps in mode Remove.
var ofTypes = map[string]rule{
	"8.6.2: the configuration is deleted":         {do: remove(&api.HNCConfiguration{ObjectMeta: metav1.ObjectMeta{Name: api.HNCConfigurationName}}), want: denied, message: "config"},
	"8.6.3: a type that is not there":             {do: resources(api.ResourceSpec{Resource: "nosuch"}), want: invalid, message: "spec.resources[2]"},
	"8.6.3: a type of the cluster":                {do: resources(api.ResourceSpec{Resource: "nodes"}), want: invalid, message: "spec.resources[2]"},
	"8.6.3: an enforced type":                     {do: resources(api.ResourceSpec{Group: "rbac.authorization.k8s.io", Resource: "roles", Mode: api.Ignore}), want: invalid, message: "spec.resources[2]"},
	"8.6.3: an enforced type, spelt otherwise":    {do: resources(api.ResourceSpec{Group: "rbac.authorization.k8s.io", Resource: "Role"}), want: invalid, message: "spec.resources[2]"},
	"8.6.3: a type twice":                         {do: resources(api.ResourceSpec{Resource: "secrets", Mode: api.Propagate}), want: invalid, message: "spec.resources[2]"},
	"8.6.3: a type":                               {do: resources(api.ResourceSpec{Resource: "services", Mode: api.AllowPropagate})},
	"8.6.4: objects of descendants would be lost": {do: setMode("configmaps", api.Propagate), want: conflicting, message: `"clash"`},
	"8.6.4: in a mode that replaces nothing":      {do: setMode("configmaps", api.AllowPropagate)},
}
