// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package trees

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTreeSizes(t *testing.T) {
	require.Equal(t, []int{12, 6, 4, 3}, treeSizes(25, 4))
	for _, namespaces := range []int{2, 33, 500, 5000, 10000} {
		trees := max(1, namespaces/perTree)
		sizes, sum := treeSizes(namespaces, trees), 0
		for i, size := range sizes {
			require.Positive(t, size)
			if i > 0 {
				require.LessOrEqual(t, size, sizes[i-1])
			}
			sum += size
		}
		require.Equal(t, namespaces, sum)
	}
}

func TestForest(t *testing.T) {
	forest := Plan(500)
	require.Len(t, forest, 500)
	seen, children := map[string]Namespace{}, map[string]int{}
	for _, m := range forest {
		require.NotContains(t, seen, m.Name)
		if m.Parent != "" {
			require.Contains(t, seen, m.Parent, "parents come first")
			require.Equal(t, seen[m.Parent].Depth+1, m.Depth)
			children[m.Parent]++
			require.LessOrEqual(t, children[m.Parent], branches)
		} else {
			require.Zero(t, m.Depth)
		}
		seen[m.Name] = m
	}
	require.Len(t, forest.At(0), 500/perTree)
	require.NotEmpty(t, forest.At(3), "the largest tree is deep")
}

func TestLines(t *testing.T) {
	forest := Plan(500)
	lines := forest.Lines()
	require.NotEmpty(t, lines)
	for _, line := range lines {
		grandparent, parent, leaf := line[0], line[1], line[2]
		require.Equal(t, grandparent.Name, parent.Parent)
		require.Equal(t, parent.Name, leaf.Parent)
		require.Contains(t, forest, grandparent)
		require.Zero(t, forest.Root(leaf).Depth)
		for _, n := range forest {
			require.NotEqual(t, leaf.Name, n.Parent)
		}
	}
	require.Empty(t, Plan(2).Lines())
}
