// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import (
	"cmp"
	"maps"
	"slices"
)

// Trouble is one condition, with all namespaces that have it.
type Trouble struct {
	Type, Reason string

	// Namespaces is sorted and never empty.
	Namespaces []string
}

// Troubles sums up what the HierarchyConfigurations of managed namespaces
// report, sorted by type and reason. It reads what they say, not what they
// should say: to decide upon every namespace for a summary would cost a walk
// over the forest.
func (f *Forest) Troubles() []Trouble {
	type kind struct{ conditionType, reason string }
	found := map[kind][]string{}
	for namespace, c := range f.configurations {
		if len(c.Status.Conditions) == 0 || !f.Exists(namespace) || !f.scope.Manages(namespace) {
			continue
		}
		for _, condition := range c.Status.Conditions {
			k := kind{condition.Type, condition.Reason}
			if !slices.Contains(found[k], namespace) {
				found[k] = append(found[k], namespace)
			}
		}
	}
	var troubles []Trouble
	for _, k := range slices.SortedFunc(maps.Keys(found), func(a, b kind) int {
		return cmp.Or(cmp.Compare(a.conditionType, b.conditionType), cmp.Compare(a.reason, b.reason))
	}) {
		slices.Sort(found[k])
		troubles = append(troubles, Trouble{k.conditionType, k.reason, found[k]})
	}
	return troubles
}
