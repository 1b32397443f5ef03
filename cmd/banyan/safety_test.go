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

	"github.com/banyan-hns/banyan/bench/replicas"
	"github.com/banyan-hns/banyan/config"
)

// TestBrokenGateIsCaught is the negative control of every check of the audit log:
// replicas whose gate admits everything must be found out.
func TestBrokenGateIsCaught(t *testing.T) {
	s := startSystem(t, "-tags=brokengate")
	for i := range 8 {
		root := fmt.Sprintf("root-%d", i)
		s.create(namespace(root), role(root, "reader"))
		s.create(anchor(root, root+"-sub"))
		s.eventually("the Role arrives", s.exists(&rbacv1.Role{}, root+"-sub", "reader"))
	}
	report := s.audited()
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
	s := startSystem(t)
	s.create(namespace("acme"), role("acme", "reader"), roleBinding("acme", "readers", "reader"))
	for _, team := range []string{"team-a", "team-b"} {
		s.create(anchor("acme", team))
		s.eventually("the RoleBinding arrives", s.exists(&rbacv1.RoleBinding{}, team, "readers"))
	}
	s.swept()
	began := time.Now()
	for _, name := range names {
		require.NoError(t, s.set.Terminate(name))
		require.NoError(t, s.set.ReplaceReplica(s.ctx, name))
		s.ready()
	}
	for _, name := range names {
		require.NoError(t, s.set.Kill(name))
	}
	for _, name := range names {
		require.NoError(t, s.set.StartReplica(s.ctx, name))
	}
	s.ready()
	s.swept()

	report := s.audited()
	require.Empty(t, report.Violations, report.String())
	leases := 0
	for _, tally := range report.Writes(began, time.Now()) {
		require.Equalf(t, "leases", tally.Resource, "%+v", tally)
		leases += tally.Count
	}
	require.Positive(t, leases)

	// The copies are those from before: nobody deleted one and made it again.
	copied := &rbacv1.RoleBinding{}
	require.NoError(t, s.exists(copied, "team-a", "readers")())
	require.True(t, copied.CreationTimestamp.Time.Before(began))
}

// swept waits until every namespace of every shard was read again.
func (s *system) swept() {
	s.Helper()
	s.eventually("the sweeps end", func() error {
		for _, name := range names {
			pending, err := s.set.Metric(s.ctx, name, "banyan_resync_pending")
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

// TestNotReadyWithoutTheForest: a replica that may not read everything serves
// nothing and owns nothing, however long it runs.
func TestNotReadyWithoutTheForest(t *testing.T) {
	s := startSystem(t)
	const name, account = "banyan-3", "half-blind"
	s.create(
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: replicas.Namespace, Name: account}},
		&rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: replicas.Namespace, Name: account},
			Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: replicas.Namespace, Name: account}},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "banyan"},
		},
	)
	require.NoError(t, s.set.StartReplicaAs(s.ctx, name, account))

	s.eventually("it answers, and says why it is not ready", func() error {
		response, err := http.Get(s.set.HealthURL(name) + "/readyz?verbose")
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
	report, err := s.set.Shards(s.ctx, names[0])
	require.NoError(t, err)
	for _, member := range report.Ring.Members {
		require.NotEqual(t, name, member.Name, "it must not have a place in the ring")
	}
	require.Equal(t, 128, report.Ring.Shards)
	require.Zero(t, report.Summary.Unowned)
	require.NotContains(t, s.set.Ready(), name)
}

// TestUninstall: whoever deletes the definitions loses no namespace and no copy,
// and nothing hangs.
func TestUninstall(t *testing.T) {
	s := startSystem(t)
	s.create(namespace("acme"), role("acme", "reader"), anchor("acme", "team"))
	s.create(namespace("full"))
	s.moved("full", "acme", "reader")
	s.eventually("the Role arrives", s.exists(&rbacv1.Role{}, "team", "reader"))
	before := map[string]types.UID{}
	for _, ns := range []string{"team", "full"} {
		copied := &rbacv1.Role{}
		require.NoError(t, s.exists(copied, ns, "reader")())
		before[ns] = copied.UID
	}

	require.NoError(t, apiextensionsv1.AddToScheme(s.Scheme()))
	crds, err := config.CRDs()
	require.NoError(t, err)
	for _, crd := range crds {
		require.NoError(t, s.Delete(s.ctx, crd))
	}
	for _, crd := range crds {
		s.eventually(crd.Name+" goes, since its finalizers are released", s.gone(&apiextensionsv1.CustomResourceDefinition{}, "", crd.Name))
	}
	for ns, uid := range before {
		found := &corev1.Namespace{}
		require.NoError(t, s.exists(found, "", ns)())
		require.Nil(t, found.DeletionTimestamp, "namespace %s", ns)
		copied := &rbacv1.Role{}
		require.NoError(t, s.exists(copied, ns, "reader")())
		require.Equal(t, uid, copied.UID, "the copy in %s is the one from before", ns)
	}
	for _, tally := range s.audited().Writes(time.Time{}, time.Now()) {
		require.NotEqualf(t, "delete", tally.Verb, "%+v", tally)
	}
}
