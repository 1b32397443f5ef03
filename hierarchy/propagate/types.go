// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Type is one type of objects that is propagated.
type Type struct {
	GVK  schema.GroupVersionKind
	Mode api.SynchronizationMode
}

// Active is a type that is handled.
type Active struct {
	Type

	// Group and Resource are as the user wrote them.
	Group, Resource string

	// Plural is the name of the resource in the API.
	Plural string
}

// enforced are the types that are handled whatever the HNCConfiguration says.
// Every API server has them, so nobody need be asked where they are.
var enforced = []Active{enforcedType("Role", "roles"), enforcedType("RoleBinding", "rolebindings")}

func enforcedType(kind, plural string) Active {
	gvk := schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: kind}
	return Active{Type: Type{GVK: gvk, Mode: api.Propagate}, Group: gvk.Group, Resource: plural, Plural: plural}
}

// unpropagatable is what no user can want copied: somebody writes it for each
// namespace by itself, and would fight over the copy.
var unpropagatable = []struct{ group, kind, why string }{
	{api.Group, "", "it says where its own namespace stands"},
	{"", "Event", "it reports what happened in its own namespace"},
	{"events.k8s.io", "Event", "it reports what happened in its own namespace"},
	{"coordination.k8s.io", "Lease", "its holder renews it all the time"},
	{"", "Endpoints", "it is derived from a Service of its own namespace"},
	{"discovery.k8s.io", "EndpointSlice", "it is derived from a Service of its own namespace"},
	{"apps", "ControllerRevision", "it is the history of one workload"},
}

// whyUnpropagatable gives the reason in words; it is empty for a type that may
// be propagated.
func whyUnpropagatable(kind schema.GroupKind) string {
	for _, u := range unpropagatable {
		if u.group == kind.Group && (u.kind == "" || u.kind == kind.Kind) {
			return u.why
		}
	}
	return ""
}
