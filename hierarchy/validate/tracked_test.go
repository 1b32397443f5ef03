// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

var secrets = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}

// secret reads "place:name key=value ..." where the keys are the exceptions
// (select, treeSelect, none, all), "from" for a copy, "finalizer", or "data".
func secret(text string) *unstructured.Unstructured {
	fields := strings.Fields(text)
	namespace, name, _ := strings.Cut(fields[0], ":")
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(secrets)
	u.SetNamespace(namespace)
	u.SetName(name)
	annotations, labels := map[string]string{}, map[string]string{}
	for _, field := range fields[1:] {
		key, value, _ := strings.Cut(field, "=")
		switch key {
		case "select", "treeSelect", "none", "all":
			annotations[api.AnnotationPropagatePrefix+"/"+key] = value
		case "from":
			labels[api.LabelInheritedFrom] = value
		case "finalizer":
			u.SetFinalizers([]string{value})
		case "owner":
			_ = unstructured.SetNestedSlice(u.Object, []any{map[string]any{"name": value}}, "metadata", "ownerReferences")
		case "version":
			u.SetResourceVersion(value)
		case "data", "status":
			u.Object[key] = map[string]any{"k": value}
		case "label":
			labels[value] = "v"
		case "annotation":
			annotations[value] = "v"
		default:
			panic(fmt.Sprintf("reading %q: what is %q?", text, key))
		}
	}
	u.SetLabels(labels)
	u.SetAnnotations(annotations)
	return u
}

// track returns Secrets as a type that is handled in a mode.
func track(mode api.SynchronizationMode, texts ...string) []propagate.Tracked {
	objects := propagate.NewObjects(secrets, propagate.Options{})
	for _, text := range texts {
		objects.Set(propagate.Observe(secret(text)))
	}
	active := propagate.Active{Type: propagate.Type{GVK: secrets, Mode: mode}, Resource: "secrets", Plural: "secrets"}
	return []propagate.Tracked{{Active: active, Objects: objects, Awake: true}}
}

// requireWarnings checks that there is one for each fragment, in this order.
func requireWarnings(t *testing.T, got validate.Verdict, fragments ...string) {
	t.Helper()
	require.Len(t, got.Warnings, len(fragments), "%q", got.Warnings)
	for i, fragment := range fragments {
		require.Contains(t, got.Warnings[i], fragment)
		require.Contains(t, got.Warnings[i], ";", "a warning ends in a remedy")
		require.NotContains(t, got.Warnings[i], "%!")
		require.Less(t, len(got.Warnings[i]), 256, "the API server cuts longer ones")
	}
}
