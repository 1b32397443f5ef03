// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"flag"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/banyan-hns/banyan/bench/system"
	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// scenarios by their numbers.
type scenarios map[string]func(*scene)

// INT are played without webhooks.
var (
	first = scenarios{"13.9.1": defaultConfiguration} // before any type is configured
	int_  = join(refusals, anchors, parents, treeLabels, managedMetadata, enforced, configuration, modes, counters,
		exceptions, contents, conflicts, halted)
)

// E2E are played with webhooks, after those that take from all what these need.
var e2e = join(subnamespaces, regressions, quickstart)

func join(parts ...scenarios) scenarios {
	all := scenarios{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

// TestMain lets many scenarios play at the same time, whatever the machine: they
// do little but wait.
func TestMain(m *testing.M) {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		if err := flag.Set("test.parallel", "48"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// TestINT has sections 13.7 to 13.10.
func TestINT(t *testing.T) {
	s := start(t, system.Options{NoWebhooks: true})
	play(t, s, first, alone)
	s.propagate(secrets, configMaps)
	play(t, s, join(int_, beyond), together)
}

// TestE2E has sections 13.1 to 13.4.
func TestE2E(t *testing.T) {
	s := start(t, system.Options{})
	play(t, s, join(uninstall, removal), alone)
	play(t, s, badAnchors, alone)
	s.propagate(secrets, networkPolicies)
	play(t, s, join(e2e, fieldCases, definitions), together)
}

// Flags that scenarios rely on.
const (
	noPropagation          = "conformance.example/creator"
	unpropagatedLabel      = "conformance.example/unpropagated-label"
	unpropagatedAnnotation = "conformance.example/unpropagated-annotation"
	seeded                 = "seeded-by-others"
	legal, illegal         = "legal-key", "illegal-key"
	legalPattern           = "legal-.*"
	aggregateToBanyan      = "hnc.x-k8s.io/aggregate-to-banyan"
	conformanceGroup       = "conformance.example"
	timeout                = 8 * time.Minute
)

func start(t *testing.T, o system.Options) *scene {
	o.Timeout = timeout
	o.Scope = hierarchy.ScopeOptions{
		ManagedNamespaceLabels:      []string{legalPattern},
		ManagedNamespaceAnnotations: []string{legalPattern},
	}
	o.Flags = []string{
		"--nopropagation-label=" + noPropagation + "=one", "--nopropagation-label=" + noPropagation + "=two",
		"--nopropagation-name=role/" + seeded, "--unpropagated-label=" + unpropagatedLabel, "--unpropagated-annotation=" + unpropagatedAnnotation,
	}
	s := &scene{System: system.Start(t, o), number: "suite"}
	t.Cleanup(s.audit)
	s.Create(moreRights())
	return s
}

// Scenarios play together with others, or alone.
var (
	together = (*testing.T).Parallel
	alone    = func(*testing.T) {}
)

// play runs scenarios as subtests, each of which must ask for a kill.
func play(t *testing.T, suite *scene, all scenarios, begin func(*testing.T)) {
	for _, number := range slices.Sorted(maps.Keys(all)) {
		t.Run(number, func(t *testing.T) {
			begin(t)
			s := &scene{System: suite.With(t), number: number, parallel: t.Parallel}
			all[number](s)
			if !s.killed {
				t.Error("no replica was killed in the middle")
			}
		})
	}
}

// propagate adds types to the HNCConfiguration that all scenarios share.
func (s *scene) propagate(kinds ...kind) {
	for _, k := range kinds {
		s.setMode(k, api.Propagate)
	}
}
