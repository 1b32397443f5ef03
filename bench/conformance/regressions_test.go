// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/banyan-hns/banyan/bench/system"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// regressions are the part of section 13.2 that plays with all webhooks.
var regressions = scenarios{
	"13.2.1":  claimRemovedByHand,
	"13.2.2":  fullNamespaceWithCopyGoes,
	"13.2.3":  subnamespaceWithCopyGoes,
	"13.2.4":  claimedWithoutAnchor,
	"13.2.5":  anchorComesLater,
	"13.2.6":  branchGoes,
	"13.2.7":  treeGoes,
	"13.2.8":  fullChildSurvives,
	"13.2.10": leafGoes,
	"13.2.12": branchGoesLeafByLeaf,
	"13.2.14": clusterAdmin,
	"13.2.15": rebornNamespace,
	"13.2.16": customResource,
	"13.2.17": everyExceptionInAllowPropagate,
}

func claimRemovedByHand(s *scene) {
	s.namespaces("p")
	s.subnamespaces("p", "c")
	s.claim("c", "")
	s.midway()
	s.deleteAnchor("p", "c")
	s.stays("c")
	s.children("p", "c")
}

func fullNamespaceWithCopyGoes(s *scene) {
	s.tree("p", "p/c")
	s.put(roleBindings, "p", "binding")
	s.arrives(roleBindings, "p", "binding", "c")
	s.midway()
	s.deleteNamespace("c")
	s.children("p")
}

func subnamespaceWithCopyGoes(s *scene) {
	s.namespaces("p")
	s.subnamespaces("p", "c")
	s.put(roleBindings, "p", "binding")
	s.arrives(roleBindings, "p", "binding", "c")
	s.midway()
	s.deleteAnchor("p", "c")
	s.namespaceGone("c")
}

func claimedWithoutAnchor(s *scene) {
	s.tree("p", "p/sub")
	s.midway()
	s.claim("sub", "p")
	s.troubled("sub", api.ReasonAnchorMissing)
}

func anchorComesLater(s *scene) {
	s.tree("p", "p/sub")
	s.claim("sub", "p")
	s.troubled("sub", api.ReasonAnchorMissing)
	s.midway()
	s.anchor("p", "sub")
	s.anchored("p", "sub", api.Ok)
	s.troubled("sub")
}

func branchGoes(s *scene) {
	s.namespaces("p")
	s.subnamespaces("p", "sub")
	s.subnamespaces("sub", "x", "y")
	s.allowCascading("sub")
	s.midway()
	s.deleteAnchor("p", "sub")
	s.namespaceGone("sub", "x", "y")
	s.children("p")
}

func treeGoes(s *scene) {
	s.tree("p", "p/full")
	s.allowCascading("p")
	s.subnamespaces("p", "s1", "s2")
	s.subnamespaces("s1", "s1a", "s1b")
	s.subnamespaces("s2", "s2a")
	s.subnamespaces("full", "below")
	s.midway()
	s.deleteNamespace("p")
	s.namespaceGone("s1", "s1a", "s1b", "s2", "s2a")
	s.troubled("full", api.ReasonParentMissing)
	s.haltedBy("below", "full")
	s.stays("full", "below")
}

func fullChildSurvives(s *scene) {
	s.tree("p", "p/c")
	s.midway()
	s.deleteNamespace("p")
	s.troubled("c", api.ReasonParentMissing)
	s.stays("c")
}

func leafGoes(s *scene) {
	s.namespaces("p")
	s.subnamespaces("p", "c")
	s.midway()
	s.deleteAnchor("p", "c")
	s.namespaceGone("c")
}

func branchGoesLeafByLeaf(s *scene) {
	s.namespaces("p")
	s.subnamespaces("p", "c")
	s.subnamespaces("c", "g")
	s.deleteAnchor("c", "g")
	s.namespaceGone("g")
	s.children("c")
	s.midway()
	s.deleteAnchor("p", "c")
	s.namespaceGone("c")
}

func clusterAdmin(s *scene) {
	s.tree("p", "p/c")
	s.midway()
	admin := map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}
	s.put(roleBindings, "p", "admins", with("roleRef", admin))
	s.arrives(roleBindings, "p", "admins", "c")
}

func rebornNamespace(s *scene) {
	s.namespaces("p")
	s.allowCascading("p")
	s.subnamespaces("p", "c")
	s.midway()
	s.deleteNamespace("p")
	s.namespaces("p")
	hc := system.Configuration(s.name("p"))
	require.True(s, apierrors.IsNotFound(s.Exists(hc, hc.Namespace, hc.Name)()))
	s.namespaceGone("c")
}

func customResource(s *scene) {
	k := s.things()
	s.define(k)
	s.namespaces("p")
	s.subnamespaces("p", "c")
	s.setMode(k, api.Propagate)
	s.put(k, "p", "thing")
	s.arrives(k, "p", "thing", "c")
	s.midway()
	s.alter(k, "p", "thing", with("spec", map[string]any{"foo": "changed"}))
	s.arrives(k, "p", "thing", "c")
	require.Equal(s, map[string]any{"foo": "changed"}, s.read(k, "c", "thing").Object["spec"])
}

// HNC plays this with Secrets; here they belong to all scenarios.
func everyExceptionInAllowPropagate(s *scene) {
	k := s.things()
	s.define(k)
	s.tree("p", "p/c")
	s.setMode(k, api.Propagate)
	s.put(k, "p", "thing")
	s.arrives(k, "p", "thing", "c")
	s.midway()
	s.setMode(k, api.AllowPropagate)
	s.goes(k, "thing", "c")
	for key, value := range map[string]string{sel: s.name("c") + api.LabelTreeDepthSuffix, tree: s.name("c"), all: "true"} {
		s.alter(k, "p", "thing", annotated(key, value))
		s.arrives(k, "p", "thing", "c")
		s.alter(k, "p", "thing", unannotated)
		s.goes(k, "thing", "c")
	}
	s.alter(k, "p", "thing", annotated(none, "true"))
	s.misses(k, "p", "thing", "c")
	s.alter(k, "p", "thing", unannotated)
	s.misses(k, "p", "thing", "c")
}
