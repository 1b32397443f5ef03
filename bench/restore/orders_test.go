// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package restore

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// piece of the backup of a tree.
type piece int

// Pieces of a tree: a root, a full namespace and a subnamespace below it, and a Role
// that is in the root and, as an older copy, in the full namespace.
const (
	root piece = iota
	child
	sub
	configuration // of the child: its parent
	anchor        // of the subnamespace
	source
	staleCopy
)

var pieces = []piece{root, child, sub, configuration, anchor, source, staleCopy}

func (p piece) String() string {
	return []string{"root", "child", "sub", "configuration", "anchor", "source", "copy"}[p]
}

// within is the namespace that an object needs, since the API server knows no other
// order.
var within = map[piece]piece{configuration: child, staleCopy: child, anchor: root, source: root}

// orders in which all pieces can be created, sorted.
func orders() [][]piece {
	var all [][]piece
	var extend func(begun []piece)
	extend = func(begun []piece) {
		if len(begun) == len(pieces) {
			all = append(all, slices.Clone(begun))
			return
		}
		for _, next := range pieces {
			namespace, namespaced := within[next]
			if slices.Contains(begun, next) || namespaced && !slices.Contains(begun, namespace) {
				continue
			}
			extend(append(begun, next))
		}
	}
	extend(nil)
	return all
}

// TestOrders: of all permutations, a third has the child before either of two
// objects, and a third of these has the root before either of two others.
func TestOrders(t *testing.T) {
	all := orders()
	require.Len(t, all, 7*6*5*4*3*2/3/3)
	for i, order := range all {
		require.ElementsMatch(t, pieces, order)
		for object, namespace := range within {
			require.Less(t, slices.Index(order, namespace), slices.Index(order, object), "%v", order)
		}
		if i > 0 {
			require.Negative(t, slices.Compare(all[i-1], order), "each occurs once")
		}
	}
}
