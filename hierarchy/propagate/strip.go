// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// tracking is the metadata by which a tool recognizes the objects that it
// applied and may prune. On a copy it would be a lie: Argo CD, Flux, Config
// Sync, Helm and kubectl would fight Banyan over the copy.
//
// A name that begins with a dot stands for all domains that end in it; one that
// ends in a slash, for all keys of that domain.
var tracking = []string{
	"app.kubernetes.io/instance", // Argo CD, unless it tracks by annotation
	"applyset.kubernetes.io/part-of",
	"argocd.argoproj.io/",
	"config.k8s.io/owning-inventory",
	"configmanagement.gke.io/",
	"configsync.gke.io/",
	"kubectl.kubernetes.io/last-applied-configuration",
	"meta.helm.sh/",
	".toolkit.fluxcd.io/",
}

func isTracking(key string) bool {
	domain, _, prefixed := strings.Cut(key, "/")
	return slices.ContainsFunc(tracking, func(t string) bool {
		ours, whole := strings.CutSuffix(t, "/")
		switch {
		case !whole:
			return key == t
		case strings.HasPrefix(ours, "."):
			return prefixed && strings.HasSuffix(domain, ours)
		}
		return prefixed && domain == ours
	})
}

// Copy returns the copy of a source that belongs into a namespace. It has all
// that the source has, but for its status, its place in its own namespace
// (owners, finalizers, identity), the metadata that is Banyan's or other tools',
// and what the options leave out.
func Copy(source *unstructured.Unstructured, namespace string, options Options) *unstructured.Unstructured {
	content := map[string]any{}
	for field, value := range source.Object {
		if field != "metadata" && field != "status" {
			content[field] = runtime.DeepCopyJSONValue(value)
		}
	}
	labels := inherited(source.GetLabels(), options.UnpropagatedLabels)
	if !slices.Contains(options.UnpropagatedLabels, api.LabelManagedByApps) {
		labels[api.LabelManagedByApps] = api.Group
	}
	labels[api.LabelInheritedFrom] = source.GetNamespace()

	u := &unstructured.Unstructured{Object: content}
	u.SetNamespace(namespace)
	u.SetName(source.GetName())
	u.SetLabels(labels)
	if annotations := inherited(source.GetAnnotations(), options.UnpropagatedAnnotations); len(annotations) > 0 {
		u.SetAnnotations(annotations)
	}
	return u
}

// inherited returns what of the labels or annotations goes into a copy.
func inherited(from map[string]string, without []string) map[string]string {
	to := shared(from)
	maps.DeleteFunc(to, func(key, _ string) bool { return slices.Contains(without, key) })
	return to
}

// shared returns the labels or annotations that a source and its copy share.
func shared(from map[string]string) map[string]string {
	to := map[string]string{}
	for key, value := range from {
		if !hierarchy.InDomain(key) && !isTracking(key) {
			to[key] = value
		}
	}
	return to
}

// Hash sums up what of a copy is compared with its source. Two copies with the
// same hash need no write.
//
// Tracking metadata is not compared: copies that HNC made have it, and are not
// worth a write each.
func Hash(u *unstructured.Unstructured) uint64 {
	content := map[string]any{}
	for field, value := range u.Object {
		switch field {
		case "apiVersion", "kind", "metadata", "status":
		default:
			content[field] = value
		}
	}
	// Unstructured content is made of JSON; it always marshals, and with
	// sorted keys.
	data, _ := json.Marshal([]any{content, shared(u.GetLabels()), shared(u.GetAnnotations())})
	return xxhash.Sum64(data)
}
