// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/banyan-hns/banyan/bench/replicas"
	"github.com/banyan-hns/banyan/bench/system"
	"github.com/banyan-hns/banyan/config"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// TestBrokenGateIsCaught is the negative control of every check of the audit log:
// replicas whose gate admits everything must be found out.
func TestBrokenGateIsCaught(t *testing.T) {
	s := start(t, "-tags=brokengate")
	for i := range 8 {
		root := fmt.Sprintf("root-%d", i)
		s.Create(system.Namespace(root), system.Role(root, "reader"))
		s.Create(system.Anchor(root, root+"-sub"))
		s.Eventually("the Role arrives", s.Exists(&rbacv1.Role{}, root+"-sub", "reader"))
	}
	report := s.Audited()
	require.NotEmpty(t, report.Violations, "replicas wrote where they held nothing, and the check said:\n%s", report)
	rules := map[string]int{}
	for _, violation := range report.Violations {
		rules[violation.Rule]++
	}
	require.Positive(t, rules["C1 owner"], "%v", rules)
	t.Logf("found: %v", rules)
}

// TestRestartWritesNothing: neither the restart of one replica nor of all writes
// anything but Leases, if nothing changed.
func TestRestartWritesNothing(t *testing.T) {
	s := start(t)
	s.Create(system.Namespace("acme"), system.Role("acme", "reader"), system.RoleBinding("acme", "readers", "reader"))
	for _, team := range []string{"team-a", "team-b"} {
		s.Create(system.Anchor("acme", team))
		s.Eventually("the RoleBinding arrives", s.Exists(&rbacv1.RoleBinding{}, team, "readers"))
	}
	s.swept()
	s.counted(4)
	began := time.Now()
	for _, name := range system.Names {
		require.NoError(t, s.Set.Terminate(name))
		require.NoError(t, s.Set.ReplaceReplica(s.Context(), name))
		s.Ready()
	}
	for _, name := range system.Names {
		require.NoError(t, s.Set.Kill(name))
	}
	for _, name := range system.Names {
		require.NoError(t, s.Set.StartReplica(s.Context(), name))
	}
	s.Ready()
	s.swept()

	report := s.Audited()
	require.Empty(t, report.Violations, report.String())
	leases := 0
	for _, tally := range report.Writes(began, time.Now()) {
		require.Equalf(t, "leases", tally.Resource, "%+v", tally)
		leases += tally.Count
	}
	require.Positive(t, leases)

	// The copies are those from before: nobody deleted one and made it again.
	copied := &rbacv1.RoleBinding{}
	require.NoError(t, s.Exists(copied, "team-a", "readers")())
	require.True(t, copied.CreationTimestamp.Time.Before(began))
}

// swept waits until every namespace of every shard was read again.
func (s *fixture) swept() {
	s.Helper()
	s.Eventually("the sweeps end", func() error {
		for _, name := range system.Names {
			pending, err := s.Set.Metric(s.Context(), name, "banyan_resync_pending")
			if err != nil {
				return err
			}
			if pending > 0 {
				return fmt.Errorf("%s has %v namespaces to go", name, pending)
			}
		}
		return nil
	})
}

// counted waits until the HNCConfiguration, which follows with a delay, tells of so
// many copies.
func (s *fixture) counted(want int) {
	s.Helper()
	s.Eventually("the copies are counted", func() error {
		config := &api.HNCConfiguration{}
		if err := s.Exists(config, "", api.HNCConfigurationName)(); err != nil {
			return err
		}
		got := 0
		for _, r := range config.Status.Resources {
			got += ptr.Deref(r.NumPropagatedObjects, 0)
		}
		if got != want {
			return fmt.Errorf("it tells of %d", got)
		}
		return nil
	})
}

// TestNotReadyWithoutTheForest: a replica that may not read everything serves
// nothing and owns nothing, however long it runs.
func TestNotReadyWithoutTheForest(t *testing.T) {
	s := start(t)
	const name, account = "banyan-3", "half-blind"
	s.Create(
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: replicas.Namespace, Name: account}},
		&rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: replicas.Namespace, Name: account},
			Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: replicas.Namespace, Name: account}},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "banyan"},
		},
	)
	require.NoError(t, s.Set.StartReplicaAs(s.Context(), name, account))

	s.Eventually("it answers, and says why it is not ready", func() error {
		response, err := http.Get(s.Set.HealthURL(name) + "/readyz?verbose")
		if err != nil {
			return err
		}
		defer func() { require.NoError(t, response.Body.Close()) }()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NotEqual(t, http.StatusOK, response.StatusCode)
		require.Contains(t, string(body), "[-]forest")
		return nil
	})
	report, err := s.Set.Shards(s.Context(), system.Names[0])
	require.NoError(t, err)
	for _, member := range report.Ring.Members {
		require.NotEqual(t, name, member.Name, "it must not have a place in the ring")
	}
	require.Equal(t, 128, report.Ring.Shards)
	require.Zero(t, report.Summary.Unowned)
	require.NotContains(t, s.Set.Ready(), name)
}

// TestUninstall: whoever deletes the definitions loses no namespace and no copy,
// and nothing hangs.
func TestUninstall(t *testing.T) {
	s := start(t)
	s.Create(system.Namespace("acme"), system.Role("acme", "reader"), system.Anchor("acme", "team"))
	s.Create(system.Namespace("full"))
	s.moved("full", "acme", "reader")
	s.Eventually("the Role arrives", s.Exists(&rbacv1.Role{}, "team", "reader"))
	before := map[string]types.UID{}
	for _, ns := range []string{"team", "full"} {
		copied := &rbacv1.Role{}
		require.NoError(t, s.Exists(copied, ns, "reader")())
		before[ns] = copied.UID
	}

	crds, err := config.CRDs()
	require.NoError(t, err)
	for _, crd := range crds {
		require.NoError(t, s.Delete(s.Context(), crd))
	}
	for _, crd := range crds {
		s.Eventually(crd.Name+" goes, since its finalizers are released", s.Gone(&apiextensionsv1.CustomResourceDefinition{}, "", crd.Name))
	}
	for ns, uid := range before {
		found := &corev1.Namespace{}
		require.NoError(t, s.Exists(found, "", ns)())
		require.Nil(t, found.DeletionTimestamp, "namespace %s", ns)
		copied := &rbacv1.Role{}
		require.NoError(t, s.Exists(copied, ns, "reader")())
		require.Equal(t, uid, copied.UID, "the copy in %s is the one from before", ns)
	}
	for _, tally := range s.Audited().Writes(time.Time{}, time.Now()) {
		require.NotEqualf(t, "delete", tally.Verb, "%+v", tally)
	}
}
