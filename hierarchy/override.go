// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import (
	"fmt"
	"slices"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

func overriddenLabel(f *Forest, seen Observed) (string, bool) {
	asked, _ := seen.asked(f.scope)
	return f.overridden(seen, asked, f.legalLabel, f.ownLabels)
}

func overriddenAnnotation(f *Forest, seen Observed) (string, bool) {
	_, asked := seen.asked(f.scope)
	return f.overridden(seen, asked, f.legalAnnotation, f.ownAnnotations)
}

// overridden tells of the last pair that is asked for in vain, because an
// ancestor sets another value. That it sets the same is nobody's concern.
func (f *Forest) overridden(seen Observed, asked []api.MetaKVP, legal func(api.MetaKVP) bool, own func(Observed) map[string]string) (string, bool) {
	if !slices.ContainsFunc(asked, legal) {
		return "", false // Nearly all namespaces end here.
	}
	lineage := f.lineage(seen)
	effective := own(seen)
	for _, pair := range slices.Backward(asked) {
		value, ok := effective[pair.Key]
		if !ok {
			continue
		}
		for _, level := range slices.Backward(lineage[1:]) {
			theirs, sets := own(level)[pair.Key]
			if sets && theirs != value {
				return fmt.Sprintf("%q is %q here in vain: the ancestor %q sets %q", pair.Key, value, level.Name, theirs), true
			}
			if sets {
				break // The farthest wins; those between count for nothing.
			}
		}
	}
	return "", false
}
