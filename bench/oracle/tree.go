// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle

import (
	"slices"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

func (f Facts) exists(name string) bool {
	_, ok := f.Namespaces[name]
	return ok
}

func (f Facts) managed(name string) bool { return !slices.Contains(f.Excluded, name) }

func (f Facts) external(name string) bool {
	by := f.Namespaces[name].Annotations[api.AnnotationManagedBy]
	return by != "" && by != api.Group
}

// owner is the namespace that a subnamespace says it belongs to.
func (f Facts) owner(name string) string {
	if !f.managed(name) || f.external(name) {
		return ""
	}
	return f.Namespaces[name].Annotations[api.AnnotationSubnamespaceOf]
}

func (f Facts) parent(name string) string {
	switch {
	case !f.exists(name) || !f.managed(name) || f.external(name):
		return ""
	case f.owner(name) != "":
		return f.owner(name)
	}
	return f.Configurations[name].Parent
}

// ancestors from the parent upwards, each once.
func (f Facts) ancestors(name string) []string {
	var found []string
	for up := f.parent(name); up != "" && up != name && !slices.Contains(found, up); up = f.parent(up) {
		found = append(found, up)
	}
	return found
}

func (f Facts) children(name string) []string {
	var found []string
	for child := range f.Namespaces {
		if f.parent(child) == name {
			found = append(found, child)
		}
	}
	slices.Sort(found)
	return found
}

func (f Facts) inCycle(name string) bool {
	start := f.parent(name)
	at := start
	for range f.Namespaces {
		if at == name {
			return true
		}
		at = f.parent(at)
	}
	return at == name && start != ""
}

// fault that halts a namespace by itself; empty if there is none.
func (f Facts) fault(name string) string {
	parent := f.parent(name)
	switch {
	case parent == "":
		return ""
	case f.inCycle(name):
		return api.ReasonInCycle
	case !f.managed(parent):
		return api.ReasonIllegalParent
	case !f.exists(parent):
		return api.ReasonParentMissing
	}
	return ""
}

// halted by itself or by an ancestor.
func (f Facts) halted(name string) bool {
	return slices.ContainsFunc(f.line(name), func(n string) bool { return f.fault(n) != "" })
}

// line is a namespace and all its ancestors.
func (f Facts) line(name string) []string { return append([]string{name}, f.ancestors(name)...) }

// lineage is the part of the line that labels are inherited from: up to the first
// that is halted.
func (f Facts) lineage(name string) []string {
	line := f.line(name)
	for i, n := range line {
		if f.fault(n) != "" {
			return line[:i+1]
		}
	}
	return line
}

// cascading reports whether subnamespaces may be deleted along with this one.
func (f Facts) cascading(name string) bool {
	return slices.ContainsFunc(f.line(name), func(n string) bool {
		return f.exists(n) && f.managed(n) && f.Configurations[n].Cascading
	})
}

// hasAnchors reports whether there is any anchor in a namespace.
func (f Facts) hasAnchors(name string) bool {
	for place := range f.Anchors {
		if place.Namespace == name {
			return true
		}
	}
	return false
}
