// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package config_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

const (
	deploymentController = "system:serviceaccount:kube-system:deployment-controller"
	namespaceController  = "system:serviceaccount:kube-system:namespace-controller"
	controllersGroup     = "system:serviceaccounts:kube-system"
)

// theCopy is what most attempts are about.
var theCopy = configMap("shop", "copy")

var copyRows = map[string]attempt{
	"a copy is made":                      {do: create(configMap("shop", "new", copied("root"))), want: forbidden, words: "remove the label"},
	"under a name that is generated":      {do: create(configMap("shop", "new", generated, copied("root"))), want: forbidden, words: `in namespace "root"`},
	"by a controller":                     {user: deploymentController, groups: []string{controllersGroup}, do: create(configMap("shop", "new", copied("root"))), want: forbidden, words: "only Banyan"},
	"by Banyan":                           {user: banyan, do: create(configMap("shop", "new", copied("root")))},
	"with a label of none":                {do: create(configMap("shop", "new", copied("")))},
	"of a type that is not propagated":    {do: create(thing("v1", "Secret", "shop", "new", copied("root")))},
	"in a namespace that is not managed":  {do: create(configMap("bare", "new", copied("root")))},
	"a source is made":                    {do: create(configMap("shop", "new"))},
	"a source becomes a copy":             {do: change(configMap("shop", "source"), copied("root")), want: forbidden, words: "cannot be edited; leave it"},
	"so does one with a label of none":    {do: change(configMap("shop", "hollow"), copied("root")), want: forbidden, words: "cannot be edited; leave it"},
	"a label of none is removed":          {do: change(configMap("shop", "hollow"), drop("metadata", "labels"))},
	"a copy becomes a source":             {do: change(theCopy, drop("metadata", "labels", api.LabelInheritedFrom)), want: forbidden, words: "cannot be edited; leave it"},
	"a copy gets a label of none":         {do: change(theCopy, copied("")), want: forbidden, words: "cannot be edited; leave it"},
	"a copy comes from somewhere else":    {do: change(theCopy, copied("bare")), want: forbidden, words: "cannot be edited; leave it"},
	"also if a controller says so":        {user: deploymentController, groups: []string{controllersGroup}, do: change(theCopy, copied("bare")), want: forbidden, words: "cannot be edited; leave it"},
	"together with its status":            {do: changeStatus("status", service("shop", "copy"), drop("metadata", "labels", api.LabelInheritedFrom)), want: forbidden, words: "cannot be edited; leave it"},
	"its data is changed":                 {do: change(theCopy, set("w", "data", "k")), want: forbidden, words: `ConfigMap "copy" is a copy, whose content cannot be edited here; edit the object in namespace "root"`},
	"its data is removed":                 {do: change(theCopy, drop("data")), want: forbidden, words: "whose content"},
	"it gets a field more":                {do: change(theCopy, set(true, "immutable")), want: forbidden, words: "whose content"},
	"its spec is changed":                 {do: change(deployment("shop", "copy"), set(int64(7), "spec", "replicas")), want: forbidden, words: "whose content"},
	"it gets a label":                     {do: change(theCopy, label("team", "b")), want: forbidden, words: "whose labels"},
	"it gets an annotation":               {do: change(theCopy, annotation("a", "b")), want: forbidden, words: "whose annotations"},
	"it gets an exception":                {do: change(theCopy, annotation(api.AnnotationNoneSelector, "true")), want: forbidden, words: "whose annotations"},
	"all of that":                         {do: change(theCopy, label("team", "b"), annotation("a", "b"), drop("data")), want: forbidden, words: "whose content and labels and annotations"},
	"it is applied by kubectl":            {do: applied(configMap("shop", "copy", set("w", "data", "k"))), want: forbidden, words: "whose content"},
	"it is patched":                       {do: patched(theCopy, `{"data":{"k":"w"}}`), want: forbidden, words: "whose content"},
	"by another account of hnc-system":    {user: "system:serviceaccount:hnc-system:default", do: change(theCopy, set("w", "data", "k")), want: forbidden, words: "whose content"},
	"Banyan changes it":                   {user: banyan, do: change(theCopy, set("w", "data", "k"), copied("bare"))},
	"nothing is changed":                  {do: change(theCopy)},
	"it gets an owner and a finalizer":    {do: change(theCopy, set([]any{"example.com/f"}, "metadata", "finalizers"), owned)},
	"its status is changed":               {do: changeStatus("status", deployment("shop", "copy"), set(int64(7), "status", "observedGeneration"))},
	"a controller changes it":             {user: deploymentController, groups: []string{controllersGroup}, do: change(deployment("shop", "copy"), annotation("a", "b"), set(int64(7), "spec", "replicas"))},
	"a node changes it":                   {user: "system:node:n", groups: []string{"system:nodes"}, do: change(theCopy, annotation("a", "b"))},
	"the controller manager changes it":   {user: "system:kube-controller-manager", do: change(theCopy, annotation("a", "b"))},
	"the scheduler changes it":            {user: "system:kube-scheduler", do: change(theCopy, annotation("a", "b"))},
	"a source is changed":                 {do: change(configMap("shop", "source"), set("w", "data", "k"))},
	"a copy of another type is changed":   {do: change(thing("v1", "Secret", "shop", "copy"), set("dw==", "data", "k"))},
	"one that is not in a managed place":  {do: change(configMap("bare", "copy"), set("w", "data", "k"))},
	"it is deleted":                       {do: remove(theCopy), want: forbidden, words: `ConfigMap "copy" is a copy and cannot be deleted here; delete the object in namespace "root"`},
	"it is deleted by the collection":     {do: removeAll, want: forbidden, words: "cannot be deleted here"},
	"it is deleted by a controller":       {user: deploymentController, groups: []string{controllersGroup}, do: remove(theCopy), want: forbidden, words: "cannot be deleted here"},
	"it is deleted by Banyan":             {user: banyan, do: remove(theCopy)},
	"it is deleted with its namespace":    {user: namespaceController, do: remove(theCopy)},
	"a source is deleted":                 {do: remove(configMap("shop", "source"))},
	"one with a label of none is deleted": {do: remove(configMap("shop", "hollow"))},
	"one of another type is deleted":      {do: remove(thing("v1", "Secret", "shop", "copy"))},
	"one elsewhere is deleted":            {do: remove(configMap("bare", "copy"))},
}

