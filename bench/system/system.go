// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package system

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/controlplane"
	"github.com/banyan-hns/banyan/bench/replicas"
	"github.com/banyan-hns/banyan/bench/replicas/build"
	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/hierarchy"
)

// Names of the replicas, sorted.
var Names = []string{"banyan-0", "banyan-1", "banyan-2"}

// Options of a System.
type Options struct {
	// BuildFlags are given to the go command that builds the replicas.
	BuildFlags []string
	// Flags that each replica is given besides its own.
	Flags []string
	// Scope is what the replicas manage, apart from the namespaces that are always
	// excluded. It becomes flags.
	Scope hierarchy.ScopeOptions
	// Route, if set, is the way of each replica to the API server.
	Route func(name, kubeconfig string) (string, error)
	// NoWebhooks: admission is neither asked for nor answered, and no policy judges.
	NoWebhooks bool
	// OwnCertificates: the replicas issue the certificate of the webhooks themselves.
	OwnCertificates bool
	// Timeout of the whole. The default is 5 minutes.
	Timeout time.Duration
}

// System is the replicas, their control plane, and an administrator's client,
// as one test sees them.
type System struct {
	testing.TB
	client.Client
	Plane *controlplane.ControlPlane
	Set   *replicas.Set

	ctx     context.Context
	options Options
	scope   hierarchy.Scope
	killer  *killer
	rig     *rig.Rig
}

// Start builds and starts everything, and ends it with the test.
func Start(t testing.TB, o Options) *System {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Minute
	}
	// Clean-ups run when the test's own context has ended, and some ask the API server.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), o.Timeout)
	t.Cleanup(cancel)
	o.Scope.ExcludedNamespaces = append(o.Scope.ExcludedNamespaces, excluded...)
	scope, err := hierarchy.NewScope(o.Scope)
	require.NoError(t, err)

	s := &System{TB: t, ctx: ctx, options: o, scope: scope}
	s.open(o)
	if o.NoWebhooks {
		s.removeAdmission()
	}
	s.Ready()
	return s
}

// Manage gives another scope to replicas that are started from now on. The audit
// log is judged by that of the beginning.
func (s *System) Manage(scope hierarchy.ScopeOptions) {
	o := s.options
	o.Scope = scope
	o.Scope.ExcludedNamespaces = append(o.Scope.ExcludedNamespaces, excluded...)
	s.Set.SetFlags(o.flags())
}

// With returns the same system as another test sees it.
func (s *System) With(t testing.TB) *System {
	other := *s
	other.TB = t
	return &other
}

// Context ends with the system, not with a test.
func (s *System) Context() context.Context { return s.ctx }

func (s *System) open(o Options) {
	binary, err := build.Banyan(s.ctx, s.TempDir(), o.BuildFlags...)
	require.NoError(s, err)
	r, err := rig.Open(s.ctx, rig.Options{
		Dir: s.TempDir(), Binary: binary, Replicas: len(Names), Flags: o.flags(), Route: o.Route, OwnCertificates: o.OwnCertificates, Out: os.Stderr,
	})
	require.NoError(s, err)
	s.rig, s.Plane, s.Set, s.Client = r, r.Plane, r.Set, r.Client
	s.killer = newKiller(s.ctx, s.Set)
	s.Cleanup(func() {
		require.NoError(s, s.killer.rest())
		require.NoError(s, r.Close())
		if s.Failed() {
			s.tellLogs()
		}
	})
}

// excluded is what package replicas excludes.
var excluded = []string{"kube-system", "kube-public", "kube-node-lease", replicas.Namespace}

func (o Options) flags() []string {
	flags := append([]string{}, o.Flags...)
	if o.NoWebhooks {
		flags = append(flags, "--no-webhooks")
	}
	if o.Scope.IncludedNamespaceRegex != "" {
		flags = append(flags, "--included-namespace-regex="+o.Scope.IncludedNamespaceRegex)
	}
	for _, name := range o.Scope.ExcludedNamespaces {
		flags = append(flags, "--excluded-namespace="+name)
	}
	for _, pattern := range o.Scope.ManagedNamespaceLabels {
		flags = append(flags, "--managed-namespace-label="+pattern)
	}
	for _, pattern := range o.Scope.ManagedNamespaceAnnotations {
		flags = append(flags, "--managed-namespace-annotation="+pattern)
	}
	return flags
}

// Ready waits until all replicas are, and every shard has its owner.
func (s *System) Ready() {
	s.Helper()
	require.NoError(s, s.Set.WaitReady(s.ctx, Names...))
	require.NoError(s, s.Set.WaitSettled(s.ctx, Names...))
}

// Quiet waits until nobody writes anything but Leases and Events.
func (s *System) Quiet() error {
	_, err := s.rig.Quiet(s.ctx)
	return err
}

func (s *System) tellLogs() {
	for _, name := range s.Set.Names() {
		content, err := os.ReadFile(s.Set.LogFile(name))
		if err != nil {
			continue
		}
		const most = 6000
		s.Logf("%s:\n%s", name, content[max(0, len(content)-most):])
	}
}
