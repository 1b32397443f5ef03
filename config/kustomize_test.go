// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package config_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// kustomize builds a folder with the binary that KUSTOMIZE names, or with the
// one that "go build -C .tools/generate -o ../../bin/tools/
// sigs.k8s.io/kustomize/kustomize/v5" makes.
func kustomize(t *testing.T, dir string) []*unstructured.Unstructured {
	t.Helper()
	binary := os.Getenv("KUSTOMIZE")
	if binary == "" {
		binary = "../bin/tools/kustomize"
	}
	command := exec.CommandContext(t.Context(), binary, "build", dir)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	require.NoError(t, err, "running %s: %s", binary, &stderr)

	var built []*unstructured.Unstructured
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(out)))
	for {
		doc, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return built
		}
		require.NoError(t, err)
		object := &unstructured.Unstructured{}
		json, err := yaml.YAMLToJSONStrict(doc)
		require.NoError(t, err)
		require.NoError(t, object.UnmarshalJSON(json))
		built = append(built, object)
	}
}

// TestKustomizeBuildsThePlainObjects: whoever applies the embedded objects
// applies what users of kustomize apply, no less and nothing else.
func TestKustomizeBuildsThePlainObjects(t *testing.T) {
	byID := func(objects []*unstructured.Unstructured) map[string]map[string]any {
		m := map[string]map[string]any{}
		for _, object := range objects {
			require.NotContains(t, m, id(object))
			m[id(object)] = object.Object
		}
		return m
	}
	if diff := cmp.Diff(byID(objects(t)), byID(kustomize(t, "default"))); diff != "" {
		t.Errorf("kustomize build default (-plain +built):\n%s", diff)
	}
}

// TestKustomizeWithoutWebhooks: that variant differs in nothing else.
func TestKustomizeWithoutWebhooks(t *testing.T) {
	want := map[string]map[string]any{}
	for _, object := range objects(t, "crd", "rbac", "manager", "policy", "flowcontrol") {
		want[id(object)] = object.Object
	}
	for _, object := range kustomize(t, "nowebhooks") {
		switch object.GetName() {
		case "banyan-parents":
			require.NotContains(t, want, id(object), "only this variant has it")
			continue
		case "banyan":
			if object.GetKind() == "StatefulSet" {
				require.Equal(t, "--no-webhooks", cutLastArgument(t, object))
			}
		}
		require.Empty(t, cmp.Diff(want[id(object)], object.Object), id(object))
		delete(want, id(object))
	}
	require.Empty(t, want, "left out")
}

// cutLastArgument takes it off the one container of a StatefulSet.
func cutLastArgument(t *testing.T, set *unstructured.Unstructured) string {
	t.Helper()
	containers, _, err := unstructured.NestedSlice(set.Object, "spec", "template", "spec", "containers")
	require.NoError(t, err)
	require.Len(t, containers, 1)
	container := containers[0].(map[string]any)
	args := container["args"].([]any)
	container["args"] = args[:len(args)-1]
	require.NoError(t, unstructured.SetNestedSlice(set.Object, containers, "spec", "template", "spec", "containers"))
	return args[len(args)-1].(string)
}

// TestCertManager: it issues the certificate that Banyan serves, for the name by
// which the API server calls, and is told where to put the authority.
func TestCertManager(t *testing.T) {
	built := kustomize(t, "certmanager")
	injected, names, args := 0, []string(nil), []string(nil)
	for _, object := range built {
		if object.GetAnnotations()["cert-manager.io/inject-ca-from"] == "hnc-system/banyan-webhook" {
			injected++
		}
		switch {
		case object.GetKind() == "Certificate" && object.GetName() == "banyan-webhook":
			secret, _, err := unstructured.NestedString(object.Object, "spec", "secretName")
			require.NoError(t, err)
			require.Equal(t, "hnc-webhook-server-cert", secret)
			names, _, err = unstructured.NestedStringSlice(object.Object, "spec", "dnsNames")
			require.NoError(t, err)
		case object.GetKind() == "StatefulSet":
			containers, _, err := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "containers")
			require.NoError(t, err)
			args, _, err = unstructured.NestedStringSlice(containers[0].(map[string]any), "args")
			require.NoError(t, err)
		}
	}
	require.Equal(t, 2, injected)
	require.Contains(t, names, "hnc-webhook-service.hnc-system.svc")
	require.Contains(t, args, "--enable-internal-cert-management=false")
}

// TestAnyNamespace: the namespace is spelt out in full wherever it stands, so that
// replacing the name moves all of Banyan. Nothing else has the name as a part.
func TestAnyNamespace(t *testing.T) {
	for _, dir := range []string{"default", "certmanager", "nowebhooks"} {
		var moved []*unstructured.Unstructured
		for _, object := range kustomize(t, dir) {
			data, err := object.MarshalJSON()
			require.NoError(t, err)
			again := &unstructured.Unstructured{}
			require.NoError(t, again.UnmarshalJSON(bytes.ReplaceAll(data, []byte("hnc-system"), []byte("tenancy"))))
			moved = append(moved, again)
		}
		homes, selves := 0, 0
		for _, object := range moved {
			if namespace := object.GetNamespace(); namespace != "" {
				require.Equal(t, "tenancy", namespace, id(object))
			}
			if object.GetKind() == "Namespace" {
				require.Equal(t, "tenancy", object.GetName())
				homes++
			}
			data, err := object.MarshalJSON()
			require.NoError(t, err)
			selves += bytes.Count(data, []byte("system:serviceaccount:tenancy:banyan"))
			require.NotContains(t, string(data), "system:serviceaccount:hnc", id(object))
		}
		require.Equal(t, 1, homes, dir)
		require.Positive(t, selves, dir)
	}
}
