// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// FuzzForest makes a forest out of bytes. Each plan is done when it is carried
// out, and all plans together come to rest.
func FuzzForest(f *testing.F) {
	scope := propertyScope(f)
	// Short inputs run dry before they made anything of interest.
	for seed := range uint64(8) {
		random, input := rand.New(rand.NewPCG(seed, 0)), make([]byte, 8192)
		for i := range input {
			input[i] = byte(random.Uint32())
		}
		f.Add(input)
	}
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		if rapid.Bool().Draw(t, "once") {
			plansAreDone(t, scope)
			return
		}
		plansConverge(t, scope)
	}))
}

// FuzzScope gives any text where an expression is expected. What is accepted
// leaves alone what belongs to Banyan or to the API server.
func FuzzScope(f *testing.F) {
	for _, pattern := range []string{"", "env|team", ".*", "(", ")(", "a)|(.*", `\Qa`, "(?i)HNC.X-K8S.IO/.*", "(?m)^a$", `[^h].*`, "kubernetes.io/.*"} {
		f.Add(pattern, "env")
		f.Add(pattern, "a.tree.hnc.x-k8s.io/depth")
		f.Add(pattern, "propagate.hnc.x-k8s.io/none")
	}
	ours := []string{
		api.Group, api.LabelInheritedFrom, api.LabelIncludedNamespace, api.AnnotationSubnamespaceOf, api.AnnotationManagedBy,
		api.AnnotationSelector, api.AnnotationNoneSelector, hierarchy.TreeLabel("a"), "kubernetes.io/metadata.name",
	}
	f.Fuzz(func(t *testing.T, pattern, key string) {
		scope, err := hierarchy.NewScope(hierarchy.ScopeOptions{
			IncludedNamespaceRegex: pattern, ManagedNamespaceLabels: []string{pattern}, ManagedNamespaceAnnotations: []string{pattern},
		})
		scope.Manages(key)
		if hierarchy.InDomain(key) && (scope.ManagesLabel(key) || scope.ManagesAnnotation(key)) {
			t.Errorf("%q manages %q, which belongs to Banyan", pattern, key)
		}
		for _, key := range ours {
			if scope.ManagesLabel(key) {
				t.Errorf("%q manages the label %q", pattern, key)
			}
			if key != "kubernetes.io/metadata.name" && scope.ManagesAnnotation(key) {
				t.Errorf("%q manages the annotation %q", pattern, key)
			}
		}
		if !scope.Manages("") {
			t.Errorf("%q makes it illegal to have no parent", pattern)
		}
		if err != nil && err.Error() == "" {
			t.Errorf("%q is refused without a word", pattern)
		}
	})
}
