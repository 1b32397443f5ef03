// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

var later = metav1.NewTime(foresttest.Time.Add(time.Hour))

// reported is what DecideConfiguration is told, at foresttest.Time unless another
// time is given.
type reported struct {
	spec     []string
	counts   map[schema.GroupVersionKind]propagate.Counts
	failed   map[schema.GroupVersionKind]string
	troubles []hierarchy.Trouble
	now      metav1.Time
}

func (r reported) decide(seen *api.HNCConfiguration) hierarchy.Action {
	if r.now.IsZero() {
		r.now = foresttest.Time
	}
	counts := func(gvk schema.GroupVersionKind) propagate.Counts { return r.counts[gvk] }
	return propagate.DecideConfiguration(seen, propagate.Resolve(entries(r.spec...), lookup), counts, r.failed, r.troubles, r.now)
}

func (r reported) status(t *testing.T) api.HNCConfigurationStatus {
	t.Helper()
	action := r.decide(nil)
	require.Equal(t, hierarchy.Create, action.Verb)
	return action.After.(*api.HNCConfiguration).Status
}

func halted(reason string, namespaces ...string) hierarchy.Trouble {
	return hierarchy.Trouble{Type: api.ConditionActivitiesHalted, Reason: reason, Namespaces: namespaces}
}

func TestDecideConfiguration(t *testing.T) {
	now := reported{spec: []string{"secrets"}, troubles: []hierarchy.Trouble{halted("InCycle", "a")}}
	stands := now.decide(nil).After.(*api.HNCConfiguration)
	stands.Spec = entries("secrets")
	stands.ResourceVersion = "7"

	tests := map[string]struct {
		change   func(*api.HNCConfiguration)
		told     func(*reported)
		wantVerb hierarchy.Verb
	}{
		"nothing is new":                 {},
		"nothing is new but the time":    {told: func(r *reported) { r.now = later }},
		"no conditions and none":         {change: func(c *api.HNCConfiguration) { c.Status.Conditions = []metav1.Condition{} }, told: func(r *reported) { r.troubles = nil }},
		"a count":                        {told: func(r *reported) { r.counts = map[schema.GroupVersionKind]propagate.Counts{secrets: {Copies: 1}} }, wantVerb: hierarchy.Patch},
		"a type":                         {told: func(r *reported) { r.spec = append(r.spec, "configmaps") }, wantVerb: hierarchy.Patch},
		"a trouble":                      {told: func(r *reported) { r.troubles[0].Namespaces = []string{"b"} }, wantVerb: hierarchy.Patch},
		"a trouble is over":              {told: func(r *reported) { r.troubles = nil }, wantVerb: hierarchy.Patch},
		"somebody wrote into the status": {change: func(c *api.HNCConfiguration) { c.Status.Resources[0].Mode = "x" }, wantVerb: hierarchy.Patch},
		"it is being deleted":            {change: func(c *api.HNCConfiguration) { c.DeletionTimestamp = &later }, told: func(r *reported) { r.troubles = nil }},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			seen, told := stands.DeepCopy(), now
			told.troubles = []hierarchy.Trouble{halted("InCycle", "a")}
			if tc.change != nil {
				tc.change(seen)
			}
			if tc.told != nil {
				tc.told(&told)
			}
			before := seen.DeepCopy()
			action := told.decide(seen)
			require.Equal(t, before, seen, "what was seen is not changed")
			require.Equal(t, tc.wantVerb, action.Verb)
			if tc.wantVerb == "" {
				require.Equal(t, hierarchy.Action{}, action)
				return
			}
			require.Same(t, seen, action.Before)
			after := action.After.(*api.HNCConfiguration)
			require.Equal(t, seen.Spec, after.Spec)
			require.Equal(t, "7", after.ResourceVersion)
			require.NotEmpty(t, action.Why)
			require.Equal(t, hierarchy.Action{}, told.decide(after), "once it is written there is nothing to do")
		})
	}
}

func TestConfigurationIsCreated(t *testing.T) {
	action := reported{}.decide(nil)
	require.Equal(t, hierarchy.Create, action.Verb)
	require.Nil(t, action.Before)
	zero := new(int)
	want := &api.HNCConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "config"}, Status: api.HNCConfigurationStatus{Resources: []api.ResourceStatus{
		{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings", Mode: "Propagate", NumPropagatedObjects: zero, NumSourceObjects: zero},
		{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles", Mode: "Propagate", NumPropagatedObjects: zero, NumSourceObjects: zero},
	}}}
	if diff := cmp.Diff(want, action.After.(*api.HNCConfiguration)); diff != "" {
		t.Errorf("new configuration (-want +got):\n%s", diff)
	}
}

