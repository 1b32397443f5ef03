// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// readableSelect: what cannot be read would stop all propagation. What stood there
// already must not keep anybody from removing a finalizer. The other annotations
// that limit propagation need no parser, and are judged by a policy in the API
// server.
func readableSelect(old, new *unstructured.Unstructured) Verdict {
	annotations := new.GetAnnotations()
	if old != nil && old.GetAnnotations()[api.AnnotationSelector] == annotations[api.AnnotationSelector] {
		return Allow()
	}
	if _, err := propagate.ParseSelect(annotations); err != nil {
		return DenyBadRequest(annotationField(api.AnnotationSelector), "%v; correct the value, or remove the annotation", err)
	}
	return Allow()
}

func annotationField(key string) string { return fmt.Sprintf("metadata.annotations[%s]", key) }
