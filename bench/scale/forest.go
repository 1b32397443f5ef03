// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import "fmt"

const (
	// perTree is how many namespaces there are for each tree, on average.
	perTree = 33
	// branches is how many children a namespace has, while there are enough.
	branches = 10
)

// member is a namespace of the forest.
type member struct {
	name   string
	parent string
	depth  int
}

// newForest plans trees of very unequal size, parents before children: the second
// tree has half as many namespaces as the first, the third a third, and so on.
func newForest(namespaces int) []member {
	var forest []member
	for tree, size := range treeSizes(namespaces, max(1, namespaces/perTree)) {
		name := func(i int) string {
			if i == 0 {
				return fmt.Sprintf("tree-%d", tree)
			}
			return fmt.Sprintf("tree-%d-%d", tree, i)
		}
		depths := make([]int, size)
		for i := range size {
			m := member{name: name(i)}
			if i > 0 {
				parent := (i - 1) / branches
				depths[i] = depths[parent] + 1
				m.parent, m.depth = name(parent), depths[i]
			}
			forest = append(forest, m)
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

// at returns the members of one depth.
func at(forest []member, depth int) []member {
	var found []member
	for _, m := range forest {
		if m.depth == depth {
			found = append(found, m)
		}
	}
	return found
}
