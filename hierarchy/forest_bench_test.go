// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy_test

import (
	"fmt"
	"testing"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
)

// large is a cluster of 10,000 namespaces, in one tree of three levels: a
// root, 100 children, and 99 subnamespaces in each.
func large(version string) []hierarchy.Object {
	all := []hierarchy.Object{ns("root").Version(version).Obj()}
	for i := range 100 {
		child := fmt.Sprintf("child-%d", i)
		all = append(all, ns(child).Version(version).Obj(), config(child).Parent("root").Version(version).Obj())
		for j := range 99 {
			leaf := fmt.Sprintf("leaf-%d-%d", i, j)
			all = append(all, ns(leaf).SubnamespaceOf(child).Version(version).Obj(), anchor(child, leaf).Finalizer().Version(version).Obj())
		}
	}
	return all
}

func BenchmarkLoad(b *testing.B) {
	all := large("1")
	for b.Loop() {
		f := hierarchy.NewForest(hierarchy.Scope{})
		for _, o := range all {
			foresttest.Fold(f, o)
		}
	}
}

func BenchmarkFold(b *testing.B) {
	f := foresttest.CreateIn(hierarchy.Scope{}, "", large("1")...)
	folds := map[string]func(i int) hierarchy.Object{
		"a plain label": func(i int) hierarchy.Object { return ns("root").Label("color", fmt.Sprint(i)).Obj() },
		"the word of an anchor among 99": func(i int) hierarchy.Object {
			return anchor("child-1", "leaf-1-1").Finalizer().Ready("True", fmt.Sprint(i)).Obj()
		},
		"a new leaf": func(i int) hierarchy.Object { return ns(fmt.Sprintf("new-%d", i)).SubnamespaceOf("child-1").Obj() },
		"a move of 99": func(i int) hierarchy.Object {
			return config("child-2").Parent([]string{"root", "child-3"}[i%2]).Obj()
		},
	}
	for name, fold := range folds {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				foresttest.Fold(f, fold(i))
			}
		})
	}
}

func BenchmarkDecide(b *testing.B) {
	f := foresttest.CreateIn(hierarchy.Scope{}, "", large("1")...)
	for _, name := range []string{"root", "child-1", "leaf-1-1"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f.Decide(f.Observe(name), foresttest.Time)
			}
		})
	}
}

func BenchmarkDecideAnchor(b *testing.B) {
	f := foresttest.CreateIn(hierarchy.Scope{}, "", large("1")...)
	key := hierarchy.AnchorKey{Namespace: "child-1", Name: "leaf-1-1"}
	for b.Loop() {
		f.DecideAnchor(key, hierarchy.Arrival{}, foresttest.Time)
	}
}
