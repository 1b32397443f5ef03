// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// later is some seconds after the time that builders use.
func later(seconds int) metav1.Time {
	return metav1.NewTime(foresttest.Time.Add(time.Duration(seconds) * time.Second))
}

// dying is a subnamespace n of a that is being deleted.
func dying() *foresttest.Namespace { return ns("n").SubnamespaceOf("a").Terminating() }

func TestDecideStuck(t *testing.T) {
	const content, finalizers = corev1.NamespaceContentRemaining, corev1.NamespaceFinalizersRemaining
	tests := map[string]struct {
		child  *foresttest.Namespace
		living bool
		at     int
		want   string
		words  string
	}{
		"no word of Kubernetes, no release, however long": {child: dying(), at: 100000, want: "write Ok False/Terminating held", words: `together with its namespace "n".`},
		"the word alone is no reason": {
			child: dying().Condition(content, "Some resources are remaining: pods. has 3 resource instances", 0), at: 5,
			want: "write Ok False/Terminating held; again in 55s", words: "(Some resources are remaining: pods)",
		},
		"after a minute it is": {
			child: dying().Condition(content, "Some resources are remaining: deployments.apps has 1 resource instances, pods. has 3 resource instances", 0), at: 60,
			want: "write Ok False/Terminating; tell SubnamespaceStuck", words: "deployments.apps, pods",
		},
		"the first of several words counts": {
			child: dying().Condition(content, "content", 50).Condition(finalizers, "Some content in the namespace has finalizers remaining: example.com/x in 1 resource instances", 10), at: 60,
			want: "write Ok False/Terminating held; again in 10s", words: "remaining: example.com/x; content",
		},
		"that deletion fails is one": {
			child: dying().Condition(corev1.NamespaceDeletionContentFailure, "refused by a webhook", 0), at: 61,
			want: "write Ok False/Terminating; tell SubnamespaceStuck", words: "refused by a webhook",
		},
		"that types cannot be listed is one": {
			child: dying().Condition(corev1.NamespaceDeletionDiscoveryFailure, "metrics.k8s.io/v1beta1: stale", 0), at: 61,
			want: "write Ok False/Terminating; tell SubnamespaceStuck", words: "metrics",
		},
		"a long word is cut, at a whole letter": {
			child: dying().Condition(content, strings.Repeat("ä", 100000), 0), at: 100,
			want: "write Ok False/Terminating; tell SubnamespaceStuck", words: "ä...; remove what is left",
		},
		"other conditions mean nothing": {child: dying().Condition("Painted", "green", 0), at: 100, want: "write Ok False/Terminating held"},
		"a clock that is late is asked again in time": {
			child: dying().Condition(content, "pods", 100000), want: "write Ok False/Terminating held; again in 1m0s",
		},
		"a living anchor is never released, but tells": {
			child: dying().Condition(content, "pods", 0), living: true, at: 100, want: "write Ok False/Terminating held", words: "(pods); once it is gone, it is made anew",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := anchor("a", "n").Finalizer().State(api.Ok)
			if !tc.living {
				a.Terminating()
			}
			f := foresttest.CreateIn(hierarchy.Scope{}, "-", tc.child.Obj(), a.Obj())
			plan := f.DecideAnchor(an, hierarchy.Arrival{}, later(tc.at))
			require.Equal(t, tc.want, summary(plan))
			require.Contains(t, plan.String(), tc.words)
			require.Less(t, len(plan.Actions[0].Tell.Message), 1024, "an event has room for no more")
		})
	}
}

// TestFalseConditionsMeanNothing: Kubernetes keeps them once it wrote them.
func TestFalseConditionsMeanNothing(t *testing.T) {
	child := dying().Condition(corev1.NamespaceContentRemaining, "All content successfully removed", 0).Obj()
	child.Status.Conditions[0].Status = corev1.ConditionFalse
	f := foresttest.CreateIn(hierarchy.Scope{}, "-", child, anchor("a", "n").Finalizer().Terminating().Obj())
	plan := f.DecideAnchor(an, hierarchy.Arrival{}, later(1000))
	require.Equal(t, "write Ok False/Terminating held", summary(plan))
	require.NotContains(t, plan.String(), "successfully")
}

