// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Metadata checks the keys of the labels and annotations that a user asks for on
// namespaces against those that are managed. Whether keys and values are well
// formed, a policy in the API server says.
func Metadata(scope hierarchy.Scope, labels, annotations []api.MetaKVP) Verdict {
	causes := keyFaults("spec.labels", "--managed-namespace-label", labels, scope.ManagesLabel)
	causes = append(causes, keyFaults("spec.annotations", "--managed-namespace-annotation", annotations, scope.ManagesAnnotation)...)
	if len(causes) > 0 {
		return DenyInvalid(causes)
	}
	return Allow()
}

func keyFaults(field, flag string, pairs []api.MetaKVP, managed func(key string) bool) []metav1.StatusCause {
	var causes []metav1.StatusCause
	for _, pair := range pairs {
		if managed(pair.Key) {
			continue
		}
		message := fmt.Sprintf("key %q is not managed; use a key that %s allows, or ask the administrator of the cluster to allow it", pair.Key, flag)
		causes = append(causes, metav1.StatusCause{Type: metav1.CauseTypeFieldValueInvalid, Field: field, Message: message})
	}
	return causes
}
