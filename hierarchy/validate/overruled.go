// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// overruled warns of managed labels and annotations that a user sets on a
// namespace, and that its plan will take away or set to something else. The old
// namespace is nil if it is being created.
func overruled(f *hierarchy.Forest, old, ns *corev1.Namespace) Verdict {
	if old == nil {
		old = &corev1.Namespace{}
	}
	scope := f.Scope()
	labels := changedKeys(old.Labels, ns.Labels, scope.ManagesLabel)
	annotations := changedKeys(old.Annotations, ns.Annotations, scope.ManagesAnnotation)
	if len(labels)+len(annotations) == 0 || ns.Name == "" || !scope.Manages(ns.Name) {
		return Allow()
	}
	planned := plannedFor(f, ns)
	v := Allow()
	v.Warnings = append(v.Warnings, lost("label", "spec.labels", labels, ns.Labels, planned.Labels)...)
	v.Warnings = append(v.Warnings, lost("annotation", "spec.annotations", annotations, ns.Annotations, planned.Annotations)...)
	return v
}

// plannedFor returns the namespace as it will be made.
func plannedFor(f *hierarchy.Forest, ns *corev1.Namespace) *corev1.Namespace {
	supposed := hierarchy.NewForest(f.Scope())
	graft(supposed, f, ns.Annotations[api.AnnotationSubnamespaceOf])
	graft(supposed, f, ns.Name)
	supposed.RemoveNamespace(ns.Name)
	supposed.SetNamespace(ns)
	for _, action := range supposed.Decide(supposed.Observe(ns.Name), metav1.Time{}).Actions {
		if after, ok := action.After.(*corev1.Namespace); ok {
			return after
		}
	}
	return ns
}

func lost(what, list string, keys []string, set, planned map[string]string) []string {
	var warnings []string
	for _, key := range keys {
		value, stays := planned[key]
		switch {
		case !stays:
			warnings = append(warnings, fmt.Sprintf("%s %q is managed and will be removed again; set it in %s of the HierarchyConfiguration or anchor", what, key, list))
		case value != set[key]:
			warnings = append(warnings, fmt.Sprintf("%s %q is managed and will be set to %q; change it in %s of the HierarchyConfiguration or anchor, here or in an ancestor", what, key, value, list))
		}
	}
	return warnings
}

// changedKeys are those of interest that are new or have another value, sorted.
func changedKeys(old, new map[string]string, interesting func(key string) bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(new)), func(key string) bool {
		was, had := old[key]
		return !interesting(key) || had && was == new[key]
	})
}

// unheard warns of labels on an anchor, where some expect them to reach the
// namespace. Those that tools put on everything are not meant to.
func unheard(a *api.SubnamespaceAnchor) Verdict {
	keys := slices.DeleteFunc(slices.Sorted(maps.Keys(a.Labels)), func(key string) bool {
		asked := slices.ContainsFunc(a.Spec.Labels, func(pair api.MetaKVP) bool { return pair.Key == key })
		return asked || hierarchy.InDomain(key) || propagate.IsTracking(key) ||
			strings.HasPrefix(key, "app.kubernetes.io/") || strings.HasPrefix(key, "helm.sh/")
	})
	v := Allow()
	if len(keys) > 0 {
		v.Warnings = []string{fmt.Sprintf("labels of an anchor do not reach its namespace (%s); list them in spec.labels if they should", strings.Join(keys, ", "))}
	}
	return v
}
