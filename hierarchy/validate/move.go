// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate

import (
	"slices"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Conflicts judges what a change of a HierarchyConfiguration does to the objects
// of the namespace and of all below it: none of them may be replaced. Ask only
// for a change that Configuration and the rights of the user allow, since the
// answer names objects in other namespaces.
//
// Labels count like the parent: they decide which sources select a namespace.
func Conflicts(f *hierarchy.Forest, tracked []propagate.Tracked, c *api.HierarchyConfiguration) Verdict {
	var known api.HierarchyConfigurationSpec
	if seen := f.Observe(c.Namespace).Configuration; seen != nil {
		known = seen.Spec
	}
	if f.Parent(c.Namespace) == c.Spec.Parent && slices.Equal(known.Labels, c.Spec.Labels) {
		return Allow()
	}
	var clashes []clash
	for _, t := range tracked {
		if propagate.Copies(t.Mode) {
			clashes = append(clashes, clashesOfMove(f, t, c)...)
		}
	}
	return judgeClashes("spec", clashes, "rename or delete one of each two, or have the upper one exclude the namespace by an annotation of "+api.AnnotationPropagatePrefix)
}

func clashesOfMove(f *hierarchy.Forest, t propagate.Tracked, c *api.HierarchyConfiguration) []clash {
	above := append([]string{c.Spec.Parent}, f.Ancestors(c.Spec.Parent)...)
	below := append([]string{c.Namespace}, f.Descendants(c.Namespace)...)
	keys := rivals(t.Objects, above, below)
	if len(keys) == 0 {
		return nil
	}
	var concerned []string
	for _, key := range keys {
		concerned = append(concerned, key.Namespace)
	}
	moved := suppose(f, c, slices.Compact(concerned))
	return newClashes(world{f, t.Objects, t.Mode}, world{moved, t.Objects, t.Mode}, keys)
}

// rivals are the objects of users in the namespaces below that have a namesake
// among these and those above. No others can clash.
func rivals(objects *propagate.Objects, above, below []string) []propagate.Key {
	number := map[string]int{}
	own := func(namespace string) []propagate.Key {
		var keys []propagate.Key
		for _, name := range objects.Names(namespace) {
			if o, _ := objects.Get(namespace, name); !o.IsCopy() {
				keys = append(keys, o.Key())
				number[name]++
			}
		}
		return keys
	}
	for _, namespace := range above {
		own(namespace)
	}
	var keys []propagate.Key
	for _, namespace := range below {
		keys = append(keys, own(namespace)...)
	}
	return slices.DeleteFunc(keys, func(key propagate.Key) bool { return number[key.Name] < 2 })
}

// suppose returns a forest in which the configuration is as given. It has the
// namespaces asked for, which are the configured one or below it, and all their
// ancestors. Nobody else has it.
func suppose(f *hierarchy.Forest, c *api.HierarchyConfiguration, names []string) *hierarchy.Forest {
	supposed := hierarchy.NewForest(f.Scope())
	graft(supposed, f, c.Spec.Parent)
	graft(supposed, f, c.Namespace)
	supposed.RemoveConfiguration(c.Namespace)
	supposed.SetConfiguration(c)
	for _, name := range names {
		graft(supposed, f, name)
	}
	return supposed
}

// graft folds a namespace and its ancestors from one forest into another, from
// the top, unless they are there.
func graft(to, from *hierarchy.Forest, name string) {
	for _, name := range slices.Backward(append([]string{name}, from.Ancestors(name)...)) {
		seen := from.Observe(name)
		if seen.Namespace == nil || to.Exists(name) {
			continue
		}
		if seen.Configuration != nil {
			to.SetConfiguration(seen.Configuration)
		}
		for _, claim := range seen.Claims {
			to.SetAnchor(claim)
		}
		to.SetNamespace(seen.Namespace)
	}
}
