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
	configMaps = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	secrets    = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}
	roles      = schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "Role"}
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

func TestTrimCopy(t *testing.T) {
	u := propagate.Copy(parse(t, fullSource), "c", propagate.Options{})
	u.SetUID("u2")
	u.SetResourceVersion("9")
	u.SetCreationTimestamp(parse(t, fullSource).GetCreationTimestamp())
	u.SetFinalizers([]string{"f"})
	before := u.DeepCopy()

	trimmed := propagate.Trim(u)
	require.Equal(t, before, u, "Trim does not mutate")
	require.Equal(t, propagate.Observe(u), propagate.Observe(trimmed), "what is observed does not depend on trimming")
	require.NotContains(t, trimmed.Object, "data")
	require.Same(t, trimmed, propagate.Trim(trimmed), "Trim is idempotent")

	o := propagate.Observe(trimmed)
	require.Equal(t, &propagate.Object{Namespace: "c", Name: "s", UID: "u2", ResourceVersion: "9", InheritedFrom: "p", HasFinalizers: true, Hash: propagate.Hash(u)}, o)
	require.Equal(t, configMaps, trimmed.GroupVersionKind())
}

func TestTrimSource(t *testing.T) {
	u := parse(t, fullSource)
	before := u.DeepCopy()
	trimmed := propagate.Trim(u)
	require.Equal(t, before, u, "Trim does not mutate")
	require.Empty(t, trimmed.GetManagedFields())
	require.Same(t, trimmed, propagate.Trim(trimmed), "Trim is idempotent")

	trimmed.SetManagedFields(before.GetManagedFields())
	require.Equal(t, before, trimmed, "only the managed fields are lost")

	o := propagate.Observe(u)
	require.False(t, o.IsCopy())
	require.Zero(t, o.Hash)
	require.Equal(t, "value", o.Source.Object["data"].(map[string]any)["key"])
}

// TestForgedHash: whoever edits a copy behind our back might also write the
// annotation that only caches should have.
func TestForgedHash(t *testing.T) {
	honest := propagate.Copy(parse(t, fullSource), "c", propagate.Options{})
	honest.SetCreationTimestamp(parse(t, fullSource).GetCreationTimestamp())
	forged := honest.DeepCopy()
	forged.Object["data"] = map[string]any{"key": "evil"}
	forged.SetAnnotations(propagate.Trim(honest).GetAnnotations())
	require.NotEqual(t, propagate.Observe(honest).Hash, propagate.Observe(forged).Hash)
	require.NotEqual(t, propagate.Observe(honest).Hash, propagate.Observe(propagate.Trim(forged)).Hash)
	delete(forged.Object, "data")
	delete(forged.Object, "immutable")
	require.NotEqual(t, propagate.Observe(honest).Hash, propagate.Observe(forged).Hash, "nor by emptying it")
}

func TestExcepted(t *testing.T) {
	options := propagate.Options{NoPropagationLabels: []propagate.Label{{"cattle.io/creator", "norman"}, {"cattle.io/creator", "other"}, {"empty", ""}}}
	tests := map[string]struct {
		gvk  schema.GroupVersionKind
		text string
		want string // a fragment; empty if not excepted
	}{
		"any object":                       {gvk: configMaps, text: `{metadata: {name: s}}`},
		"finalizers":                       {gvk: configMaps, text: `{metadata: {name: s, finalizers: [f]}}`, want: "finalizers"},
		"Istio's root certificate":         {gvk: configMaps, text: `{metadata: {name: istio-ca-root-cert}}`, want: "its own"},
		"that of Kubernetes":               {gvk: configMaps, text: `{metadata: {name: kube-root-ca.crt}}`, want: "its own"},
		"a Role of that name":              {gvk: roles, text: `{metadata: {name: kube-root-ca.crt}}`},
		"a release of Helm":                {gvk: secrets, text: `{metadata: {name: s}, type: helm.sh/release.v1}`, want: "helm.sh/release.v1"},
		"a token":                          {gvk: secrets, text: `{metadata: {name: s}, type: kubernetes.io/service-account-token}`, want: "service-account-token"},
		"an opaque secret":                 {gvk: secrets, text: `{metadata: {name: s}, type: Opaque}`},
		"a ConfigMap with such a field":    {gvk: configMaps, text: `{metadata: {name: s}, type: helm.sh/release.v1}`},
		"a secret whose type is no string": {gvk: secrets, text: `{metadata: {name: s}, type: {a: b}}`},
		"a label with that value":          {gvk: roles, text: `{metadata: {name: s, labels: {cattle.io/creator: norman}}}`, want: "cattle.io/creator=norman"},
		"a second pair of the same key":    {gvk: roles, text: `{metadata: {name: s, labels: {cattle.io/creator: other}}}`, want: "cattle.io/creator=other"},
		"a label with another value":       {gvk: roles, text: `{metadata: {name: s, labels: {cattle.io/creator: me}}}`},
		"a label with an empty value":      {gvk: roles, text: `{metadata: {name: s, labels: {empty: ""}}}`, want: "empty="},
		"an annotation of OpenShift":       {gvk: roles, text: `{metadata: {name: s, annotations: {openshift.io/description: ""}}}`, want: "openshift.io/description"},
		"asking for all does not help":     {gvk: secrets, text: `{metadata: {name: s, annotations: {propagate.hnc.x-k8s.io/all: "true"}}, type: helm.sh/release.v1}`, want: "helm.sh/release.v1"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := propagate.Excepted(tc.gvk, parse(t, tc.text), options)
			require.Equal(t, tc.want == "", got == "", got)
			require.Contains(t, got, tc.want)
		})
	}
}

func TestParseLabel(t *testing.T) {
	got, err := propagate.ParseLabel("key=")
	require.NoError(t, err)
	require.Equal(t, propagate.Label{Key: "key"}, got)
	got, err = propagate.ParseLabel("cattle.io/creator=norman")
	require.NoError(t, err)
	require.Equal(t, propagate.Label{Key: "cattle.io/creator", Value: "norman"}, got)
	for _, bad := range []string{"", "key", "=value", "key=a=b"} {
		_, err := propagate.ParseLabel(bad)
		require.Error(t, err, bad)
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
