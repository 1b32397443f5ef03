// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

var (
	configMaps   = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	secrets      = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}
	roles        = schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "Role"}
	roleBindings = schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "RoleBinding"}
)

// parse makes an object from YAML.
func parse(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &u.Object))
	return u
}

const fullSource = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: s
  namespace: p
  generateName: s-
  uid: u1
  resourceVersion: "7"
  generation: 3
  creationTimestamp: "2026-01-02T03:04:05Z"
  finalizers: [example.com/f]
  ownerReferences: [{apiVersion: v1, kind: Pod, name: o, uid: u0}]
  managedFields: [{manager: m, operation: Update}]
  labels:
    app.kubernetes.io/managed-by: Helm
    app.kubernetes.io/instance: app
    app.kubernetes.io/name: keep
    applyset.kubernetes.io/part-of: set
    kustomize.toolkit.fluxcd.io/name: flux
    hnc.x-k8s.io/other: gone
    plain: keep
    secret-label: gone
  annotations:
    argocd.argoproj.io/tracking-id: "app:/ConfigMap:p/s"
    configmanagement.gke.io/token: t
    configsync.gke.io/resource-id: r
    config.k8s.io/owning-inventory: i
    meta.helm.sh/release-name: r
    kubectl.kubernetes.io/last-applied-configuration: "{}"
    propagate.hnc.x-k8s.io/select: color
    x.tree.hnc.x-k8s.io/depth: gone
    toolkit.fluxcd.io/look-alike: keep
    example.com/hnc.x-k8s.io: keep
    nothnc.x-k8s.io/key: keep
    secret-annotation: gone
data: {key: value, number: "1"}
immutable: true
status: {phase: gone}
`

func TestCopy(t *testing.T) {
	source := parse(t, fullSource)
	before := source.DeepCopy()
	got := propagate.Copy(source, "c", propagate.Options{
		UnpropagatedLabels: []string{"secret-label"}, UnpropagatedAnnotations: []string{"secret-annotation"},
	})
	want := parse(t, `
apiVersion: v1
kind: ConfigMap
metadata:
  name: s
  namespace: c
  labels:
    app.kubernetes.io/managed-by: hnc.x-k8s.io
    app.kubernetes.io/name: keep
    hnc.x-k8s.io/inherited-from: p
    plain: keep
  annotations:
    toolkit.fluxcd.io/look-alike: keep
    example.com/hnc.x-k8s.io: keep
    nothnc.x-k8s.io/key: keep
data: {key: value, number: "1"}
immutable: true
`)
	if diff := cmp.Diff(want.Object, got.Object); diff != "" {
		t.Errorf("copy (-want +got):\n%s", diff)
	}

	got.Object["data"].(map[string]any)["key"] = "scribble"
	require.Equal(t, before, source, "a copy shares nothing with its source")
}

func TestCopyMayBeToldNotToSayWhoManagesIt(t *testing.T) {
	got := propagate.Copy(parse(t, fullSource), "c", propagate.Options{UnpropagatedLabels: []string{"app.kubernetes.io/managed-by"}})
	require.NotContains(t, got.GetLabels(), "app.kubernetes.io/managed-by")
}

func TestHash(t *testing.T) {
	change := func(path ...string) func(*unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) {
			require.NoError(t, unstructured.SetNestedField(u.Object, "changed", path...))
		}
	}
	tests := map[string]struct {
		change func(*unstructured.Unstructured)
		same   bool
	}{
		"nothing":               {change: func(*unstructured.Unstructured) {}, same: true},
		"content":               {change: change("data", "key")},
		"more content":          {change: change("data", "more")},
		"a new field":           {change: change("extra")},
		"a label":               {change: change("metadata", "labels", "plain")},
		"a foreign label":       {change: change("metadata", "labels", "foreign")},
		"a foreign annotation":  {change: change("metadata", "annotations", "foreign")},
		"who manages it":        {change: change("metadata", "labels", "app.kubernetes.io/managed-by")},
		"a lost annotation":     {change: func(u *unstructured.Unstructured) { u.SetAnnotations(nil) }},
		"a label of ours":       {change: change("metadata", "labels", "hnc.x-k8s.io/other"), same: true},
		"an annotation of ours": {change: change("metadata", "annotations", "propagate.hnc.x-k8s.io/none"), same: true},
		"status":                {change: change("status", "phase"), same: true},
		"the version served":    {change: func(u *unstructured.Unstructured) { u.SetAPIVersion("v2") }, same: true},
		"identity": {change: func(u *unstructured.Unstructured) {
			u.SetUID("other")
			u.SetResourceVersion("99")
			u.SetFinalizers([]string{"other"})
		}, same: true},
		"what HNC copied of a tool's tracking": {change: change("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"), same: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			original := propagate.Copy(parse(t, fullSource), "c", propagate.Options{})
			changed := original.DeepCopy()
			tc.change(changed)
			require.Equal(t, tc.same, propagate.Hash(original) == propagate.Hash(changed))
		})
	}
}

func TestMode(t *testing.T) {
	for mode, want := range map[api.SynchronizationMode]api.SynchronizationMode{
		"": api.Propagate, api.Propagate: api.Propagate, api.AllowPropagate: api.AllowPropagate,
		api.Remove: api.Remove, api.Ignore: api.Ignore, "propagate": api.Ignore, "Whatever": api.Ignore,
	} {
		require.Equal(t, want, propagate.Mode(mode), mode)
	}
}
