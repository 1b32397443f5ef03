// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTreeText(t *testing.T) {
	noAnchor := condition("BadConfiguration", "SubnamespaceAnchorMissing", "no anchor")
	badLabel := condition("BadConfiguration", "IllegalManagedLabel", "bad label")
	halted := condition("ActivitiesHalted", "InCycle", "a <- b <- a")

	for name, tc := range map[string]struct {
		families map[string]family
		roots    []string
		want     string
	}{
		"a namespace alone is its name": {
			families: map[string]family{"a": {}},
			roots:    []string{"a"},
			want:     "a\n",
		},
		"the pen goes on below a child that is not the last": {
			families: map[string]family{
				"acme":   {children: []string{"team-a", "team-b"}},
				"team-a": {parent: "acme", children: []string{"svc"}, conditions: []metav1.Condition{noAnchor}},
				"svc":    {parent: "team-a"},
				"team-b": {parent: "acme", sub: true, children: []string{"x", "y"}},
				"x":      {parent: "team-b"},
				"y":      {parent: "team-b"},
			},
			roots: []string{"acme"},
			want: `acme
├── team-a (1)
│   └── svc
└── [s] team-b
    ├── x
    └── y

[s] indicates subnamespaces

Conditions:
1) BadConfiguration (SubnamespaceAnchorMissing): no anchor
`,
		},
		"a root that is a subnamespace has no mark": {
			families: map[string]family{"b": {parent: "a", sub: true}},
			roots:    []string{"b"},
			want:     "b\n",
		},
		"equal conditions share a number, and numbers ascend": {
			families: map[string]family{
				"r": {children: []string{"s", "t"}, conditions: []metav1.Condition{badLabel}},
				"s": {parent: "r", conditions: []metav1.Condition{noAnchor, badLabel, noAnchor}},
				"t": {parent: "r", conditions: []metav1.Condition{noAnchor}},
			},
			roots: []string{"r"},
			want: `r (1)
├── s (1,2)
└── t (2)

Conditions:
1) BadConfiguration (IllegalManagedLabel): bad label
2) BadConfiguration (SubnamespaceAnchorMissing): no anchor
`,
		},
		"several roots share one legend": {
			families: map[string]family{
				"a":  {children: []string{"a1"}},
				"a1": {parent: "a", sub: true},
				"b":  {conditions: []metav1.Condition{badLabel}},
			},
			roots: []string{"b", "a"},
			want: `b (1)
a
└── [s] a1

[s] indicates subnamespaces

Conditions:
1) BadConfiguration (IllegalManagedLabel): bad label
`,
		},
		"a cycle is drawn one step, what hangs below it is drawn at its parent": {
			families: map[string]family{
				"a": {parent: "b", children: []string{"b"}, conditions: []metav1.Condition{halted}},
				"b": {parent: "a", children: []string{"a", "z"}, conditions: []metav1.Condition{halted}},
				"z": {parent: "b"},
			},
			roots: []string{"a", "b"},
			want: `a (1)
└── b (1)
b (1)
├── a (1)
└── z

Conditions:
1) ActivitiesHalted (InCycle): a <- b <- a
`,
		},
		"a namespace that is its own parent ends": {
			families: map[string]family{"a": {parent: "a", children: []string{"a"}}},
			roots:    []string{"a"},
			want:     "a\n└── a\n",
		},
		"a circle that is only reported ends too": {
			families: map[string]family{"a": {children: []string{"b"}}, "b": {children: []string{"a"}}},
			roots:    []string{"a"},
			want:     "a\n└── b\n    └── a\n",
		},
		"a namespace below a cycle leads into it and ends": {
			families: map[string]family{
				"a": {parent: "b", children: []string{"b"}},
				"b": {parent: "a", children: []string{"a", "z"}},
				"z": {parent: "b", children: []string{"z1"}},
			},
			roots: []string{"z"},
			want:  "z\n└── z1\n",
		},
		"a child that two parents report is drawn below both": {
			families: map[string]family{
				"r": {children: []string{"a", "b"}},
				"a": {parent: "r", children: []string{"x"}},
				"b": {parent: "r", children: []string{"x"}},
				"x": {parent: "b", children: []string{"x1"}},
			},
			roots: []string{"r"},
			want: `r
├── a
│   └── x
│       └── x1
└── b
    └── x
        └── x1
`,
		},
		"a child that has gone meanwhile is its name": {
			families: map[string]family{"a": {children: []string{"gone"}}},
			roots:    []string{"a"},
			want:     "a\n└── gone\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, treeText(tc.roots, placesOf(tc.families))); diff != "" {
				t.Errorf("tree (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIsRoot(t *testing.T) {
	places := placesOf(map[string]family{
		"root":   {},
		"child":  {parent: "root"},
		"orphan": {parent: "missing"},
		"x":      {parent: "y"},
		"y":      {parent: "x"},
		"below":  {parent: "x"},
		"self":   {parent: "self"},
	})
	var got []string
	for _, name := range slices.Sorted(maps.Keys(places)) {
		if isRoot(name, places) {
			got = append(got, name)
		}
	}
	if diff := cmp.Diff([]string{"root", "self", "x", "y"}, got); diff != "" {
		t.Errorf("roots of all trees (-want +got):\n%s", diff)
	}
}
