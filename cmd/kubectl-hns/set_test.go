// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

func TestFulfil(t *testing.T) {
	for name, tc := range map[string]struct {
		before      api.HierarchyConfigurationSpec
		want        wish
		wantLines   []string
		wantChanged int
		wantSpec    api.HierarchyConfigurationSpec
	}{
		"no wish changes nothing": {
			before:   api.HierarchyConfigurationSpec{Parent: "p"},
			wantSpec: api.HierarchyConfigurationSpec{Parent: "p"},
		},
		"a root becomes a child": {
			want:        wish{parent: "p"},
			wantLines:   []string{"Setting the parent of x to p"},
			wantChanged: 1,
			wantSpec:    api.HierarchyConfigurationSpec{Parent: "p"},
		},
		"a child changes its parent and is allowed to go with it": {
			before:      api.HierarchyConfigurationSpec{Parent: "q"},
			want:        wish{parent: "p", allow: true},
			wantLines:   []string{"Changing the parent of x from q to p", "Allowing cascading deletion on x"},
			wantChanged: 2,
			wantSpec:    api.HierarchyConfigurationSpec{Parent: "p", AllowCascadingDeletion: true},
		},
		"a child becomes a root": {
			before:      api.HierarchyConfigurationSpec{Parent: "q", AllowCascadingDeletion: true},
			want:        wish{root: true, allow: true},
			wantLines:   []string{"Unsetting the parent of x, which was q", "Cascading deletion is allowed on x; unchanged"},
			wantChanged: 1,
			wantSpec:    api.HierarchyConfigurationSpec{AllowCascadingDeletion: true},
		},
		"a root stays a root": {
			want:      wish{root: true, forbid: true},
			wantLines: []string{"x has no parent; unchanged", "Cascading deletion is forbidden on x; unchanged"},
		},
		"a child keeps its parent and becomes protected": {
			before:      api.HierarchyConfigurationSpec{Parent: "p", AllowCascadingDeletion: true},
			want:        wish{parent: "p", forbid: true},
			wantLines:   []string{"The parent of x is p; unchanged", "Forbidding cascading deletion on x"},
			wantChanged: 1,
			wantSpec:    api.HierarchyConfigurationSpec{Parent: "p"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			hierarchy := &api.HierarchyConfiguration{Spec: tc.before}
			hierarchy.Namespace = "x"
			lines, changed := tc.want.fulfil(hierarchy)
			if diff := cmp.Diff(tc.wantLines, lines); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			if changed != tc.wantChanged {
				t.Errorf("changed %d properties, want %d", changed, tc.wantChanged)
			}
			if diff := cmp.Diff(tc.wantSpec, hierarchy.Spec); diff != "" {
				t.Errorf("spec (-want +got):\n%s", diff)
			}
		})
	}
}
