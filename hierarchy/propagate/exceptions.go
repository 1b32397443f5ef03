// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Options are the flags that limit propagation.
type Options struct {
	// UnpropagatedLabels are keys that copies do not get.
	UnpropagatedLabels []string

	// UnpropagatedAnnotations are keys that copies do not get.
	UnpropagatedAnnotations []string

	// NoPropagationLabels keep whole objects from being copied.
	NoPropagationLabels []Label
}

// Label is one key with one value. Several may have the same key.
type Label struct{ Key, Value string }

// ParseLabel reads "key=value". The value may be empty.
func ParseLabel(s string) (Label, error) {
	key, value, ok := strings.Cut(s, "=")
	if !ok || key == "" || strings.Contains(value, "=") {
		return Label{}, fmt.Errorf("parsing label %q: it must have the form key=value", s)
	}
	return Label{key, value}, nil
}

// descriptionAnnotation is set by OpenShift on objects that it puts into every
// namespace by itself.
const descriptionAnnotation = "openshift.io/description"

// Excepted says why a source is never copied, whatever its annotations ask for.
// It is empty for all others.
func Excepted(gvk schema.GroupVersionKind, source *unstructured.Unstructured, options Options) string {
	if len(source.GetFinalizers()) > 0 {
		return "it has finalizers"
	}
	if why := belongsToNamespace(gvk, source); why != "" {
		return why
	}
	labels := source.GetLabels()
	for _, l := range options.NoPropagationLabels {
		if value, ok := labels[l.Key]; ok && value == l.Value {
			return fmt.Sprintf("it has the label %s=%s", l.Key, l.Value)
		}
	}
	if _, ok := source.GetAnnotations()[descriptionAnnotation]; ok {
		return "it has the annotation " + descriptionAnnotation
	}
	return ""
}

// belongsToNamespace knows the objects that somebody makes anew for each
// namespace, and that would be wrong in any other.
func belongsToNamespace(gvk schema.GroupVersionKind, source *unstructured.Unstructured) string {
	if gvk.Group != "" {
		return ""
	}
	switch gvk.Kind {
	case "ConfigMap":
		if slices.Contains([]string{"istio-ca-root-cert", "kube-root-ca.crt"}, source.GetName()) {
			return "every namespace gets its own"
		}
	case "Secret":
		kind, _, _ := unstructured.NestedString(source.Object, "type")
		if slices.Contains([]string{"helm.sh/release.v1", "kubernetes.io/service-account-token"}, kind) {
			return "secrets of type " + kind + " belong to one namespace"
		}
	}
	return ""
}
