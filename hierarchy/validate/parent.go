// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate

import (
	"slices"
	"strings"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Configuration judges the creation or update of a HierarchyConfiguration, but
// for the rights of the user; see RightsNeeded.
func Configuration(f *hierarchy.Forest, c *api.HierarchyConfiguration) Verdict {
	namespace, parent := c.Namespace, c.Spec.Parent
	return first(
		func() Verdict { return managedNamespace(f, namespace) },
		func() Verdict { return managedParent(f, parent) },
		func() Verdict { return Metadata(f.Scope(), c.Spec.Labels, c.Spec.Annotations) },
		func() Verdict { return knownNamespace(f, namespace) },
		func() Verdict { return Parent(f, namespace, parent) },
		func() Verdict { return ownKey(f, c) },
		func() Verdict { return disputed(f, namespace, parent, c.Spec.Labels, c.Spec.Annotations) },
	)
}

// Parent judges a new parent of a namespace that is known. A parent that stays
// as it is, is no change, whatever is wrong with it.
func Parent(f *hierarchy.Forest, namespace, parent string) Verdict {
	if f.Parent(namespace) == parent {
		return Allow()
	}
	return first(
		func() Verdict { return healthyAncestors(f, namespace) },
		func() Verdict { return externalRoot(f, namespace, parent) },
		func() Verdict { return ownParent(f, namespace) },
		func() Verdict { return existingParent(f, parent) },
		func() Verdict { return noCycle(f, namespace, parent) },
	)
}

// ownKey: where a namespace is halted, nobody knows for sure whose it is. A new parent
// that ends the halt may come together with a key.
func ownKey(f *hierarchy.Forest, c *api.HierarchyConfiguration) Verdict {
	if hierarchy.AsksForOwnKey(c) == f.HasOwnKey(c.Namespace) || f.Parent(c.Namespace) != c.Spec.Parent {
		return Allow()
	}
	if halted := f.HaltedRoot(c.Namespace); halted != "" {
		return DenyForbidden("metadata.annotations", "namespace %q is halted (%s), so that the annotation %s of %q cannot be changed; see the conditions of %[1]q and correct these first", halted, api.ConditionActivitiesHalted, api.AnnotationOwnKey, c.Namespace)
	}
	return Allow()
}

// managedNamespace: a namespace that is not managed has no place in a tree.
func managedNamespace(f *hierarchy.Forest, namespace string) Verdict {
	if why := f.Scope().WhyUnmanaged(namespace); why != "" {
		return DenyForbidden("metadata.namespace", "%s, so it is not managed and cannot be the child of another; change the flags of Banyan to include it", why)
	}
	return Allow()
}

// managedParent: nothing inherits from a namespace that is not managed.
func managedParent(f *hierarchy.Forest, parent string) Verdict {
	if why := f.Scope().WhyUnmanaged(parent); why != "" {
		return DenyForbidden("spec.parent", "%s, so it is not managed and cannot be a parent; choose another parent, or none", why)
	}
	return Allow()
}

// knownNamespace: what has not been seen cannot be judged.
func knownNamespace(f *hierarchy.Forest, namespace string) Verdict {
	if !f.Exists(namespace) {
		return DenyUnavailable("HNC has not reconciled namespace %q yet; try again in a moment", namespace)
	}
	return Allow()
}

// healthyAncestors: below a halt nobody knows to whom a namespace belongs. The
// halted namespace itself may be moved, since that is how a halt ends.
func healthyAncestors(f *hierarchy.Forest, namespace string) Verdict {
	if halted := f.HaltedRoot(namespace); halted != "" && halted != namespace {
		return DenyForbidden("spec.parent", "ancestor %q of namespace %q is halted (%s), so that the parent cannot be changed; see the conditions of %[1]q and correct these first", halted, namespace, api.ConditionActivitiesHalted)
	}
	return Allow()
}

// externalRoot: another system says where an external namespace belongs.
func externalRoot(f *hierarchy.Forest, namespace, parent string) Verdict {
	if parent != "" && f.IsExternal(namespace) {
		return DenyForbidden("spec.parent", "namespace %q is managed by another system and can have no parent; remove its annotation %s first", namespace, api.AnnotationManagedBy)
	}
	return Allow()
}

// ownParent: a subnamespace stays with its anchor.
func ownParent(f *hierarchy.Forest, namespace string) Verdict {
	if f.IsSubnamespace(namespace) {
		return DenyConflict("spec.parent", "illegal parent: namespace %q is a subnamespace of %q; leave the parent as it is, or remove the annotation %s to make it a full namespace", namespace, f.Parent(namespace), api.AnnotationSubnamespaceOf)
	}
	return Allow()
}

// existingParent: nobody becomes an orphan on purpose.
func existingParent(f *hierarchy.Forest, parent string) Verdict {
	if parent != "" && !f.Exists(parent) {
		return DenyForbidden("spec.parent", "parent %q does not exist; create it first, or choose another parent", parent)
	}
	return Allow()
}

// noCycle: nobody becomes an ancestor of itself.
func noCycle(f *hierarchy.Forest, namespace, parent string) Verdict {
	if parent == "" {
		return Allow()
	}
	chain := append([]string{parent}, f.Ancestors(parent)...)
	at := slices.Index(chain, namespace)
	if at < 0 {
		return Allow()
	}
	cycle := append([]string{namespace}, chain[:at+1]...)
	slices.Reverse(cycle)
	return DenyConflict("spec.parent", "illegal parent: namespace %q would be its own ancestor: %s; choose a parent that is not below %[1]q, or move that one first", namespace, strings.Join(cycle, " <- "))
}
