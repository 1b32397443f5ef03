// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Decide says what must be written for this namespace and its
// HierarchyConfiguration; its anchors have DecideAnchor. Its own facts are those
// seen; its relatives are those known to the forest. The time is given to
// conditions that are new.
func (f *Forest) Decide(seen Observed, now metav1.Time) Plan {
	plan := Plan{Namespace: seen.Name}
	switch {
	case !seen.exists():
		plan.add(f.creation(seen))
	case !f.scope.Manages(seen.Name):
		plan.add(abandonNamespace(seen), abandonConfiguration(seen))
	case f.Moving(seen.Name) == seen.Name:
		plan.add(acknowledgement(seen))
	case seen.DeletingCRD:
		// Uninstalling: let go of what waits for us, and touch nothing else.
		plan.add(f.releaseConfiguration(seen, now))
	case f.mustGo(seen):
		plan.add(Action{Verb: Delete, Before: seen.Namespace, Why: "its anchor is being deleted"})
	default:
		plan.add(f.namespaceAction(seen), f.configurationAction(seen, now))
	}
	return plan
}