func owned(u *unstructured.Unstructured) {
	if err := unstructured.SetNestedSlice(u.Object, []any{map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "name": "source", "uid": "00000000-0000-0000-0000-000000000000",
	}}, "metadata", "ownerReferences"); err != nil {
		panic(err)
	}
}

// applied is what kubectl apply --server-side --force-conflicts sends.
func applied(u *unstructured.Unstructured) func(context.Context, client.Client) error {
	return func(ctx context.Context, c client.Client) error { return apply(ctx, c, u, client.ForceOwnership) }
}

func patched(u *unstructured.Unstructured, patch string) func(context.Context, client.Client) error {
	return func(ctx context.Context, c client.Client) error {
		return c.Patch(ctx, u.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(patch)))
	}
}

func removeAll(ctx context.Context, c client.Client) error {
	return c.DeleteAllOf(ctx, configMap("shop", ""), client.InNamespace("shop"), client.MatchingLabels{"team": "a"})
}

// testControlPlane gives copies to the real controllers, which count revisions and
// derive objects.
func testControlPlane(t *testing.T, c *courtroom) {
	ctx := t.Context()
	for _, object := range []*unstructured.Unstructured{
		namespaced("work", included("true")),
		deployment("work", "copy", copied("root")),
		service("work", "copy", copied("root")),
	} {
		require.NoError(t, c.as(t, banyan).Create(ctx, object))
	}
	require.True(t, eventually(func() bool {
		u := deployment("work", "copy")
		return c.Get(ctx, client.ObjectKeyFromObject(u), u) == nil && u.GetAnnotations()["deployment.kubernetes.io/revision"] == "1"
	}), "its revision is counted")
	require.True(t, eventually(func() bool {
		slices := &discoveryv1.EndpointSliceList{}
		err := c.List(ctx, slices, client.InNamespace("work"), client.MatchingLabels{api.LabelInheritedFrom: "root"})
		return err == nil && len(slices.Items) > 0
	}), "its endpoints have the labels of the copy")
}

// testTerminating: a namespace that ends takes its copies with it, and whoever
// tidies up there, may.
func testTerminating(t *testing.T, c *courtroom) {
	ctx := t.Context()
	held := configMap("ending", "held", copied("root"))
	require.NoError(t, c.as(t, banyan).Create(ctx, namespaced("ending", included("true"))))
	require.NoError(t, c.as(t, banyan).Create(ctx, configMap("ending", "copy", copied("root"))))
	require.NoError(t, c.as(t, banyan).Create(ctx, configMap("ending", "held", copied("root"), set([]any{"example.com/f"}, "metadata", "finalizers"))))
	user := c.as(t, alice)
	require.True(t, apierrors.IsForbidden(remove(held)(ctx, user)))

	require.NoError(t, user.Delete(ctx, namespaced("ending")))
	require.True(t, eventually(func() bool { return remove(held)(ctx, user) == nil }), "it can be deleted")
	require.NoError(t, change(held, drop("metadata", "finalizers"))(ctx, user))
	require.True(t, eventually(func() bool {
		return apierrors.IsNotFound(c.Get(ctx, client.ObjectKey{Name: "ending"}, &corev1.Namespace{}))
	}), "the namespace is gone")
}