func TestResourceStatus(t *testing.T) {
	one, two := 1, 2
	counts := map[schema.GroupVersionKind]propagate.Counts{secrets: {Copies: 2, Sources: 1}}
	for mode, want := range map[string]api.ResourceStatus{
		"":               {Version: "v1", Resource: "secret", Mode: "Propagate", NumPropagatedObjects: &two, NumSourceObjects: &one},
		"Propagate":      {Version: "v1", Resource: "secret", Mode: "Propagate", NumPropagatedObjects: &two, NumSourceObjects: &one},
		"AllowPropagate": {Version: "v1", Resource: "secret", Mode: "AllowPropagate", NumPropagatedObjects: &two, NumSourceObjects: &one},
		"Remove":         {Version: "v1", Resource: "secret", Mode: "Remove", NumPropagatedObjects: &two},
		"Ignore":         {Version: "v1", Resource: "secret", Mode: "Ignore"},
		"Other":          {Version: "v1", Resource: "secret", Mode: "Ignore"},
	} {
		status := reported{spec: []string{"secret=" + mode}, counts: counts}.status(t)
		if diff := cmp.Diff(want, status.Resources[0]); diff != "" {
			t.Errorf("mode %q (-want +got):\n%s", mode, diff)
		}
	}
}

func TestResourceStatusesAreSorted(t *testing.T) {
	var got []string
	for _, s := range (reported{spec: []string{"secrets", "deployments.apps", "configmap"}}).status(t).Resources {
		got = append(got, s.Group+"/"+s.Resource)
	}
	require.Equal(t, []string{"/configmap", "/secrets", "apps/deployments", "rbac.authorization.k8s.io/rolebindings", "rbac.authorization.k8s.io/roles"}, got)
}

func TestClusterConditions(t *testing.T) {
	type condition struct{ kind, reason, words string }
	tests := map[string]struct {
		told reported
		want []condition
	}{
		"all is well": {},
		"two faults of one reason are both told": {
			told: reported{spec: []string{"nosuch", "nosuch.apps"}},
			want: []condition{{"BadConfiguration", "ResourceNotFound", `"nosuch" of group ""`}, {"BadConfiguration", "ResourceNotFound", `"nosuch" of group "apps"`}},
		},
		"a type that cannot be read": {
			told: reported{spec: []string{"secret"}, failed: map[schema.GroupVersionKind]string{secrets: "it must not be listed"}},
			want: []condition{{"OutOfSync", "Unknown", `Resource "secret" of group "" (version v1): its objects are neither copied nor removed, since it must not be listed`}},
		},
		"two of them, in the order of the types": {
			told: reported{spec: []string{"secrets"}, failed: map[schema.GroupVersionKind]string{secrets: "x", roles: "y"}},
			want: []condition{{"OutOfSync", "Unknown", "since y"}, {"OutOfSync", "Unknown", "since x"}},
		},
		"one that is not active is no matter": {
			told: reported{failed: map[schema.GroupVersionKind]string{secrets: "x"}},
		},
		"every trouble is told": {
			told: reported{troubles: []hierarchy.Trouble{
				halted("InCycle", "a"), halted("ParentMissing", "c", "b"),
				{Type: api.ConditionBadConfiguration, Reason: "IllegalManagedLabel", Namespaces: []string{"d"}},
			}},
			want: []condition{
				{"NamespaceCondition", "ActivitiesHalted", `reason InCycle (namespaces: 1): "a";`},
				{"NamespaceCondition", "ActivitiesHalted", `reason ParentMissing (namespaces: 2): "b", "c";`},
				{"NamespaceCondition", "BadConfiguration", `reason IllegalManagedLabel (namespaces: 1): "d";`},
			},
		},
		"three names are given": {
			told: reported{troubles: []hierarchy.Trouble{halted("InCycle", "c", "a", "b")}},
			want: []condition{{"NamespaceCondition", "ActivitiesHalted", `(namespaces: 3): "a", "b", "c";`}},
		},
		"of four, three": {
			told: reported{troubles: []hierarchy.Trouble{halted("InCycle", "d", "c", "a", "b")}},
			want: []condition{{"NamespaceCondition", "ActivitiesHalted", `(namespaces: 4): "a", "b", "c", ...;`}},
		},
		"a type that somebody made up is no reason": {
			told: reported{troubles: []hierarchy.Trouble{{Type: "example.com/Made-up", Reason: "R", Namespaces: []string{"a"}}}},
			want: []condition{{"NamespaceCondition", "Unknown", "example.com/Made-up"}},
		},
		"faults, then types, then namespaces": {
			told: reported{spec: []string{"nodes"}, failed: map[schema.GroupVersionKind]string{roles: "x"}, troubles: []hierarchy.Trouble{halted("InCycle", "a")}},
			want: []condition{{"BadConfiguration", "ResourceNotNamespaced", ""}, {"OutOfSync", "Unknown", ""}, {"NamespaceCondition", "ActivitiesHalted", ""}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := tc.told.status(t).Conditions
			require.Len(t, got, len(tc.want))
			for i, want := range tc.want {
				require.Equal(t, []string{want.kind, want.reason}, []string{got[i].Type, got[i].Reason})
				require.Contains(t, got[i].Message, want.words)
				require.Equal(t, metav1.ConditionTrue, got[i].Status)
				require.Equal(t, foresttest.Time, got[i].LastTransitionTime)
			}
		})
	}
}

