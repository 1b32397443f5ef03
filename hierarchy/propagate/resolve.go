// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Resource is what the API server has under a name.
type Resource struct {
	GVK        schema.GroupVersionKind
	Plural     string
	Namespaced bool
}

// Lookup finds a resource by group and name, plural or singular; the group may
// be left out. It returns ErrNoResource, wrapped or not, if the API server has
// none.
type Lookup func(group, resource string) (Resource, error)

// ErrNoResource is the answer of a Lookup that found nothing.
var ErrNoResource = errors.New("the API server has no such resource")

// Resolution is what a spec means.
type Resolution struct {
	// Active has the enforced types first, then those of the spec in its order.
	Active []Active

	// Faults are all that is wrong with the spec, in its order.
	Faults []Fault
}

// Fault is what is wrong with one entry of the spec: type, reason and message
// of a condition.
type Fault struct{ Type, Reason, Message string }

// Reasons of faults. All but the last are HNC's.
const (
	ReasonResourceNotFound              = "ResourceNotFound"
	ReasonResourceNotNamespaced         = "ResourceNotNamespaced"
	ReasonMultipleConfigurationsForType = "MultipleConfigurationsForType"
	ReasonUnknown                       = "Unknown"
	ReasonResourceNotPropagatable       = "ResourceNotPropagatable"
)

// Resolve says which types are handled. An entry that is wrong costs only
// itself; of several for one type, the first counts.
func Resolve(spec api.HNCConfigurationSpec, lookup Lookup) Resolution {
	r := Resolution{Active: slices.Clone(enforced)}
	for i, entry := range spec.Resources {
		active, reason, words := r.resolve(entry, lookup)
		if reason == "" {
			r.Active = append(r.Active, active)
			continue
		}
		r.Faults = append(r.Faults, Fault{
			Type:    api.ConditionBadConfiguration,
			Reason:  reason,
			Message: fmt.Sprintf("Resource %q of group %q (spec.resources[%d]): %s.", entry.Resource, entry.Group, i, words),
		})
	}
	return r
}

// resolve returns the type that an entry names, or the reason of its fault and
// what to say about it.
func (r Resolution) resolve(entry api.ResourceSpec, lookup Lookup) (active Active, reason, words string) {
	resource, err := lookup(entry.Group, entry.Resource)
	kind := resource.GVK.GroupKind()
	switch {
	case err != nil && namesEnforced(entry):
		return active, ReasonMultipleConfigurationsForType, enforcedWords
	case errors.Is(err, ErrNoResource):
		return active, ReasonResourceNotFound, "the API server has no such resource; correct group and resource, or install the definition of the type, or remove the entry"
	case err != nil:
		return active, ReasonUnknown, fmt.Sprintf("looking it up: %v; it is looked up again, remove the entry if it is not needed", err)
	case !resource.Namespaced:
		name := schema.GroupResource{Group: kind.Group, Resource: resource.Plural}
		return active, ReasonResourceNotNamespaced, fmt.Sprintf("resource %q is not namespaced, and only objects in namespaces are copied; remove the entry", name.String())
	case isEnforced(kind):
		return active, ReasonMultipleConfigurationsForType, enforcedWords
	}
	if why := whyUnpropagatable(kind); why != "" {
		return active, ReasonResourceNotPropagatable, fmt.Sprintf("an object of kind %s is of no use in another namespace, since %s; remove the entry", kind.Kind, why)
	}
	if winner, ok := r.active(kind); ok {
		return active, ReasonMultipleConfigurationsForType, fmt.Sprintf("Multiple sync mode settings found for %q; all but one (%q) will be ignored; remove the others", entry.Resource, winner.Mode)
	}
	return Active{
		Type:     Type{GVK: resource.GVK, Mode: Mode(entry.Mode)},
		Group:    entry.Group,
		Resource: entry.Resource,
		Plural:   resource.Plural,
	}, "", ""
}

const enforcedWords = `the mode of this type is enforced as "Propagate" and cannot be overridden; remove the entry`

func isEnforced(kind schema.GroupKind) bool {
	return slices.ContainsFunc(enforced, func(e Active) bool { return e.GVK.GroupKind() == kind })
}

// namesEnforced recognizes an enforced type by its name alone, while the API
// server cannot be asked.
func namesEnforced(entry api.ResourceSpec) bool {
	return slices.ContainsFunc(enforced, func(e Active) bool {
		return entry.Group == e.Group && (entry.Resource == e.Plural || entry.Resource == strings.ToLower(e.GVK.Kind))
	})
}

func (r Resolution) active(kind schema.GroupKind) (Active, bool) {
	i := slices.IndexFunc(r.Active, func(a Active) bool { return a.GVK.GroupKind() == kind })
	if i < 0 {
		return Active{}, false
	}
	return r.Active[i], true
}
