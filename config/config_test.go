// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/banyan-hns/banyan/config"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

func scheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	s := runtime.NewScheme()
	require.NoError(t, clientgoscheme.AddToScheme(s))
	require.NoError(t, apiextensionsv1.AddToScheme(s))
	require.NoError(t, api.AddToScheme(s))
	return s
}

func objects(t *testing.T, dir ...string) []*unstructured.Unstructured {
	t.Helper()
	got, err := config.Objects(dir...)
	require.NoError(t, err)
	require.NotEmpty(t, got)
	return got
}

// find decodes the one embedded object of that kind and name into a T.
func find[T any](t *testing.T, kind, name string) *T {
	t.Helper()
	for _, object := range objects(t) {
		if object.GetKind() == kind && object.GetName() == name {
			into := new(T)
			require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, into))
			return into
		}
	}
	require.Failf(t, "not among the objects", "%s %s", kind, name)
	return nil
}

// samples reads config/samples, which is for people and therefore not embedded.
func samples(t *testing.T) [][]byte {
	t.Helper()
	files, err := filepath.Glob("samples/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var all [][]byte
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		all = append(all, data)
	}
	return all
}

// id is how an object is named in failures and compared in sets.
func id(object *unstructured.Unstructured) string {
	return object.GetKind() + " " + filepath.Join(object.GetNamespace(), object.GetName())
}

func TestObjectsAreSortedForApplication(t *testing.T) {
	var got []string
	for _, object := range objects(t) {
		got = append(got, id(object))
	}
	want := []string{
		"Namespace hnc-system",
		"CustomResourceDefinition hierarchicalresourcequotas.hnc.x-k8s.io",
		"CustomResourceDefinition hierarchyconfigurations.hnc.x-k8s.io",
		"CustomResourceDefinition hncconfigurations.hnc.x-k8s.io",
		"CustomResourceDefinition subnamespaceanchors.hnc.x-k8s.io",
		"ServiceAccount hnc-system/banyan",
		"ClusterRole banyan",
		"ClusterRole banyan-base",
		"ClusterRole hnc-admin",
		"ClusterRole hnc-edit",
		"ClusterRole hnc-view",
		"Role hnc-system/banyan",
		"ClusterRoleBinding banyan",
		"RoleBinding hnc-system/banyan",
		"FlowSchema banyan-leases",
		"PodDisruptionBudget hnc-system/banyan",
		"Service hnc-system/banyan",
		"Service hnc-system/hnc-webhook-service",
		"StatefulSet hnc-system/banyan",
		"ValidatingAdmissionPolicy banyan-copies",
		"ValidatingAdmissionPolicy banyan-exceptions",
		"ValidatingAdmissionPolicy banyan-included-namespaces",
		"ValidatingAdmissionPolicy banyan-moves",
		"ValidatingAdmissionPolicy banyan-names",
		"ValidatingAdmissionPolicy banyan-namespaces",
		"ValidatingAdmissionPolicy banyan-readiness",
		"ValidatingAdmissionPolicy banyan-types",
		"ValidatingAdmissionPolicyBinding banyan-copies",
		"ValidatingAdmissionPolicyBinding banyan-exceptions",
		"ValidatingAdmissionPolicyBinding banyan-included-namespaces",
		"ValidatingAdmissionPolicyBinding banyan-moves",
		"ValidatingAdmissionPolicyBinding banyan-names",
		"ValidatingAdmissionPolicyBinding banyan-namespaces",
		"ValidatingAdmissionPolicyBinding banyan-readiness",
		"ValidatingAdmissionPolicyBinding banyan-types",
		"MutatingWebhookConfiguration hnc-mutating-webhook-configuration",
		"ValidatingWebhookConfiguration hnc-validating-webhook-configuration",
	}
	require.Equal(t, want, got)
}

// TestObjectsDecodeStrictly finds misspelled and repeated fields, which a lax
// decoder drops.
func TestObjectsDecodeStrictly(t *testing.T) {
	decoder := serializer.NewCodecFactory(scheme(t), serializer.EnableStrict).UniversalDeserializer()
	for _, object := range objects(t) {
		data, err := object.MarshalJSON()
		require.NoError(t, err)
		_, _, err = decoder.Decode(data, nil, nil)
		require.NoError(t, err, id(object))
	}
	for _, data := range samples(t) {
		_, _, err := decoder.Decode(data, nil, nil)
		require.NoError(t, err, string(data))
	}
}

func TestSamplesShowEveryKind(t *testing.T) {
	decoder := serializer.NewCodecFactory(scheme(t)).UniversalDeserializer()
	var got []string
	for _, data := range samples(t) {
		_, gvk, err := decoder.Decode(data, nil, nil)
		require.NoError(t, err)
		got = append(got, gvk.Kind)
	}
	require.Subset(t, got, []string{
		"HierarchyConfiguration", "SubnamespaceAnchor", "HNCConfiguration", "HierarchicalResourceQuota",
	})
}

func TestObjectsRefusesAnUnknownFolder(t *testing.T) {
	_, err := config.Objects("crd", "sceptre")
	require.ErrorContains(t, err, "sceptre")
}
