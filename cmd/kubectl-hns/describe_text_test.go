// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

func TestDescribeText(t *testing.T) {
	for name, tc := range map[string]struct {
		family  family
		anchors []api.SubnamespaceAnchor
		want    string
	}{
		"a namespace without anything": {
			want: `Hierarchy configuration for namespace x
  No parent
  No children
  Allows Cascading Deletion: false
  No conditions
`,
		},
		"a namespace with everything": {
			family: family{
				parent: "p", children: []string{"a", "b"}, cascades: true,
				conditions: []metav1.Condition{
					condition("ActivitiesHalted", "ParentMissing", "no p"),
					condition("BadConfiguration", "IllegalManagedLabel", "bad label"),
				},
			},
			anchors: []api.SubnamespaceAnchor{anchor("c", api.Missing), anchor("b", api.Ok)},
			want: `Hierarchy configuration for namespace x
  Parent: p
  Children:
  - a
  - b (subnamespace)
  - c (Missing subnamespace)
  Allows Cascading Deletion: true
  Conditions:
  - ActivitiesHalted (ParentMissing): no p
  - BadConfiguration (IllegalManagedLabel): bad label
`,
		},
		"anchors without children show their state": {
			anchors: []api.SubnamespaceAnchor{anchor("f", api.Forbidden), anchor("new", ""), anchor("c", api.Conflict)},
			want: `Hierarchy configuration for namespace x
  No parent
  Children:
  - c (Conflict subnamespace)
  - f (Forbidden subnamespace)
  - new (Pending subnamespace)
  Allows Cascading Deletion: false
  No conditions
`,
		},
		"children are sorted as they are shown": {
			family:  family{children: []string{"a", "a-b"}},
			anchors: []api.SubnamespaceAnchor{anchor("a", api.Ok)},
			want: `Hierarchy configuration for namespace x
  No parent
  Children:
  - a (subnamespace)
  - a-b
  Allows Cascading Deletion: false
  No conditions
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, describeText(tc.family.place("x"), tc.anchors)); diff != "" {
				t.Errorf("description (-want +got):\n%s", diff)
			}
		})
	}
}
