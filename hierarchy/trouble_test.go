// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// troubled is a configuration with conditions, each given as type and reason.
func troubled(namespace string, conditions ...[2]string) *api.HierarchyConfiguration {
	c := config(namespace).Obj()
	for _, condition := range conditions {
		c.Status.Conditions = append(c.Status.Conditions, metav1.Condition{Type: condition[0], Reason: condition[1], Status: metav1.ConditionTrue})
	}
	return c
}

func TestTroubles(t *testing.T) {
	cycle := [2]string{"ActivitiesHalted", "InCycle"}
	missing := [2]string{"ActivitiesHalted", "ParentMissing"}
	label := [2]string{"BadConfiguration", "IllegalManagedLabel"}
	tests := map[string]struct {
		layout string
		more   objects
		want   []hierarchy.Trouble
	}{
		"a healthy forest has none": {layout: "-aB"},
		"namespaces are gathered by type and reason, all sorted": {
			layout: "----", more: objects{troubled("d", label), troubled("c", missing), troubled("b", cycle, label), troubled("a", cycle)},
			want: []hierarchy.Trouble{
				{Type: "ActivitiesHalted", Reason: "InCycle", Namespaces: []string{"a", "b"}},
				{Type: "ActivitiesHalted", Reason: "ParentMissing", Namespaces: []string{"c"}},
				{Type: "BadConfiguration", Reason: "IllegalManagedLabel", Namespaces: []string{"b", "d"}},
			},
		},
		"one that says a thing twice counts once": {
			layout: "-", more: objects{troubled("a", label, label)},
			want: []hierarchy.Trouble{{Type: "BadConfiguration", Reason: "IllegalManagedLabel", Namespaces: []string{"a"}}},
		},
		"one that does not exist does not count": {more: objects{troubled("a", label)}},
		"nor one that is not managed":            {more: objects{ns("x").Obj(), troubled("x", label)}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := foresttest.CreateIn(decideScope(t), tc.layout, tc.more...).Troubles()
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("troubles (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTroublesFollowThePlans: what plans write is what is summed up.
func TestTroublesFollowThePlans(t *testing.T) {
	f := foresttest.Create("zab")
	require.Empty(t, f.Troubles(), "nothing is written yet")
	settle(f, "a", "b", "c")
	require.Equal(t, []hierarchy.Trouble{
		{Type: "ActivitiesHalted", Reason: "AncestorHaltActivities", Namespaces: []string{"b", "c"}},
		{Type: "ActivitiesHalted", Reason: "ParentMissing", Namespaces: []string{"a"}},
	}, f.Troubles())

	f.SetNamespace(ns("z").Obj())
	settle(f, "a", "b", "c", "z")
	require.Empty(t, f.Troubles())
}
