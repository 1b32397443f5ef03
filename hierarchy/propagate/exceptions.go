// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

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
	if why := options.except(gvk.Kind, source); why != "" {
		return why
	}
	if _, ok := source.GetAnnotations()[descriptionAnnotation]; ok {
		return "it has the annotation " + descriptionAnnotation
	}
	return ""
}

// except knows the objects that belong to other controllers in this cluster.
func (o Options) except(kind string, source *unstructured.Unstructured) string {
	own := labels.Set(source.GetLabels())
	for _, l := range o.NoPropagationLabels {
		if value, ok := own[l.Key]; ok && value == l.Value {
			return fmt.Sprintf("it has the label %s=%s", l.Key, l.Value)
		}
	}
	for _, p := range o.NoPropagationNames {
		if p.fits(kind, source.GetName()) {
			return fmt.Sprintf("its name fits %q", p)
		}
	}
	for _, s := range o.NoPropagationSelectors {
		if s.Matches(own) {
			return fmt.Sprintf("its labels fit %q", s)
		}
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
