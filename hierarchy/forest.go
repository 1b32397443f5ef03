// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/sets"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Forest is what has been observed of all namespaces.
//
// Invariant: it holds facts, and indexes that follow from them. Whatever else
// it says is computed from these when asked, so that no order of events can
// leave a trace.
type Forest struct {
	scope Scope

	namespaces     map[string]*corev1.Namespace
	configurations map[string]*api.HierarchyConfiguration
	anchors        anchorIndex // by namespace, then name
	deletingCRD    bool

	claims    anchorIndex // by name, then namespace
	parents   map[string]string
	children  map[string]sets.Set[string]
	externals sets.Set[string]
}

// NewForest returns an empty forest.
func NewForest(scope Scope) *Forest {
	return &Forest{
		scope:          scope,
		namespaces:     map[string]*corev1.Namespace{},
		configurations: map[string]*api.HierarchyConfiguration{},
		anchors:        anchorIndex{},
		claims:         anchorIndex{},
		parents:        map[string]string{},
		children:       map[string]sets.Set[string]{},
		externals:      sets.Set[string]{},
	}
}

// Scope returns the scope that the forest was made with.
func (f *Forest) Scope() Scope { return f.scope }

// SetNamespace folds in a namespace.
func (f *Forest) SetNamespace(namespace *corev1.Namespace) Change {
	old := f.namespaces[namespace.Name]
	if old != nil && !newer(namespace, old) {
		return Change{}
	}
	return f.swapNamespace(namespace.Name, old, namespace)
}

// RemoveNamespace folds in that there is no such namespace.
func (f *Forest) RemoveNamespace(name string) Change {
	old := f.namespaces[name]
	if old == nil {
		return Change{}
	}
	return f.swapNamespace(name, old, nil)
}

// SetConfiguration folds in a HierarchyConfiguration. Other names than the one
// that is allowed mean nothing.
func (f *Forest) SetConfiguration(configuration *api.HierarchyConfiguration) Change {
	if configuration.Name != api.HierarchyConfigurationName {
		return Change{}
	}
	old := f.configurations[configuration.Namespace]
	if old != nil && !newer(configuration, old) {
		return Change{}
	}
	return f.swapConfiguration(configuration.Namespace, old, configuration)
}

// RemoveConfiguration folds in that the namespace has no HierarchyConfiguration.
func (f *Forest) RemoveConfiguration(namespace string) Change {
	old := f.configurations[namespace]
	if old == nil {
		return Change{}
	}
	return f.swapConfiguration(namespace, old, nil)
}

// SetAnchor folds in an anchor.
func (f *Forest) SetAnchor(anchor *api.SubnamespaceAnchor) Change {
	old := f.anchors[anchor.Namespace][anchor.Name]
	if old != nil && !newer(anchor, old) {
		return Change{}
	}
	return f.swapAnchor(anchor.Namespace, anchor.Name, old, anchor)
}

// RemoveAnchor folds in that there is no such anchor.
func (f *Forest) RemoveAnchor(namespace, name string) Change {
	old := f.anchors[namespace][name]
	if old == nil {
		return Change{}
	}
	return f.swapAnchor(namespace, name, old, nil)
}

// SetDeletingCRD folds in whether the definition of HierarchyConfigurations or
// of SubnamespaceAnchors is absent or being deleted. While it is, every
// namespace is halted: objects that vanish with their definition are no wish of
// any user, and nothing may be removed on their account.
func (f *Forest) SetDeletingCRD(deleting bool) Change {
	if f.deletingCRD == deleting {
		return Change{}
	}
	f.deletingCRD = deleting
	var anchors []AnchorKey
	for namespace := range f.anchors {
		anchors = append(anchors, f.AnchorsIn(namespace)...)
	}
	slices.SortFunc(anchors, AnchorKey.compare)
	return Change{
		Decide:  f.everyone(),
		Anchors: anchors,
		Objects: slices.DeleteFunc(f.Namespaces(), func(name string) bool { return !f.scope.Manages(name) }),
	}
}

func (f *Forest) swapNamespace(name string, was, is *corev1.Namespace) Change {
	put := func(n *corev1.Namespace) {
		if n == nil {
			delete(f.namespaces, name)
		} else {
			f.namespaces[name] = n
		}
		if f.externals.Delete(name); f.IsExternal(name) {
			f.externals.Insert(name)
		}
		f.link(name)
	}
	return f.foldNamespace(name, func() { put(is) }, func() { put(was) })
}

func (f *Forest) swapConfiguration(namespace string, was, is *api.HierarchyConfiguration) Change {
	put := func(c *api.HierarchyConfiguration) {
		if c == nil {
			delete(f.configurations, namespace)
		} else {
			f.configurations[namespace] = c
		}
		f.link(namespace)
	}
	return f.foldNamespace(namespace, func() { put(is) }, func() { put(was) })
}

func (f *Forest) swapAnchor(namespace, name string, was, is *api.SubnamespaceAnchor) Change {
	put := func(a *api.SubnamespaceAnchor) {
		f.anchors.put(namespace, name, a)
		f.claims.put(name, namespace, a)
	}
	return f.foldAnchor(AnchorKey{namespace, name}, func() { put(is) }, func() { put(was) })
}

// link brings the edge from a namespace to its parent up to date. Only the
// namespace's own facts make that edge.
func (f *Forest) link(name string) {
	was, is := f.parents[name], f.Observe(name).parent(f.scope)
	if was == is {
		return
	}
	if was != "" {
		f.children[was].Delete(name)
		if len(f.children[was]) == 0 {
			delete(f.children, was)
		}
		delete(f.parents, name)
	}
	if is != "" {
		if f.children[is] == nil {
			f.children[is] = sets.Set[string]{}
		}
		f.children[is].Insert(name)
		f.parents[name] = is
	}
}

// newer reports whether an object may replace the one that is known. Versions
// that cannot be compared count as newer: to keep a stale object for ever is
// worse than to look at one for a moment.
func newer(object, known metav1.Object) bool {
	return Newer(object.GetResourceVersion(), known.GetResourceVersion())
}

// Newer reports whether a resourceVersion is later than the one that is known, or
// cannot be compared with it.
func Newer(version, known string) bool {
	order, err := resourceversion.CompareResourceVersion(version, known)
	return err != nil || order > 0
}

// anchorIndex finds anchors by two names.
type anchorIndex map[string]map[string]*api.SubnamespaceAnchor

func (x anchorIndex) put(first, second string, anchor *api.SubnamespaceAnchor) {
	if anchor != nil {
		if x[first] == nil {
			x[first] = map[string]*api.SubnamespaceAnchor{}
		}
		x[first][second] = anchor
		return
	}
	delete(x[first], second)
	if len(x[first]) == 0 {
		delete(x, first)
	}
}
