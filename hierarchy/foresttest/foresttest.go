// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package foresttest makes forests from one line.
//
// In a layout, the position of a letter is a namespace and the letter is its
// parent: the first namespace is a, the second is b, and so on. A dash stands
// for no parent. A capital letter makes the namespace a subnamespace, with its
// anchor in the parent. So "-aB" is a, below it b, and below that c, a
// subnamespace. A letter beyond the last position is a parent that is missing.
package foresttest

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Create returns the forest of a layout, in the zero scope.
func Create(layout string) *hierarchy.Forest { return CreateIn(hierarchy.Scope{}, layout) }

// CreateIn returns the forest of a layout, with more objects if there are any.
func CreateIn(scope hierarchy.Scope, layout string, more ...hierarchy.Object) *hierarchy.Forest {
	f := hierarchy.NewForest(scope)
	for _, o := range append(Objects(layout), more...) {
		Fold(f, o)
	}
	return f
}

// Objects returns the objects that a layout stands for.
func Objects(layout string) []hierarchy.Object {
	var objects []hierarchy.Object
	for i, letter := range layout {
		name := string(rune('a' + i))
		parent := strings.ToLower(string(letter))
		namespace := MakeNamespace(name)
		switch {
		case letter == '-':
		case parent == string(letter):
			objects = append(objects, MakeConfiguration(name).Parent(parent).Obj())
		default:
			namespace.SubnamespaceOf(parent)
			objects = append(objects,
				MakeConfiguration(name).Parent(parent).Obj(),
				MakeAnchor(parent, name).Finalizer().State(api.Ok).Obj())
		}
		objects = append(objects, namespace.Obj())
	}
	return objects
}

// Fold folds any object that a forest knows.
func Fold(f *hierarchy.Forest, o hierarchy.Object) hierarchy.Change {
	switch o := o.(type) {
	case *corev1.Namespace:
		return f.SetNamespace(o)
	case *api.HierarchyConfiguration:
		return f.SetConfiguration(o)
	case *api.SubnamespaceAnchor:
		return f.SetAnchor(o)
	}
	panic(fmt.Sprintf("folding %T: a forest does not know this kind", o))
}

// Remove folds that the object is gone.
func Remove(f *hierarchy.Forest, o hierarchy.Object) hierarchy.Change {
	switch o := o.(type) {
	case *corev1.Namespace:
		return f.RemoveNamespace(o.Name)
	case *api.HierarchyConfiguration:
		return f.RemoveConfiguration(o.Namespace)
	case *api.SubnamespaceAnchor:
		return f.RemoveAnchor(o.Namespace, o.Name)
	}
	panic(fmt.Sprintf("folding the end of %T: a forest does not know this kind", o))
}
