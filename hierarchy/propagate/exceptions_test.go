// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

func TestExcepted(t *testing.T) {
	options := propagate.Options{
		NoPropagationLabels:    []propagate.Label{{"cattle.io/creator", "norman"}, {"cattle.io/creator", "other"}, {"empty", ""}},
		NoPropagationNames:     patterns(t, "rolebinding/system:*", "crossplane-?"),
		NoPropagationSelectors: selectors(t, "crossplane.io/claim-name", "tier in (one, two),!keep"),
	}
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
		"a name of a kind":                 {gvk: roleBindings, text: `{metadata: {name: "system:image-pullers"}}`, want: `"rolebinding/system:*"`},
		"that name of another kind":        {gvk: roles, text: `{metadata: {name: "system:image-pullers"}}`},
		"another name of that kind":        {gvk: roleBindings, text: `{metadata: {name: "my-system:image-pullers"}}`},
		"a name of any kind":               {gvk: configMaps, text: `{metadata: {name: crossplane-1}}`, want: "crossplane-?"},
		"a name that is too long":          {gvk: configMaps, text: `{metadata: {name: crossplane-12}}`},
		"a selected label":                 {gvk: roles, text: `{metadata: {name: s, labels: {crossplane.io/claim-name: x}}}`, want: "crossplane.io/claim-name"},
		"a second selector":                {gvk: roles, text: `{metadata: {name: s, labels: {tier: two}}}`, want: "tier in (one,two)"},
		"a selector that fits in part":     {gvk: roles, text: `{metadata: {name: s, labels: {tier: two, keep: ""}}}`},
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

// TestForeignNames: what another controller puts into every namespace by the
// same name is left alone at the top and below, since it is excepted everywhere.
func TestForeignNames(t *testing.T) {
	objects := observedUnder(propagate.Options{NoPropagationNames: patterns(t, "ConfigMap/s")}, source("a", "1"), source("b", "2"))
	f := foresttest.Create("-ab")
	for _, mode := range []api.SynchronizationMode{api.Propagate, api.AllowPropagate, api.Remove} {
		for _, namespace := range f.Namespaces() {
			require.Equal(t, propagate.Action{}, propagate.Decide(f, objects, mode, propagate.Key{Namespace: namespace, Name: "s"}), "%s in %s", mode, namespace)
		}
	}
	others := observedUnder(propagate.Options{NoPropagationNames: patterns(t, "Secret/s")}, source("a", "1"), source("b", "2"))
	require.Equal(t, propagate.Replace, propagate.Decide(f, others, api.Propagate, propagate.Key{Namespace: "b", Name: "s"}).Verb)
}

// TestForeignOwners: an object of another controller is no source, but is not
// protected from one that has the same name and belongs to nobody.
func TestForeignOwners(t *testing.T) {
	options := propagate.Options{NoPropagationSelectors: selectors(t, "owner")}
	f, key := foresttest.Create("-a"), propagate.Key{Namespace: "b", Name: "s"}
	require.Equal(t, propagate.None, propagate.Decide(f, observedUnder(options, source("a", "1").label("owner", "x")), api.Propagate, key).Verb)
	require.Equal(t, propagate.Delete, propagate.Decide(f, observedUnder(options, source("a", "1").label("owner", "x"), copyOf("b", "a", "1")), api.Propagate, key).Verb)
	require.Equal(t, propagate.Replace, propagate.Decide(f, observedUnder(options, source("a", "1"), source("b", "1").label("owner", "x")), api.Propagate, key).Verb)
}
