// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Subjects that are named in more than one place.
const (
	whatNamespace     = "namespace"
	whatLabels        = "labels"
	whatAnnotations   = "annotations"
	whatConfiguration = "HierarchyConfiguration"
	whatAnchor        = "SubnamespaceAnchor "
)

// conditions of a namespace by their types. Each type has one reason; the last of
// those that apply is told.
func (f Facts) conditions(name string) map[string]string {
	found := map[string]string{}
	bad := func(applies bool, reason string) {
		if applies {
			found[api.ConditionBadConfiguration] = reason
		}
	}
	owner := f.owner(name)
	_, anchored := f.Anchors[Place{owner, name}]
	labels, annotations := f.asked(name)
	bad(f.overridden(name, f.ownLabels), api.ReasonOverriddenManagedLabel)
	bad(f.overridden(name, f.ownAnnotations), api.ReasonOverriddenManagedAnnotation)
	bad(owner != "" && !anchored, api.ReasonAnchorMissing)
	bad(slices.ContainsFunc(labels, func(p api.MetaKVP) bool { return !f.legalLabel(p) }), api.ReasonIllegalManagedLabel)
	bad(slices.ContainsFunc(annotations, func(p api.MetaKVP) bool { return !f.legalAnnotation(p) }), api.ReasonIllegalManagedAnnotation)
	if fault := f.fault(name); fault != "" {
		found[api.ConditionActivitiesHalted] = fault
	} else if f.halted(name) {
		found[api.ConditionActivitiesHalted] = api.ReasonAncestor
	}
	return found
}

// configuration that a namespace must have; false if it must have none.
func (f Facts) configuration(name string) (configured, bool) {
	given, exists := f.Configurations[name]
	want := configured{Configuration: given, Children: f.children(name), Conditions: f.conditions(name)}
	if owner := f.owner(name); owner != "" {
		want.Parent = owner
		want.Labels, want.Annotations = f.asked(name)
	}
	want.Held = f.hasAnchors(name)
	needed := want.Parent != "" || len(want.Labels)+len(want.Annotations)+len(want.Children)+len(want.Conditions) > 0
	if !f.managed(name) {
		want.Children, want.Held, needed = nil, false, false
		want.Conditions = nil
	}
	return want, exists || needed
}

// configured is a whole HierarchyConfiguration.
type configured struct {
	Configuration
	Children   []string
	Conditions map[string]string
	Held       bool // by the finalizer
}

func (c configured) String() string {
	text := fmt.Sprintf("parent=%q cascading=%t labels=%v annotations=%v children=%v conditions=%v",
		c.Parent, c.Cascading, c.Labels, c.Annotations, c.Children, c.Conditions)
	if c.Held {
		text += " held"
	}
	return text
}

// anchor says what one must tell; false if nobody looks at it.
func (f Facts) anchor(place Place) (string, bool) {
	home, child := place.Namespace, place.Name
	switch {
	case !f.managed(home):
		return "", false
	case !f.managed(child), !f.exists(child) && len(validation.IsDNS1123Label(child)) > 0:
		return "Forbidden False/NameForbidden", true
	case !f.exists(child): // It would be made now; nothing is at rest.
		return "Missing False/NamespaceMissing held", true
	case f.Namespaces[child].Annotations[api.AnnotationSubnamespaceOf] != home:
		return "Conflict False/NamespaceConflict held", true
	case f.external(child):
		return "Ok False/NamespaceConflict held", true
	case f.halted(child):
		return "Ok False/Halted held", true
	case f.blocked(child):
		return "Ok False/ObjectsFailed held", true
	}
	return "Ok True/Arrived held", true
}

// wanted are the names of namespaces that some anchor asks for.
func (f Facts) wanted() []string {
	var names []string
	for place := range f.Anchors {
		if f.exists(place.Namespace) && f.managed(place.Namespace) && f.managed(place.Name) && len(validation.IsDNS1123Label(place.Name)) == 0 {
			names = append(names, place.Name)
		}
	}
	return names
}
