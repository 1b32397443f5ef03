// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/hierarchy"
)

func TestScopeManages(t *testing.T) {
	tests := map[string]struct {
		options   hierarchy.ScopeOptions
		namespace string
		wantWhy   string // a fragment; empty if managed
	}{
		"everything is managed by default":          {namespace: "a"},
		"no parent is a legal parent":               {options: hierarchy.ScopeOptions{IncludedNamespaceRegex: "z"}, namespace: ""},
		"an excluded name is not":                   {options: hierarchy.ScopeOptions{ExcludedNamespaces: []string{"a"}}, namespace: "a", wantWhy: "excluded"},
		"exclusion is by exact name":                {options: hierarchy.ScopeOptions{ExcludedNamespaces: []string{"a"}}, namespace: "ab"},
		"a name that matches is managed":            {options: hierarchy.ScopeOptions{IncludedNamespaceRegex: "team-.*"}, namespace: "team-a"},
		"one that does not is not":                  {options: hierarchy.ScopeOptions{IncludedNamespaceRegex: "team-.*"}, namespace: "a", wantWhy: `"team-.*"`},
		"the whole name must match":                 {options: hierarchy.ScopeOptions{IncludedNamespaceRegex: "team"}, namespace: "team-a", wantWhy: `"team"`},
		"exclusion wins":                            {options: hierarchy.ScopeOptions{IncludedNamespaceRegex: ".*", ExcludedNamespaces: []string{"a"}}, namespace: "a", wantWhy: "excluded"},
		"alternatives are anchored on the left":     {options: hierarchy.ScopeOptions{IncludedNamespaceRegex: "a|b"}, namespace: "ax", wantWhy: "a|b"},
		"alternatives are anchored on the right":    {options: hierarchy.ScopeOptions{IncludedNamespaceRegex: "a|b"}, namespace: "xb", wantWhy: "a|b"},
		"alternatives match whole names themselves": {options: hierarchy.ScopeOptions{IncludedNamespaceRegex: "a|b"}, namespace: "b"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			scope, err := hierarchy.NewScope(tc.options)
			require.NoError(t, err)
			require.Equal(t, tc.wantWhy == "", scope.Manages(tc.namespace))
			if tc.wantWhy == "" {
				require.Empty(t, scope.WhyUnmanaged(tc.namespace))
				return
			}
			require.Contains(t, scope.WhyUnmanaged(tc.namespace), tc.wantWhy)
		})
	}
}

func TestScopeManagesKeys(t *testing.T) {
	tests := map[string]struct {
		pattern string
		key     string
		want    bool
	}{
		"a key that matches":                        {"env", "env", true},
		"the whole key must match":                  {"env", "environment", false},
		"alternatives are grouped":                  {"env|team", "myteam", false},
		"the second alternative":                    {"env|team", "team", true},
		"a tree label is never managed":             {"[^h].*", "a.tree.hnc.x-k8s.io/depth", false},
		"an exception annotation is never managed":  {"[^h].*", "propagate.hnc.x-k8s.io/none", false},
		"a look-alike of our domain may be":         {"[^h].*", "nothnc.x-k8s.io/key", true},
		"the name that the API server puts on each": {"kubernetes.io/.*", "kubernetes.io/metadata.name", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			scope, err := hierarchy.NewScope(hierarchy.ScopeOptions{ManagedNamespaceLabels: []string{tc.pattern}})
			require.NoError(t, err)
			require.Equal(t, tc.want, scope.ManagesLabel(tc.key))
			require.False(t, scope.ManagesAnnotation(tc.key), "labels and annotations are managed separately")
		})
	}
	scope, err := hierarchy.NewScope(hierarchy.ScopeOptions{ManagedNamespaceAnnotations: []string{"note"}})
	require.NoError(t, err)
	require.True(t, scope.ManagesAnnotation("note"))
	require.False(t, hierarchy.Scope{}.ManagesLabel("env"), "the zero scope manages no key")
}

func TestNewScopeNamesEveryFault(t *testing.T) {
	_, err := hierarchy.NewScope(hierarchy.ScopeOptions{
		IncludedNamespaceRegex:      "(",
		ManagedNamespaceLabels:      []string{".*", "[", "fine"},
		ManagedNamespaceAnnotations: []string{"hnc.x-k8s.io/.*"},
	})
	require.ErrorContains(t, err, `--included-namespace-regex "("`)
	require.ErrorContains(t, err, `--managed-namespace-label ".*"`)
	require.ErrorContains(t, err, `--managed-namespace-label "["`)
	require.ErrorContains(t, err, `--managed-namespace-annotation "hnc.x-k8s.io/.*"`)
	require.NotContains(t, err.Error(), "fine")
}

func TestNewScopeRefusesOurKeys(t *testing.T) {
	for _, pattern := range []string{
		".*", `hnc\.x-k8s\.io`, "hnc.x-k8s.io/included-namespace", "hnc.x-k8s.io/inherited-from", "hnc.x-k8s.io/subnamespace-of",
		"hnc.x-k8s.io/managed-by", `.*\.tree\.hnc\.x-k8s\.io/depth`, ")(", "a)|(.*",
	} {
		_, err := hierarchy.NewScope(hierarchy.ScopeOptions{ManagedNamespaceLabels: []string{pattern}})
		require.Error(t, err, pattern)
	}
}
