// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"

	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// server is what an API server has, as a Lookup finds it: by plural or singular,
// with or without the group.
var server = []propagate.Resource{
	resource("", "v1", "ConfigMap", "configmaps", true),
	resource("", "v1", "Secret", "secrets", true),
	resource("", "v1", "Node", "nodes", false),
	resource("", "v1", "Event", "events", true),
	resource("", "v1", "Endpoints", "endpoints", true),
	resource("apps", "v1", "ControllerRevision", "controllerrevisions", true),
	resource("apps", "v1", "Deployment", "deployments", true),
	resource("coordination.k8s.io", "v1", "Lease", "leases", true),
	resource("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", true),
	resource("events.k8s.io", "v1", "Event", "events", true),
	resource("example.com", "v1beta1", "Secret", "secrets", true),
	resource("hnc.x-k8s.io", "v1alpha2", "HierarchicalResourceQuota", "hierarchicalresourcequotas", true),
	resource("hnc.x-k8s.io", "v1alpha2", "SubnamespaceAnchor", "subnamespaceanchors", true),
	resource("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", false),
	resource("rbac.authorization.k8s.io", "v1", "Role", "roles", true),
	resource("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", true),
}

func resource(group, version, kind, plural string, namespaced bool) propagate.Resource {
	return propagate.Resource{GVK: schema.GroupVersionKind{Group: group, Version: version, Kind: kind}, Plural: plural, Namespaced: namespaced}
}

func lookup(group, name string) (propagate.Resource, error) {
	for _, r := range server {
		if (group == "" || group == r.GVK.Group) && (name == r.Plural || name == strings.ToLower(r.GVK.Kind)) {
			return r, nil
		}
	}
	return propagate.Resource{}, fmt.Errorf("looking for %q in %q: %w", name, group, propagate.ErrNoResource)
}

func broken(string, string) (propagate.Resource, error) {
	return propagate.Resource{}, errors.New("connection refused")
}

// entries reads "resource.group=mode" of each entry.
func entries(texts ...string) api.HNCConfigurationSpec {
	var spec api.HNCConfigurationSpec
	for _, text := range texts {
		name, mode, _ := strings.Cut(text, "=")
		name, group, _ := strings.Cut(name, ".")
		spec.Resources = append(spec.Resources, api.ResourceSpec{Group: group, Resource: name, Mode: api.SynchronizationMode(mode)})
	}
	return spec
}

