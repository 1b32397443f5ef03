// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Metadata checks the lists of labels and annotations that a user asks for on
// namespaces.
func Metadata(scope hierarchy.Scope, labels, annotations []api.MetaKVP) Verdict {
	causes := keyFaults("spec.labels", "--managed-namespace-label", labels, scope.ManagesLabel)
	for _, pair := range labels {
		if faults := validation.IsValidLabelValue(pair.Value); len(faults) > 0 {
			causes = append(causes, metav1.StatusCause{
				Type:    metav1.CauseTypeFieldValueInvalid,
				Field:   fmt.Sprintf("spec.labels[%s]", pair.Key),
				Message: fmt.Sprintf("%q is no value of a label (%s); use a legal one", pair.Value, strings.Join(faults, "; ")),
			})
		}
	}
	causes = append(causes, keyFaults("spec.annotations", "--managed-namespace-annotation", annotations, scope.ManagesAnnotation)...)
	if len(causes) > 0 {
		return DenyInvalid(causes)
	}
	return Allow()
}

func keyFaults(field, flag string, pairs []api.MetaKVP, managed func(key string) bool) []metav1.StatusCause {
	var causes []metav1.StatusCause
	for _, pair := range pairs {
		message := ""
		if faults := validation.IsQualifiedName(pair.Key); len(faults) > 0 {
			message = fmt.Sprintf("%q is no legal key (%s); use a legal one", pair.Key, strings.Join(faults, "; "))
		} else if !managed(pair.Key) {
			message = fmt.Sprintf("key %q is not managed; use a key that %s allows, or ask the administrator of the cluster to allow it", pair.Key, flag)
		}
		if message != "" {
			causes = append(causes, metav1.StatusCause{Type: metav1.CauseTypeFieldValueInvalid, Field: field, Message: message})
		}
	}
	return causes
}
