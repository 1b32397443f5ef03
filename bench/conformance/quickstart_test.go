// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"github.com/stretchr/testify/require"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// quickstart are section 13.4.
var quickstart = scenarios{
	"13.4.1":  treeIsMade,
	"13.4.3":  policiesArrive,
	"13.4.4":  serviceMovesToOtherTeam,
	"13.4.5":  secretsWhenAskedFor,
	"13.4.6":  networkPolicy,
	"13.4.8":  threeServices,
	"13.4.14": fullStagingSurvives,
	"13.4.15": secretsByTree,
}

// org has a team and a service, with Roles and RoleBindings of their own.
func (s *scene) org() {
	s.Helper()
	s.namespaces("acme-org", "team-a", "service-1")
	s.put(roles, "acme-org", "org-sre")
	s.put(roleBindings, "acme-org", "org-sres")
	s.put(roles, "team-a", "team-a-sre")
	s.put(roleBindings, "team-a", "team-a-sres")
}

func treeIsMade(s *scene) {
	s.org()
	s.sentinel(roles, "service-1")
	s.lacks(roleBindings, "org-sres", "service-1")
	s.lacks(roleBindings, "team-a-sres", "service-1")
	s.midway()
	s.setParent("team-a", "acme-org")
	s.setParent("service-1", "team-a")
	s.parent("team-a", "acme-org")
	s.parent("service-1", "team-a")
	s.children("acme-org", "team-a")
	s.children("team-a", "service-1")
}

func policiesArrive(s *scene) {
	s.org()
	s.setParent("team-a", "acme-org")
	s.midway()
	s.setParent("service-1", "team-a")
	s.arrives(roles, "acme-org", "org-sre", "team-a", "service-1")
	s.arrives(roles, "team-a", "team-a-sre", "service-1")
	s.arrives(roleBindings, "acme-org", "org-sres", "service-1")
	s.arrives(roleBindings, "team-a", "team-a-sres", "service-1")
}

func serviceMovesToOtherTeam(s *scene) {
	s.org()
	s.setParent("team-a", "acme-org")
	s.setParent("service-1", "team-a")
	s.arrives(roles, "team-a", "team-a-sre", "service-1")
	s.subnamespaces("acme-org", "team-b")
	s.put(roles, "team-b", "team-b-wizard")
	s.midway()
	s.setParent("service-1", "team-b")
	s.arrives(roles, "team-b", "team-b-wizard", "service-1")
	s.goes(roles, "team-a-sre", "service-1")
	s.arrives(roles, "acme-org", "org-sre", "service-1")
	s.children("team-a")
	s.children("team-b", "service-1")
}

// HNC plays this with Secrets; here they belong to all scenarios.
func secretsWhenAskedFor(s *scene) {
	k := s.things()
	s.define(k)
	s.setMode(k, api.Ignore)
	s.active(k, api.Ignore)
	s.namespaces("org", "service-1")
	s.subnamespaces("org", "team-a", "team-b")
	s.setParent("service-1", "team-b")
	s.put(k, "team-b", "creds")
	s.sentinel(roles, "team-b", "service-1")
	s.lacks(k, "creds", "service-1")
	s.midway()
	s.setMode(k, api.Propagate)
	s.arrives(k, "team-b", "creds", "service-1")
	s.setParent("service-1", "team-a")
	s.goes(k, "creds", "service-1")
}

// Whether traffic is let through is not the business of Banyan.
func networkPolicy(s *scene) {
	s.tree("root", "root/team-a", "team-a/service-1", "root/team-b")
	s.midway()
	s.put(networkPolicies, "root", "deny-from-other-namespaces")
	s.arrives(networkPolicies, "root", "deny-from-other-namespaces", "team-a", "service-1", "team-b")
	s.put(networkPolicies, "team-a", "allow-team-a", with("spec", map[string]any{
		"podSelector": map[string]any{},
		"ingress": []any{map[string]any{"from": []any{map[string]any{"namespaceSelector": map[string]any{
			"matchExpressions": []any{map[string]any{"key": s.name("team-a") + api.LabelTreeDepthSuffix, "operator": "Exists"}},
		}}}}},
		"policyTypes": []any{"Ingress"},
	}))
	s.arrives(networkPolicies, "team-a", "allow-team-a", "service-1")
	s.misses(networkPolicies, "root", "allow-team-a", "team-b")
}

func threeServices(s *scene) {
	s.namespaces("team-a")
	s.midway()
	for _, service := range []string{"service-1", "service-2", "service-3"} {
		s.anchor("team-a", service)
		s.claimed(service, "team-a")
	}
	s.children("team-a", "service-1", "service-2", "service-3")
}

func fullStagingSurvives(s *scene) {
	s.namespaces("team-a", "staging")
	s.subnamespaces("team-a", "service-4")
	s.setParent("staging", "service-4")
	s.children("service-4", "staging")
	s.allowCascading("service-4")
	s.midway()
	s.deleteAnchor("team-a", "service-4")
	s.namespaceGone("service-4")
	s.troubled("staging", api.ReasonParentMissing)
	s.stays("staging")
}

func secretsByTree(s *scene) {
	s.namespaces("org")
	s.subnamespaces("org", "team-a", "team-b")
	s.put(secrets, "org", "creds")
	s.arrives(secrets, "org", "creds", "team-a", "team-b")
	s.midway()
	s.alter(secrets, "org", "creds", annotated(tree, "!"+s.name("team-b")))
	s.goes(secrets, "creds", "team-b")
	require.NotNil(s, s.read(secrets, "team-a", "creds"))
	s.remove(secrets, "org", "creds")
	s.goes(secrets, "creds", "team-a")
	s.put(secrets, "org", "creds", annotated(tree, s.name("team-a")))
	s.arrives(secrets, "org", "creds", "team-a")
	s.misses(secrets, "org", "creds", "team-b")
}
