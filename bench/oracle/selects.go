// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// selects says whether annotations let an object into a namespace with these
// labels: table A.1 of the specification.
func selects(mode api.SynchronizationMode, annotations, of map[string]string) bool {
	asked := false
	if text := annotations[api.AnnotationSelector]; text != "" {
		selector, err := labels.Parse(text)
		if err != nil || !selector.Matches(labels.Set(of)) {
			return false
		}
		asked = asked || !selector.Empty()
	}
	if text := annotations[api.AnnotationTreeSelector]; text != "" {
		if !inTree(text, of) {
			return false
		}
		asked = true
	}
	if text := annotations[api.AnnotationNoneSelector]; text != "" {
		if none, err := strconv.ParseBool(text); err != nil || none {
			return false
		}
	}
	if text := annotations[api.AnnotationAllSelector]; text != "" {
		all, err := strconv.ParseBool(text)
		if err != nil {
			return false
		}
		asked = asked || all
	}
	return asked || mode == api.Propagate
}

// inTree evaluates a treeSelect: table A.2.
func inTree(text string, of map[string]string) bool {
	positive := 0
	for _, entry := range strings.Split(text, ",") {
		name, negated := strings.CutPrefix(strings.TrimSpace(entry), "!")
		if len(validation.IsDNS1123Label(name)) > 0 {
			return false
		}
		if !negated {
			positive++
		}
		if _, below := of[name+treeSuffix]; below == negated {
			return false
		}
	}
	return positive <= 1
}

// excepted are objects that never go anywhere.
func excepted(o Object) bool {
	_, described := o.Annotations["openshift.io/description"]
	switch {
	case o.HasFinalizers, described:
		return true
	case o.Kind == "ConfigMap":
		return o.Name == "kube-root-ca.crt" || o.Name == "istio-ca-root-cert"
	case o.Kind == "Secret":
		return o.Type == "helm.sh/release.v1" || o.Type == "kubernetes.io/service-account-token"
	}
	return false
}