// TestCountdownIsNotWritten: while Kubernetes empties a namespace, its counts go
// down; an anchor must not be written for each.
func TestCountdownIsNotWritten(t *testing.T) {
	f := foresttest.CreateIn(hierarchy.Scope{}, "-", dying().Obj(), anchor("a", "n").Finalizer().Terminating().Obj())
	writes := 0
	for count := 9; count > 0; count-- {
		f.SetNamespace(dying().Condition(corev1.NamespaceContentRemaining, fmt.Sprintf("Some resources are remaining: pods. has %d resource instances", count), 0).Obj())
		plan := f.DecideAnchor(an, hierarchy.Arrival{}, later(10))
		writes += len(plan.Actions)
		carryOut(f, plan)
	}
	require.Equal(t, 1, writes)
}

// TestStuckStory is the whole of it: a subnamespace that cannot end, its anchor
// and its parent that can, and another beginning under the same name.
func TestStuckStory(t *testing.T) {
	f := foresttest.CreateIn(hierarchy.Scope{}, "-", ns("n").SubnamespaceOf("a").Obj(), config("n").Parent("a").Obj(), anchor("a", "n").Finalizer().Obj())
	settle(f, "a", "n")
	decide := func(at int) string {
		plan := f.DecideAnchor(an, hierarchy.Arrival{}, later(at))
		carryOut(f, plan)
		return summary(plan)
	}
	require.Empty(t, decide(0), "all is well")

	// 1. The anchor is deleted, and its namespace with it.
	a, _ := f.Anchor("a", "n")
	doomed := a.DeepCopy()
	doomed.DeletionTimestamp = &foresttest.Time
	change := f.SetAnchor(doomed)
	require.Contains(t, change.Anchors, an)
	require.Contains(t, change.Decide, "n")
	require.True(t, f.Decide(f.Observe("n"), foresttest.Time).Deletes())
	require.Equal(t, "write Ok False/Terminating held", decide(1))

	// 2. It begins to end; its configuration, which nothing holds, goes first.
	require.Contains(t, f.SetNamespace(dying().Obj()).Anchors, an)
	f.RemoveConfiguration("n")
	require.Empty(t, decide(2), "the ordinary way costs no more writes")
	require.Empty(t, f.Parent("n"), "it is out of the tree")
	require.Empty(t, f.Children("a"))

	// 3. Something is left. That is told, and after a while acted upon.
	stuck := dying().Condition(corev1.NamespaceFinalizersRemaining, "Some content in the namespace has finalizers remaining: example.com/x in 1 resource instances", 3).Obj()
	require.Contains(t, f.SetNamespace(stuck).Anchors, an)
	require.Equal(t, "write Ok False/Terminating held; again in 1m0s", decide(3))
	require.Equal(t, "again in 1s", decide(62))
	plan := f.DecideAnchor(an, hierarchy.Arrival{}, later(63))
	require.Equal(t, "write Ok False/Terminating; tell SubnamespaceStuck", summary(plan))
	require.Contains(t, plan.Actions[0].Tell.Message, `"a" can be deleted, although "n" is not gone: Some content in the namespace has finalizers remaining: example.com/x; remove what is left by hand`)

	// 4. The anchor is gone, and nothing of it holds the parent.
	f.RemoveAnchor("a", "n")
	require.False(t, f.Observe("a").HasAnchors)
	settle(f, "a")
	require.Empty(t, f.Observe("a").Configuration.Finalizers)
	require.Empty(t, f.Observe("a").Configuration.Status.Children)
	require.Empty(t, f.Decide(f.Observe("n"), later(70)).Actions, "and what is dying is left in peace")

	// 5. A new anchor of that name waits for the old namespace to end.
	f.SetAnchor(anchor("a", "n").Finalizer().Created(80).Obj())
	require.Equal(t, "write Ok False/Terminating held", decide(80))
	require.Empty(t, decide(81))
	require.Empty(t, f.Decide(f.Observe("n"), later(81)).Actions)

	// 6. Then it gets its own.
	change = f.RemoveNamespace("n")
	require.Contains(t, change.Decide, "n")
	require.Contains(t, change.Anchors, an)
	require.Equal(t, "again in 2s", decide(82), "and need not say that there is none")
	carryOut(f, f.Decide(f.Observe("n"), later(82)))
	carryOut(f, f.Decide(f.Observe("n"), later(82)))
	require.Equal(t, "write Ok True/Arrived held", decide(83))
}
