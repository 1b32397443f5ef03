// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package config_test

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

type edit func(*unstructured.Unstructured)

// thing makes an object of any kind.
func thing(apiVersion, kind, namespace, name string, edits ...edit) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetAPIVersion(apiVersion)
	u.SetKind(kind)
	u.SetNamespace(namespace)
	u.SetName(name)
	for _, e := range edits {
		e(u)
	}
	return u
}

func set(value any, path ...string) edit {
	return func(u *unstructured.Unstructured) {
		if err := unstructured.SetNestedField(u.Object, value, path...); err != nil {
			panic(err)
		}
	}
}

func drop(path ...string) edit {
	return func(u *unstructured.Unstructured) { unstructured.RemoveNestedField(u.Object, path...) }
}

func label(key, value string) edit      { return set(value, "metadata", "labels", key) }
func annotation(key, value string) edit { return set(value, "metadata", "annotations", key) }

func generated(u *unstructured.Unstructured) {
	u.SetGenerateName(u.GetName() + "-")
	u.SetName("")
}

func configMap(namespace, name string, edits ...edit) *unstructured.Unstructured {
	return thing("v1", "ConfigMap", namespace, name, append([]edit{set("v", "data", "k")}, edits...)...)
}

func service(namespace, name string, edits ...edit) *unstructured.Unstructured {
	ports := []any{map[string]any{"port": int64(80)}}
	return thing("v1", "Service", namespace, name, append([]edit{set(ports, "spec", "ports"), set("x", "spec", "selector", "app")}, edits...)...)
}

func deployment(namespace, name string, edits ...edit) *unstructured.Unstructured {
	containers := []any{map[string]any{"name": "c", "image": "none.example/none"}}
	return thing("apps/v1", "Deployment", namespace, name, append([]edit{
		set("x", "spec", "selector", "matchLabels", "app"),
		set("x", "spec", "template", "metadata", "labels", "app"),
		set(containers, "spec", "template", "spec", "containers"),
	}, edits...)...)
}

func namespaced(name string, edits ...edit) *unstructured.Unstructured {
	return thing("v1", "Namespace", "", name, edits...)
}

func ours(kind, namespace, name string, edits ...edit) *unstructured.Unstructured {
	return thing(api.GroupVersion.String(), kind, namespace, name, edits...)
}

func copied(from string) edit { return label(api.LabelInheritedFrom, from) }

func included(value string) edit { return label(api.LabelIncludedNamespace, value) }

// fixtures are what is there before anybody tries anything.
func fixtures() []*unstructured.Unstructured {
	depth := "root" + api.LabelTreeDepthSuffix
	return []*unstructured.Unstructured{
		namespaced("hnc-system"),
		configMap("hnc-system", "banyan-admission", drop("data"),
			set("configmaps.,deployments.apps,roles.rbac.authorization.k8s.io,services.", "data", "types"),
			set("hnc-system,kube-node-lease,kube-public,kube-system,left-alone", "data", "excluded"),
			set("^(?:[^y].*)$", "data", "included")),
		namespaced("shop", included("true"), label(depth, "1"), label("team", "a")),
		namespaced("bare"),
		namespaced("astray", included("maybe")),
		namespaced("left-alone", label(depth, "1")),
		namespaced("yonder", included("true")),
		namespaced("mine", included("true")),
		namespaced("ours", included("true")),
		namespaced("theirs", included("true")),
		namespaced("his", included("true")),

		configMap("shop", "copy", copied("root"), label("team", "a")),
		configMap("shop", "source"),
		configMap("shop", "hollow", copied("")),
		configMap("shop", "legacy", annotation(api.AnnotationTreeSelector, "-"), annotation(api.AnnotationAllSelector, "true"),
			annotation("propagate.hnc.x-k8s.io/old", "")),
		configMap("bare", "copy", copied("root")),
		thing("v1", "Secret", "shop", "copy", copied("root")),
		service("shop", "copy", copied("root")),
		deployment("shop", "copy", copied("root")),

		ours("SubnamespaceAnchor", "shop", "sub", set([]any{pair("-bad", "-bad")}, "spec", "labels"), set([]any{pair("-bad", "")}, "spec", "annotations")),
		ours("SubnamespaceAnchor", "shop", "ready", set([]any{ready("True")}, "status", "conditions")),
		ours("HierarchyConfiguration", "ours", "hierarchy", set("mine", "spec", "parent"), annotation(api.AnnotationPreviousKey, "ours")),
		ours("HierarchyConfiguration", "mine", "hierarchy", set("theirs", "spec", "parent")),
		ours("HNCConfiguration", "", "config"),
	}
}

func pair(key, value string) map[string]any { return map[string]any{"key": key, "value": value} }

func ready(status string) map[string]any {
	return map[string]any{"type": api.ConditionReady, "status": status, "reason": "Said", "message": "", "lastTransitionTime": "2020-01-01T00:00:00Z"}
}

// create, change and remove are what users try.
func create(u *unstructured.Unstructured) func(context.Context, client.Client) error {
	return func(ctx context.Context, c client.Client) error { return c.Create(ctx, u.DeepCopy()) }
}

func change(u *unstructured.Unstructured, edits ...edit) func(context.Context, client.Client) error {
	return changeBy(func(ctx context.Context, c client.Client, changed *unstructured.Unstructured) error {
		return c.Update(ctx, changed)
	}, u, edits)
}

// changeStatus sends all of the object to a subresource.
func changeStatus(subresource string, u *unstructured.Unstructured, edits ...edit) func(context.Context, client.Client) error {
	return changeBy(func(ctx context.Context, c client.Client, changed *unstructured.Unstructured) error {
		return c.SubResource(subresource).Update(ctx, changed)
	}, u, edits)
}

func changeBy(write func(context.Context, client.Client, *unstructured.Unstructured) error, u *unstructured.Unstructured, edits []edit) func(context.Context, client.Client) error {
	return func(ctx context.Context, c client.Client) error {
		live := &unstructured.Unstructured{}
		live.SetGroupVersionKind(u.GroupVersionKind())
		if err := c.Get(ctx, client.ObjectKeyFromObject(u), live); err != nil {
			return err
		}
		for _, e := range edits {
			e(live)
		}
		return write(ctx, c, live)
	}
}

func remove(u *unstructured.Unstructured) func(context.Context, client.Client) error {
	return func(ctx context.Context, c client.Client) error { return c.Delete(ctx, u.DeepCopy()) }
}
