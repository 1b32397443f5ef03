// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package trees grows, on a rig, trees of very unequal size, and has objects copied
// to everywhere in them.
package trees

import (
	"fmt"
	"slices"
)

const (
	// perTree is how many namespaces there are for each tree, on average.
	perTree = 33
	// branches is how many children a namespace has, while there are enough.
	branches = 10
)

// Namespace of the forest.
type Namespace struct {
	Name string
	// Parent is empty for a root.
	Parent string
	Depth  int
}

// Forest has parents before their children.
type Forest []Namespace

// Plan trees of very unequal size: the second tree has half as many namespaces as
// the first, the third a third, and so on.
func Plan(namespaces int) Forest { return PlanTrees(namespaces, max(1, namespaces/perTree)) }

// PlanTrees does so for a number of trees.
func PlanTrees(namespaces, trees int) Forest {
	var forest Forest
	for tree, size := range treeSizes(namespaces, trees) {
		name := func(i int) string {
			if i == 0 {
				return fmt.Sprintf("tree-%d", tree)
			}
			return fmt.Sprintf("tree-%d-%d", tree, i)
		}
		depths := make([]int, size)
		for i := range size {
			n := Namespace{Name: name(i)}
			if i > 0 {
				parent := (i - 1) / branches
				depths[i] = depths[parent] + 1
				n.Parent, n.Depth = name(parent), depths[i]
			}
			forest = append(forest, n)
		}
	}
	return forest
}

// treeSizes adds up to the number of namespaces. Each tree has at least its root.
func treeSizes(namespaces, trees int) []int {
	harmonic := 0.0
	for k := range trees {
		harmonic += 1 / float64(k+1)
	}
	sizes, left := make([]int, trees), namespaces
	for k := range sizes {
		sizes[k] = max(1, int(float64(namespaces)/harmonic/float64(k+1)))
		left -= sizes[k]
	}
	// What rounding left over, or took too much of, is the first tree's.
	sizes[0] += left
	return sizes
}

// At returns the namespaces of one depth.
func (f Forest) At(depth int) []Namespace {
	var found []Namespace
	for _, n := range f {
		if n.Depth == depth {
			found = append(found, n)
		}
	}
	return found
}

// Last of each tree, in the order of the trees. It has no children.
func (f Forest) Last() []Namespace {
	var last []Namespace
	for _, n := range f {
		if n.Parent == "" {
			last = append(last, n)
		}
		last[len(last)-1] = n
	}
	return last
}

// Lines are a namespace without children from each tree that has three generations or
// more, below its parent, below the grandparent, in the order of the trees.
func (f Forest) Lines() [][3]Namespace {
	byName := map[string]Namespace{}
	for _, n := range f {
		byName[n.Name] = n
	}
	var lines [][3]Namespace
	for _, n := range f.Last() {
		if n.Depth >= 2 {
			parent := byName[n.Parent]
			lines = append(lines, [3]Namespace{byName[parent.Parent], parent, n})
		}
	}
	return lines
}

// Root of the tree that a namespace is in.
func (f Forest) Root(n Namespace) Namespace {
	for n.Parent != "" {
		i := slices.IndexFunc(f, func(other Namespace) bool { return other.Name == n.Parent })
		n = f[i]
	}
	return n
}
