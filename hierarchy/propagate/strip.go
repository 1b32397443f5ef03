// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate

import (
	"encoding/json"
	"maps"

	"github.com/cespare/xxhash/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// essence is what a source and its copy have in common: all but the status, the
// place in its own namespace (owners, finalizers, identity), the metadata that
// is Banyan's or other tools', and what the cluster assigned to it.
type essence struct {
	content             map[string]any
	labels, annotations map[string]string
}

// essenceOf shares its parts with the object.
func essenceOf(u *unstructured.Unstructured) essence {
	content := map[string]any{}
	for field, value := range u.Object {
		switch field {
		case "apiVersion", "kind", "metadata", "status":
		default:
			content[field] = value
		}
	}
	a := assignments[u.GroupVersionKind().GroupKind()]
	e := essence{a.written(u.GetName(), content), shared(u.GetLabels()), shared(u.GetAnnotations())}
	maps.DeleteFunc(e.annotations, func(key, _ string) bool { return fits(a.annotations, key) })
	return e
}

// shared returns the labels or annotations that a source and its copy share.
func shared(from map[string]string) map[string]string {
	to := map[string]string{}
	for key, value := range from {
		if !hierarchy.InDomain(key) && !fits(tracking, key) {
			to[key] = value
		}
	}
	return to
}

// inherited is the essence of a copy of this source.
func inherited(source *unstructured.Unstructured, options Options) essence {
	e := essenceOf(source)
	maps.DeleteFunc(e.labels, func(key, _ string) bool { return fits(options.UnpropagatedLabels, key) })
	maps.DeleteFunc(e.annotations, func(key, _ string) bool { return fits(options.UnpropagatedAnnotations, key) })
	if !fits(options.UnpropagatedLabels, api.LabelManagedByApps) {
		e.labels[api.LabelManagedByApps] = api.Group
	}
	return e
}

// Copy returns the copy of a source that belongs into a namespace.
func Copy(source *unstructured.Unstructured, namespace string, options Options) *unstructured.Unstructured {
	e := inherited(source, options)
	e.labels[api.LabelInheritedFrom] = source.GetNamespace()

	u := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(e.content)}
	u.SetGroupVersionKind(source.GroupVersionKind())
	u.SetNamespace(namespace)
	u.SetName(source.GetName())
	u.SetLabels(e.labels)
	if len(e.annotations) > 0 {
		u.SetAnnotations(e.annotations)
	}
	return u
}

// Hash sums up what of a copy is compared with its source. Two copies with the
// same hash need no write.
//
// Tracking metadata and assigned values are not compared: copies that HNC made
// have them, and are not worth a write each.
func Hash(u *unstructured.Unstructured) uint64 { return essenceOf(u).hash() }

func (e essence) hash() uint64 {
	// Unstructured content is made of JSON; it always marshals, and with
	// sorted keys.
	data, _ := json.Marshal([]any{e.content, e.labels, e.annotations})
	return xxhash.Sum64(data)
}
