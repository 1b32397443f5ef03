// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/bench/oracle"
	"github.com/banyan-hns/banyan/bench/system"
	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// A run is repeated as far as it can be by its seed: every user does the same
// operations in the same order. How they interleave is up to the machine.
var (
	seed    = flag.Uint64("oracle.seed", 0, "seed of the operations; 0: any")
	ops     = flag.Int("oracle.ops", 240, "operations of one batch")
	batches = flag.Int("oracle.batches", 2, "batches")
	users   = flag.Int("oracle.users", 4, "users who work at the same time")
	alone   = flag.Int("oracle.alone", 2, "deletions after each batch, one at a time")
)

var rules = oracle.Rules{
	Excluded:           []string{"kube-system", "kube-public", "kube-node-lease", "hnc-system", oracle.Excluded},
	ManagedLabels:      []string{"team", "cost"},
	ManagedAnnotations: []string{"contact"},
}

// game is a cluster, its users, and the oracle.
type game struct {
	*system.System
	users *oracle.Users
	seed  uint64
}

// TestClusterEqualsOracle lets users do whatever comes to their minds, kills
// replicas meanwhile, and compares what is there at rest with what must be.
func TestClusterEqualsOracle(t *testing.T) {
	g := newGame(t)
	for batch := range *batches {
		g.crowd(batch)
		facts := g.rest(fmt.Sprintf("after batch %d", batch))
		g.quiet()
		facts = g.mend(facts)
		for number := range *alone {
			facts = g.one(facts, batch, number)
		}
		g.secondPass()
	}
	report := g.Audited()
	require.Empty(t, report.Violations, report.String())
	t.Log(report.String())
	g.deletesAreJust()
}

func newGame(t *testing.T) *game {
	g := &game{seed: *seed}
	if g.seed == 0 {
		g.seed = rand.Uint64()
	}
	t.Logf("repeat with -oracle.seed=%d -oracle.ops=%d -oracle.batches=%d -oracle.users=%d -oracle.alone=%d", g.seed, *ops, *batches, *users, *alone)
	g.System = system.Start(t, system.Options{
		NoWebhooks: true,
		Scope: hierarchy.ScopeOptions{
			ExcludedNamespaces:     []string{oracle.Excluded},
			ManagedNamespaceLabels: rules.ManagedLabels, ManagedNamespaceAnnotations: rules.ManagedAnnotations,
		},
		Timeout: time.Duration(*batches)*5*time.Minute + 2*time.Minute,
	})
	g.Create(rights())
	for _, name := range append([]string{oracle.Excluded}, oracle.Roots...) {
		g.Create(system.Namespace(name))
	}
	config := &api.HNCConfiguration{ObjectMeta: metav1.ObjectMeta{Name: api.HNCConfigurationName}}
	g.Edit(config, true, func() {
		config.Spec.Resources = []api.ResourceSpec{{Resource: "configmaps", Mode: api.Propagate}, {Resource: "secrets", Mode: api.AllowPropagate}}
	})
	g.users = &oracle.Users{Client: g.Client}
	g.begin()
	return g
}

// begin waits for rest without a ledger: there is nothing yet to be lost.
func (g *game) begin() {
	g.Eventually("all is at rest in the beginning", func() error {
		facts, differences, err := g.compare()
		if err != nil {
			return err
		}
		if len(differences) > 0 {
			return fmt.Errorf("%v", differences)
		}
		g.users.Ledger = oracle.NewLedger(oracle.Namespaces(), facts)
		return nil
	})
}

func rights() *rbacv1.ClusterRole {
	verbs := []string{"get", "list", "watch", "create", "update", "patch", "delete"}
	return &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "banyan-oracle", Labels: map[string]string{"hnc.x-k8s.io/aggregate-to-banyan": "true"}},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"secrets", "configmaps"}, Verbs: verbs}},
	}
}

// crowd is many users at once. Replicas are killed while they are at it, one after
// the other.
func (g *game) crowd(batch int) {
	for _, name := range oracle.Roots { // Some have fallen.
		require.NoError(g, g.users.Do(g.Context(), oracle.Operation{Verb: "create namespace", Namespace: name}))
	}
	var all sync.WaitGroup
	failures := make([]error, *users)
	for user := range *users {
		r := rand.New(rand.NewPCG(g.seed, uint64(batch*1000+user)))
		all.Go(func() {
			for range *ops / *users {
				if failures[user] == nil {
					failures[user] = g.users.Do(g.Context(), oracle.Draw(r))
				}
			}
		})
	}
	finished := make(chan struct{})
	go func() { all.Wait(); close(finished) }()
	for working := true; working; {
		g.Midway()
		select {
		case <-finished:
			working = false
		default:
		}
	}
	for _, err := range failures {
		require.NoError(g, err)
	}
}

// mend ends all that halts namespaces. What was held back meanwhile, creations and
// deletions, must happen now.
func (g *game) mend(facts oracle.Facts) oracle.Facts {
	all := facts.Mend()
	for _, o := range all {
		require.NoError(g, g.users.Do(g.Context(), o))
	}
	if len(all) == 0 {
		return facts
	}
	return g.rest("after nothing is halted any more")
}

// one deletes an anchor or a namespace while nobody else does anything. What goes
// with it, the oracle knows.
func (g *game) one(facts oracle.Facts, batch, number int) oracle.Facts {
	r := rand.New(rand.NewPCG(g.seed, uint64(batch*1000+500+number)))
	o, fallen, found := facts.DrawFall(r)
	if !found {
		return facts
	}
	g.Logf("alone: %s, and with it must go %v", o, fallen)
	require.NoError(g, g.users.Do(g.Context(), o))
	g.users.Ledger.Alone(fallen)
	return g.rest("after " + o.String())
}
