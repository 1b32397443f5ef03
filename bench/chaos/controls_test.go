// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/audit"
	"github.com/banyan-hns/banyan/bench/proxy"
	"github.com/banyan-hns/banyan/bench/replicas"
	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/bench/trees"
	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/lease"
)

// TestBlindReleaseIsCaught is a negative control: a replica that releases whatever
// it finds, as common electors do, takes shards from those who took them over. It is
// stopped, told to end, replaced, and wakes up.
func TestBlindReleaseIsCaught(t *testing.T) {
	report := wakeToEnd(t, "-tags=brokenrelease")
	require.NotEmpty(t, violations(report, audit.RuleTransfer), report.String())
}

// TestLateReleaseDoesNoHarm is the same story with the replica that is shipped.
func TestLateReleaseDoesNoHarm(t *testing.T) {
	report := wakeToEnd(t)
	require.Empty(t, report.Violations, report.String())
	taken := 0
	for _, gap := range report.Gaps {
		if gap.Cause == audit.CauseTakeover {
			taken++
		}
	}
	require.Positive(t, taken, "nothing was taken over, so nothing was shown")
}

// TestNoGuardIsCaught is a negative control: without a guard, a write that is on its
// way when its writer is replaced arrives later. Nothing that the replica sends
// arrives until it is replaced; whoever replaced it is stopped before it can do the
// work itself.
func TestNoGuardIsCaught(t *testing.T) {
	s := short(t, "-tags=brokenguard")
	victim, heir := s.Names[0], s.Names[1]
	// The timeout is as long as two heartbeats allow.
	s.Set.SetFlags([]string{"--write-timeout=5s"})
	for _, name := range s.Names {
		require.NoError(t, s.Set.Terminate(name))
		require.NoError(t, s.Set.StartReplica(t.Context(), name))
	}
	require.NoError(t, s.settled(t.Context(), s.Names))
	s.link(victim).Hold(proxy.Up)
	require.NoError(t, pause(t.Context(), 6*time.Second)) // writes that begin now outlast the lease
	for i := range 20 {
		for _, root := range trees.PlanTrees(s.options.namespaces, s.options.trees).At(0) {
			require.NoError(t, s.Client.Create(t.Context(), &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{
				Namespace: root.Name, Name: fmt.Sprintf("late-%d", i),
			}}))
		}
	}
	member := &coordinationv1.Lease{}
	require.Eventually(t, func() bool {
		key := client.ObjectKey{Namespace: replicas.Namespace, Name: lease.MemberName(victim)}
		return s.Client.Get(t.Context(), key, member) == nil && ptr.Deref(member.Spec.HolderIdentity, "") == ""
	}, time.Minute, 5*time.Millisecond, "it is replaced")
	require.NoError(t, s.Set.Signal(heir, syscall.SIGSTOP))
	s.link(victim).Flush()
	var report audit.Report
	require.Eventually(t, func() bool {
		var err error
		report, err = s.audited()
		require.NoError(t, err)
		return len(violations(report, audit.RuleFence)) > 0
	}, 20*time.Second, 500*time.Millisecond, "what arrived late is found")
	require.NoError(t, s.Set.Signal(heir, syscall.SIGCONT))
	t.Log(report.String())
}

// wakeToEnd stops a replica and tells it to end; when all its shards have other
// owners, it may go on.
func wakeToEnd(t *testing.T, flags ...string) audit.Report {
	t.Helper()
	s := short(t, flags...)
	sleeper, others := s.Names[0], s.Names[1:]
	require.NoError(t, s.Set.Signal(sleeper, syscall.SIGSTOP))
	ended := make(chan error, 1)
	go func() { ended <- s.Set.Terminate(sleeper) }()
	require.Eventually(t, func() bool {
		return s.owned(t, others) == shard.DefaultShards
	}, time.Minute, 200*time.Millisecond, "the others take what it held")
	require.NoError(t, s.Set.Signal(sleeper, syscall.SIGCONT))
	require.NoError(t, <-ended)
	// Something that must be done while nobody but the others is there.
	require.NoError(t, s.Client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "after"}}))
	require.Eventually(t, func() bool { return s.owned(t, others) == shard.DefaultShards }, time.Minute, 200*time.Millisecond)
	report, err := s.audited()
	require.NoError(t, err)
	return report
}

// owned is how many shards these replicas have open together, by their own word.
func (s *stage) owned(t *testing.T, names []string) int {
	sum := 0
	for _, name := range names {
		if report, err := s.Set.Shards(t.Context(), name); err == nil {
			sum += report.Summary.Owned
		}
	}
	return sum
}

func short(t *testing.T, flags ...string) *stage {
	t.Helper()
	o, err := parse([]string{"-seed", "1", "-replicas", "2", "-namespaces", "10", "-trees", "4"})
	require.NoError(t, err)
	ground, err := rig.Prepare(t.Context(), t.TempDir(), "", io.Discard, flags...)
	require.NoError(t, err)
	s, err := open(t.Context(), o, ground)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	_, err = s.grow(t.Context())
	require.NoError(t, err)
	return s
}

func violations(report audit.Report, rule string) (found []audit.Violation) {
	for _, v := range report.Violations {
		if v.Rule == rule {
			found = append(found, v)
		}
	}
	return found
}
