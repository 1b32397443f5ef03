// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// CreateNamespace judges the creation of a namespace. Tree labels pass, since
// they are corrected anyway: a backup must restore in any order.
func CreateNamespace(f *hierarchy.Forest, ns *corev1.Namespace) Verdict {
	return first(
		func() Verdict { return includedLabel(f.Scope(), ns) },
		func() Verdict { return unreservedName(f, ns) },
		func() Verdict { return overruled(f, nil, ns) },
	)
}

// UpdateNamespace judges the update of a namespace.
func UpdateNamespace(f *hierarchy.Forest, old, ns *corev1.Namespace) Verdict {
	return first(
		func() Verdict { return includedLabelChange(f.Scope(), old, ns) },
		func() Verdict { return externalWithParent(f, ns) },
		func() Verdict { return steadyTreeLabels(old, ns) },
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

// includedLabel: exactly the managed namespaces are marked as such.
func includedLabel(scope hierarchy.Scope, ns *corev1.Namespace) Verdict {
	value, labelled := ns.Labels[api.LabelIncludedNamespace]
	why := scope.WhyUnmanaged(ns.Name)
	switch {
	case why == "" && value != "true":
		return DenyForbidden(labelField(api.LabelIncludedNamespace), "namespace %q is managed and must have the label %s=true; set it", ns.Name, api.LabelIncludedNamespace)
	case why != "" && labelled:
		return DenyForbidden(labelField(api.LabelIncludedNamespace), "%s, so it is not managed and must not have the label %s; remove it", why, api.LabelIncludedNamespace)
	}
	return Allow()
}

// includedLabelChange: a mark that is wrong already may stay so.
func includedLabelChange(scope hierarchy.Scope, old, ns *corev1.Namespace) Verdict {
	if sameLabel(old, ns, api.LabelIncludedNamespace) {
		return Allow()
	}
	return includedLabel(scope, ns)
}

// unreservedName: a name in an external tree belongs to the system that manages
// that tree.
func unreservedName(f *hierarchy.Forest, ns *corev1.Namespace) Verdict {
	if by := ns.Annotations[api.AnnotationManagedBy]; by != "" && by != api.Group {
		return Allow()
	}
	label := hierarchy.TreeLabel(ns.Name)
	for _, name := range f.Namespaces() {
		if name == ns.Name || !f.IsExternal(name) {
			continue
		}
		if _, reserved := f.Labels(name)[label]; reserved {
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

// steadyTreeLabels: the place in a tree is what the tree says.
func steadyTreeLabels(old, ns *corev1.Namespace) Verdict {
	for _, labels := range []map[string]string{old.Labels, ns.Labels} {
		for key := range labels {
			if hierarchy.IsTreeLabel(key) && !sameLabel(old, ns, key) {
				return DenyForbidden(labelField(key), "the label %q tells the place of namespace %q in its tree and cannot be edited; leave it as it was, and change the parent instead", key, ns.Name)
			}
		}
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

func sameLabel(old, ns metav1.Object, key string) bool {
	was, had := old.GetLabels()[key]
	is, has := ns.GetLabels()[key]
	return had == has && was == is
}

func labelField(key string) string { return fmt.Sprintf("metadata.labels[%s]", key) }
