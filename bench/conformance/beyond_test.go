// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/bench/system"
	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// refusals is a scenario that is disabled in HNC.
var refusals = scenarios{"13.2.13": refusedWrite}

// beyond is what Banyan promises beyond HNC.
var beyond = scenarios{"loser": loserGetsTheName}

// limitRanges may be read by Banyan, and not written.
var limitRanges = kind{
	schema.GroupVersionKind{Version: "v1", Kind: "LimitRange"}, "limitranges", "spec",
	map[string]any{"limits": []any{map[string]any{"type": "Pod", "max": map[string]any{"cpu": "1"}}}},
}

// refusedWrite: a write that the API server refuses is told to both sides, and the
// anchor says why not everything has arrived.
func refusedWrite(s *scene) {
	s.setMode(limitRanges, api.AllowPropagate)
	s.active(limitRanges, api.AllowPropagate)
	s.namespaces("p")
	s.put(limitRanges, "p", "limits", annotated(api.AnnotationAllSelector, "true"))
	s.midway()
	s.anchor("p", "c")
	s.anchored("p", "c", api.Ok)
	s.told(limitRanges, "p", "limits", "CannotPropagateObject")
	s.told(limitRanges, "c", "limits", "CannotUpdateObject")
	s.readiness("p", "c", api.ReasonObjectsFailed)
	s.remove(limitRanges, "p", "limits")
	s.readiness("p", "c", api.ReasonArrived)
}

// readiness waits until an anchor gives a reason.
func (s *scene) readiness(parent, child, reason string) {
	s.Helper()
	s.Eventually(fmt.Sprintf("anchor %s says %s", child, reason), func() error {
		anchor := &api.SubnamespaceAnchor{}
		if err := s.Exists(anchor, s.name(parent), s.name(child))(); err != nil {
			return err
		}
		if ready := meta.FindStatusCondition(anchor.Status.Conditions, api.ConditionReady); ready == nil || ready.Reason != reason {
			return fmt.Errorf("it says %+v", ready)
		}
		return nil
	})
}

// loserGetsTheName: of two anchors for one name, the second gets it when the first
// and its namespace are gone.
func loserGetsTheName(s *scene) {
	s.namespaces("one", "two")
	s.subnamespaces("one", "child")
	s.anchor("two", "child")
	s.anchored("two", "child", api.Conflict)
	s.midway()
	s.Remove(system.Anchor(s.name("one"), s.name("child")))
	s.claimed("child", "two")
	s.anchored("two", "child", api.Ok)
	s.readiness("two", "child", api.ReasonArrived)
	s.children("one")
	s.children("two", "child")
}

// TestExcludedAndIncludedAgain changes what is managed, and changes it back. All
// replicas are restarted with other flags in between. The audit log is not judged:
// its checker knows one scope.
func TestExcludedAndIncludedAgain(t *testing.T) {
	s := &scene{System: system.Start(t, system.Options{}), number: "excluded"}
	s.tree("top", "top/middle", "middle/low")
	s.subnamespaces("middle", "sub")
	s.put(roles, "top", "role")
	s.arrives(roles, "top", "role", "middle", "low", "sub")
	before := s.read(roles, "low", "role")

	s.Outage(func() { s.Manage(hierarchy.ScopeOptions{ExcludedNamespaces: s.names("middle")}) })
	s.troubled("low", api.ReasonIllegalParent)
	s.troubled("sub", api.ReasonIllegalParent)
	s.Eventually("middle is let go", func() error {
		ns := &corev1.Namespace{}
		if err := s.Exists(ns, "", s.name("middle"))(); err != nil {
			return err
		}
		if _, labelled := ns.Labels[api.LabelIncludedNamespace]; labelled {
			return fmt.Errorf("its labels are %v", ns.Labels)
		}
		return nil
	})
	s.configured("middle", "nothing is said of its children, and nothing keeps it", func(hc *api.HierarchyConfiguration) bool {
		return len(hc.Status.Children) == 0 && len(hc.Finalizers) == 0
	})
	s.stays("middle", "low", "sub")
	require.Equal(t, before.GetUID(), s.read(roles, "low", "role").GetUID(), "below a halt nothing is removed")

	s.Outage(func() { s.Manage(hierarchy.ScopeOptions{}) })
	s.troubled("low")
	s.troubled("sub")
	s.labelled("middle", api.LabelIncludedNamespace, "true")
	s.children("middle", "low", "sub")
	s.readiness("middle", "sub", api.ReasonArrived)
	s.put(roles, "top", "sentinel")
	s.arrives(roles, "top", "sentinel", "middle", "low", "sub")
	require.Equal(t, before.GetUID(), s.read(roles, "low", "role").GetUID())
}