func TestLastTransitionTime(t *testing.T) {
	stood := reported{spec: []string{"nosuch", "secrets", "secrets"}, failed: map[schema.GroupVersionKind]string{roles: "x"}, troubles: []hierarchy.Trouble{halted("InCycle", "a")}}
	tests := map[string]struct {
		told reported
		want []bool // whether each condition is new
	}{
		"all as it was":                    {told: stood, want: []bool{false, false, false, false}},
		"another number of namespaces":     {told: reported{troubles: []hierarchy.Trouble{halted("InCycle", "a", "b")}}, want: []bool{false}},
		"another reason in the namespaces": {told: reported{troubles: []hierarchy.Trouble{halted("ParentMissing", "a")}}, want: []bool{true}},
		"an entry in another place":        {told: reported{spec: []string{"configmaps", "nosuch"}}, want: []bool{false}},
		"another entry in its place":       {told: reported{spec: []string{"nosuch.apps"}}, want: []bool{true}},
		"one more of the same":             {told: reported{spec: []string{"secrets", "secrets", "secrets"}}, want: []bool{false, true}},
		"another error of a type":          {told: reported{failed: map[schema.GroupVersionKind]string{roles: "y"}}, want: []bool{false}},
		"another type":                     {told: reported{failed: map[schema.GroupVersionKind]string{roleBindings: "x"}}, want: []bool{true}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			seen := stood.decide(nil).After.(*api.HNCConfiguration)
			tc.told.now = later
			after := seen
			if action := tc.told.decide(seen); action.Verb != "" {
				after = action.After.(*api.HNCConfiguration)
			}
			var got []bool
			for _, c := range after.Status.Conditions {
				require.Contains(t, []metav1.Time{foresttest.Time, later}, c.LastTransitionTime)
				got = append(got, c.LastTransitionTime == later)
			}
			require.Equal(t, tc.want, got)
		})
	}
}

// TestTimesAreWholeSeconds: the API keeps no more of them, so that more would be
// a difference at once.
func TestTimesAreWholeSeconds(t *testing.T) {
	told := reported{spec: []string{"nosuch"}, now: metav1.NewTime(foresttest.Time.Add(time.Millisecond))}
	require.True(t, foresttest.Time.Time.Equal(told.status(t).Conditions[0].LastTransitionTime.Time))
}

// TestConditionWithoutTime: one that somebody wrote without a time gets one.
func TestConditionWithoutTime(t *testing.T) {
	told := reported{spec: []string{"nosuch"}}
	seen := told.decide(nil).After.(*api.HNCConfiguration)
	seen.Status.Conditions[0].LastTransitionTime = metav1.Time{}
	require.Equal(t, foresttest.Time, told.decide(seen).After.(*api.HNCConfiguration).Status.Conditions[0].LastTransitionTime)
}

// TestLongMessage: the API server would refuse the whole status for one.
func TestLongMessage(t *testing.T) {
	status := reported{failed: map[schema.GroupVersionKind]string{roles: strings.Repeat("é", 40000)}}.status(t)
	require.LessOrEqual(t, len(status.Conditions[0].Message), 32768)
	require.True(t, strings.HasSuffix(status.Conditions[0].Message, "é..."))
}