func TestResolve(t *testing.T) {
	const always = "roles.rbac.authorization.k8s.io/v1=Propagate rolebindings.rbac.authorization.k8s.io/v1=Propagate"
	type fault struct{ reason, words string }
	tests := map[string]struct {
		spec       api.HNCConfigurationSpec
		lookup     propagate.Lookup
		want       string // what is active beside the enforced types
		wantFaults []fault
	}{
		"an empty spec":                           {},
		"an empty spec, and nobody to ask":        {lookup: broken},
		"a type":                                  {spec: entries("secrets=Remove"), want: "secrets/v1=Remove"},
		"its mode was left out":                   {spec: entries("secrets"), want: "secrets/v1=Propagate"},
		"its mode is unknown":                     {spec: entries("secrets=Other"), want: "secrets/v1=Ignore"},
		"two types, in this order":                {spec: entries("secrets=Ignore", "configmaps=AllowPropagate"), want: "secrets/v1=Ignore configmaps/v1=AllowPropagate"},
		"a type in another group":                 {spec: entries("deployments.apps"), want: "deployments.apps/v1=Propagate"},
		"a singular is kept as it is written":     {spec: entries("secret"), want: "secret/v1=Propagate"},
		"and so is a group that was left out":     {spec: entries("deployments"), want: "deployments/v1=Propagate"},
		"roles":                                   {spec: entries("roles.rbac.authorization.k8s.io=Ignore"), wantFaults: []fault{{"MultipleConfigurationsForType", `enforced as "Propagate" and cannot be overridden`}}},
		"roles by their singular":                 {spec: entries("role.rbac.authorization.k8s.io=Ignore"), wantFaults: []fault{{"MultipleConfigurationsForType", `Resource "role" of group "rbac.authorization.k8s.io"`}}},
		"roles without a group":                   {spec: entries("roles=Ignore"), wantFaults: []fault{{"MultipleConfigurationsForType", "enforced"}}},
		"rolebindings":                            {spec: entries("rolebindings.rbac.authorization.k8s.io"), wantFaults: []fault{{"MultipleConfigurationsForType", "enforced"}}},
		"rolebindings without group, singular":    {spec: entries("rolebinding"), wantFaults: []fault{{"MultipleConfigurationsForType", "enforced"}}},
		"roles, and nobody to ask":                {spec: entries("role.rbac.authorization.k8s.io=Ignore"), lookup: broken, wantFaults: []fault{{"MultipleConfigurationsForType", "enforced"}}},
		"another type, and nobody to ask":         {spec: entries("secrets"), lookup: broken, wantFaults: []fault{{"Unknown", "connection refused"}}},
		"a group that is wrong":                   {spec: entries("secrets.apps"), wantFaults: []fault{{"ResourceNotFound", `Resource "secrets" of group "apps" (spec.resources[0])`}}},
		"no name":                                 {spec: entries(""), wantFaults: []fault{{"ResourceNotFound", `Resource "" of group ""`}}},
		"a wrong entry costs only itself":         {spec: entries("nosuch", "secrets"), want: "secrets/v1=Propagate", wantFaults: []fault{{"ResourceNotFound", "spec.resources[0]"}}},
		"a type of the cluster":                   {spec: entries("clusterroles.rbac.authorization.k8s.io"), wantFaults: []fault{{"ResourceNotNamespaced", `resource "clusterroles.rbac.authorization.k8s.io" is not namespaced`}}},
		"one in the core group":                   {spec: entries("node"), wantFaults: []fault{{"ResourceNotNamespaced", `resource "nodes" is not namespaced`}}},
		"two entries for a type":                  {spec: entries("secrets=Remove", "secrets=Propagate"), want: "secrets/v1=Remove", wantFaults: []fault{{"MultipleConfigurationsForType", `Multiple sync mode settings found for "secrets"; all but one ("Remove") will be ignored`}}},
		"one kind in two groups is two types":     {spec: entries("secrets", "secrets.example.com=Remove"), want: "secrets/v1=Propagate secrets.example.com/v1beta1=Remove"},
		"in different spellings":                  {spec: entries("secrets", "secret=Remove"), want: "secrets/v1=Propagate", wantFaults: []fault{{"MultipleConfigurationsForType", `found for "secret"; all but one ("Propagate")`}}},
		"three entries for a type":                {spec: entries("secrets=Ignore", "configmaps", "secrets", "secrets"), want: "secrets/v1=Ignore configmaps/v1=Propagate", wantFaults: []fault{{"MultipleConfigurationsForType", "spec.resources[2]"}, {"MultipleConfigurationsForType", "spec.resources[3]"}}},
		"every fault is told, in the order given": {spec: entries("nosuch", "nodes", "roles"), wantFaults: []fault{{"ResourceNotFound", "[0]"}, {"ResourceNotNamespaced", "[1]"}, {"MultipleConfigurationsForType", "[2]"}}},

		"anchors":               {spec: entries("subnamespaceanchors.hnc.x-k8s.io"), wantFaults: []fault{{"ResourceNotPropagatable", "where its own namespace stands"}}},
		"hierarchical quotas":   {spec: entries("hierarchicalresourcequotas.hnc.x-k8s.io"), wantFaults: []fault{{"ResourceNotPropagatable", "kind HierarchicalResourceQuota"}}},
		"events":                {spec: entries("events"), wantFaults: []fault{{"ResourceNotPropagatable", "reports"}}},
		"events of their group": {spec: entries("events.events.k8s.io"), wantFaults: []fault{{"ResourceNotPropagatable", "reports"}}},
		"leases":                {spec: entries("leases.coordination.k8s.io"), wantFaults: []fault{{"ResourceNotPropagatable", "renews"}}},
		"endpoints":             {spec: entries("endpoints"), wantFaults: []fault{{"ResourceNotPropagatable", "Service"}}},
		"endpoint slices":       {spec: entries("endpointslices.discovery.k8s.io"), wantFaults: []fault{{"ResourceNotPropagatable", "Service"}}},
		"controller revisions":  {spec: entries("controllerrevisions.apps"), wantFaults: []fault{{"ResourceNotPropagatable", "history"}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			ask := tc.lookup
			if ask == nil {
				ask = lookup
			}
			before := tc.spec.DeepCopy()
			got := propagate.Resolve(tc.spec, ask)
			require.Equal(t, before, &tc.spec)

			var active []string
			for _, a := range got.Active {
				active = append(active, fmt.Sprintf("%s/%s=%s", strings.TrimSuffix(a.Resource+"."+a.Group, "."), a.GVK.Version, a.Mode))
			}
			if diff := cmp.Diff(strings.TrimSpace(always+" "+tc.want), strings.Join(active, " ")); diff != "" {
				t.Errorf("active (-want +got):\n%s", diff)
			}
			require.Len(t, got.Faults, len(tc.wantFaults))
			for i, want := range tc.wantFaults {
				require.Equal(t, "BadConfiguration", got.Faults[i].Type)
				require.Equal(t, want.reason, got.Faults[i].Reason)
				require.Contains(t, got.Faults[i].Message, want.words)
				require.Contains(t, got.Faults[i].Message, "remove the ", "the message says what helps")
			}
		})
	}
}

