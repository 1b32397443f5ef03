// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/bench/audit"
	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/shard"
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
	report, err := audited(s.Plane.AuditLog())
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
