// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate

import (
	"slices"
	"strings"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// CreateAnchor judges the creation of an anchor.
func CreateAnchor(f *hierarchy.Forest, a *api.SubnamespaceAnchor) Verdict {
	return first(
		func() Verdict { return Metadata(f.Scope(), a.Spec.Labels, a.Spec.Annotations) },
		func() Verdict { return anchorPlace(f, a.Namespace) },
		func() Verdict { return anchorTarget(f, a.Name) },
		func() Verdict { return anchorFree(f, a.Namespace, a.Name) },
		func() Verdict { return unheard(a) },
		func() Verdict { return disputed(f, a.Name, a.Namespace, a.Spec.Labels, a.Spec.Annotations) },
	)
}

// UpdateAnchor judges the update of an anchor. Its lists are looked at only if
// they change: a key that was legal when it was written must not block the
// anchor for ever.
func UpdateAnchor(f *hierarchy.Forest, old, a *api.SubnamespaceAnchor) Verdict {
	if slices.Equal(old.Spec.Labels, a.Spec.Labels) && slices.Equal(old.Spec.Annotations, a.Spec.Annotations) {
		return Allow()
	}
	return first(
		func() Verdict { return Metadata(f.Scope(), a.Spec.Labels, a.Spec.Annotations) },
		func() Verdict { return disputed(f, a.Name, a.Namespace, a.Spec.Labels, a.Spec.Annotations) },
	)
}

// DeleteAnchor judges the deletion of an anchor: whatever hangs below its
// subnamespace must be allowed to go. The state that the anchor reports is not
// asked, since anybody who may edit the anchor may write it.
func DeleteAnchor(f *hierarchy.Forest, a *api.SubnamespaceAnchor) Verdict {
	child := a.Name
	if !f.IsSubnamespace(child) || f.Parent(child) != a.Namespace {
		return Allow()
	}
	if children := f.Children(child); len(children) > 0 && !f.AllowsCascadingDeletion(child) {
		return DenyForbidden("", "subnamespace %q is not a leaf, it has the children %s; set allowCascadingDeletion in its HierarchyConfiguration or in that of an ancestor, or delete the children first", child, strings.Join(children, ", "))
	}
	return Allow()
}

// anchorPlace: a namespace that is not managed has no subnamespaces.
func anchorPlace(f *hierarchy.Forest, namespace string) Verdict {
	if why := f.Scope().WhyUnmanaged(namespace); why != "" {
		return DenyForbidden("metadata.namespace", "%s, so it is not managed and cannot have subnamespaces; create the anchor in another namespace", why)
	}
	return Allow()
}

// anchorTarget: a namespace that would not be managed is no subnamespace.
func anchorTarget(f *hierarchy.Forest, name string) Verdict {
	if why := f.Scope().WhyUnmanaged(name); why != "" {
		return DenyForbidden("metadata.name", "%s, so it would not be managed and cannot be a subnamespace; choose another name", why)
	}
	return Allow()
}

// anchorFree: the name is free, or belongs to a subnamespace that lost its
// anchor.
func anchorFree(f *hierarchy.Forest, namespace, name string) Verdict {
	if f.Exists(name) && !(f.IsSubnamespace(name) && f.Parent(name) == namespace) {
		return DenyConflict("metadata.name", "namespace %q exists already and is no subnamespace of %q; choose another name, or give the namespace the parent %[2]q in its HierarchyConfiguration", name, namespace)
	}
	return Allow()
}
