// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Labels of our domain are guarded by policies in the API server, which need no
// forest for that.

// CreateNamespace judges the creation of a namespace.
func CreateNamespace(f *hierarchy.Forest, ns *corev1.Namespace) Verdict {
	return first(
		func() Verdict { return unreservedName(f, ns) },
		func() Verdict { return overruled(f, nil, ns) },
	)
}

// UpdateNamespace judges the update of a namespace.
func UpdateNamespace(f *hierarchy.Forest, old, ns *corev1.Namespace) Verdict {
	return first(
		func() Verdict { return externalWithParent(f, ns) },
		func() Verdict { return overruled(f, old, ns) },
	)
}

// DeleteNamespace judges the deletion of a namespace.
func DeleteNamespace(f *hierarchy.Forest, ns *corev1.Namespace) Verdict {
	return first(
		func() Verdict { return deletedByAnchor(f, ns) },
		func() Verdict { return noSubnamespaces(f, ns.Name) },
	)
}

// unreservedName: a name in an external tree belongs to the system that manages
// that tree.
func unreservedName(f *hierarchy.Forest, ns *corev1.Namespace) Verdict {
	if by := ns.Annotations[api.AnnotationManagedBy]; by != "" && by != api.Group {
		return Allow()
	}
	label := hierarchy.TreeLabel(ns.Name)
	for _, name := range f.Externals() {
		if _, reserved := f.Labels(name)[label]; reserved && name != ns.Name {
			return DenyConflict("metadata.name", "the name %q is taken in the external hierarchy of namespace %q; choose another one", ns.Name, name)
		}
	}
	return Allow()
}

// externalWithParent: only roots can be external.
func externalWithParent(f *hierarchy.Forest, ns *corev1.Namespace) Verdict {
	by, parent := ns.Annotations[api.AnnotationManagedBy], f.Parent(ns.Name)
	if by != "" && by != api.Group && parent != "" {
		return DenyForbidden(annotationField(api.AnnotationManagedBy), "namespace %q has the parent %q and cannot be managed by another system; remove the parent first", ns.Name, parent)
	}
	return Allow()
}

// deletedByAnchor: a subnamespace goes with its anchor.
func deletedByAnchor(f *hierarchy.Forest, ns *corev1.Namespace) Verdict {
	owner := ns.Annotations[api.AnnotationSubnamespaceOf]
	if _, ok := f.Anchor(owner, ns.Name); ok {
		return DenyForbidden("", "namespace %q is a subnamespace of %q; delete the anchor %[1]q in namespace %[2]q instead", ns.Name, owner)
	}
	return Allow()
}

// noSubnamespaces: subnamespaces go with their parent only if that is allowed.
// Full namespaces stay behind, so they do not matter.
func noSubnamespaces(f *hierarchy.Forest, namespace string) Verdict {
	if f.AllowsCascadingDeletion(namespace) {
		return Allow()
	}
	for _, child := range f.Children(namespace) {
		if f.IsSubnamespace(child) {
			return DenyForbidden("", "namespace %q has the subnamespace %q; set allowCascadingDeletion in its HierarchyConfiguration or in that of an ancestor, or delete the anchors in it first", namespace, child)
		}
	}
	return Allow()
}