func TestResolveTellsThePlural(t *testing.T) {
	r := propagate.Resolve(entries("secret"), lookup)
	require.Equal(t, propagate.Active{Type: propagate.Type{GVK: secrets, Mode: api.Propagate}, Resource: "secret", Plural: "secrets"}, r.Active[2])
	require.Equal(t, []string{"roles", "rolebindings"}, []string{r.Active[0].Plural, r.Active[1].Plural})
	require.Equal(t, []schema.GroupVersionKind{roles, roleBindings}, []schema.GroupVersionKind{r.Active[0].GVK, r.Active[1].GVK})
}

// TestResolveSharesNothing: whoever changes a resolution does not change what is
// enforced.
func TestResolveSharesNothing(t *testing.T) {
	r := propagate.Resolve(entries(), lookup)
	r.Active[0].Mode = api.Remove
	require.Equal(t, api.Propagate, propagate.Resolve(entries(), lookup).Active[0].Mode)
}

// TestResolveAnything: each entry is active or a fault, and no kind is active
// twice.
func TestResolveAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"", "role", "roles", "rolebindings", "secret", "secrets", "configmaps", "nodes", "events", "nosuch", "deployments"}
		groups := []string{"", "apps", "rbac.authorization.k8s.io", "events.k8s.io"}
		var spec api.HNCConfigurationSpec
		for range rapid.IntRange(0, 12).Draw(t, "entries") {
			spec.Resources = append(spec.Resources, api.ResourceSpec{
				Group: rapid.SampledFrom(groups).Draw(t, "group"), Resource: rapid.SampledFrom(names).Draw(t, "resource"),
				Mode: rapid.SampledFrom([]api.SynchronizationMode{"", api.Remove, "x"}).Draw(t, "mode"),
			})
		}
		r := propagate.Resolve(spec, lookup)
		require.Equal(t, 2+len(spec.Resources), len(r.Active)+len(r.Faults))
		seen := map[schema.GroupKind]bool{}
		for _, a := range r.Active {
			require.False(t, seen[a.GVK.GroupKind()], a.GVK)
			seen[a.GVK.GroupKind()] = true
			require.Equal(t, propagate.Mode(a.Mode), a.Mode)
		}
	})
}
