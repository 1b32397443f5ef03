// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr/testr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/banyan-hns/banyan/bench/controlplane"
	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/gate"
)

// testConfig is quick, but keeps all the proportions.
var testConfig = shard.Config{
	Member: "a", Instance: "uid-a", Incarnation: "one", Shards: 8,
	LeaseDuration: 4 * time.Second, RenewPeriod: 500 * time.Millisecond,
	WriteTimeout: time.Second, Guard: shard.GuardFor(time.Second),
	Settle: 500 * time.Millisecond, RestartGrace: 5 * time.Second, Budget: 8,
}

// newTestMember is one that is never started.
func newTestMember(t *testing.T) *Member {
	m, err := NewMember(Options{Namespace: "ns", Config: testConfig, Client: fake.NewClientset(), Log: testr.New(t)})
	require.NoError(t, err)
	return m
}

// replica is a member with its gate, and what it was told.
type replica struct {
	*Member
	gate *gate.Gate
	end  context.CancelFunc

	mu     sync.Mutex
	opened map[shard.ID]shard.Reason
}

func start(t *testing.T, client kubernetes.Interface, name, incarnation string) *replica {
	cfg := testConfig
	cfg.Member, cfg.Instance, cfg.Incarnation = name, "uid-"+name, incarnation
	r := &replica{opened: map[shard.ID]shard.Reason{}, gate: gate.New(cfg.Shards, cfg.WriteTimeout, cfg.Guard, BootTime)}
	var err error
	r.Member, err = NewMember(Options{
		Namespace: metav1.NamespaceDefault, Config: cfg, Client: client, Gate: r.gate, Log: testr.New(t),
		Warm: func(context.Context, shard.ID, shard.Reason) {},
		Opened: func(id shard.ID, reason shard.Reason) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.opened[id] = reason
		},
		Closed:     func(shard.ID) {},
		DropWrites: func() {},
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	r.end = cancel
	done := make(chan error, 1)
	go func() { done <- r.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
	})
	r.Ready()
	return r
}

// owns counts the shards that the gate would let this replica write to.
func (r *replica) owns() int {
	owned := 0
	for id := range shard.ID(testConfig.Shards) {
		if _, end, err := r.gate.Begin(context.Background(), id); err == nil {
			end()
			owned++
		}
	}
	return owned
}

func shares(t *testing.T, want func() bool) {
	t.Helper()
	require.Eventually(t, want, 30*time.Second, 20*time.Millisecond)
}

// TestMembers carries the protocol over a real API server: joining, leaving,
// silence, and a second life.
func TestMembers(t *testing.T) {
	plane, err := controlplane.Start(t.Context(), controlplane.Options{Dir: t.TempDir(), Out: os.Stderr})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, plane.Stop()) })
	client, err := kubernetes.NewForConfig(plane.Config())
	require.NoError(t, err)

	t.Run("the number of shards is decided once", func(t *testing.T) { testReadShards(t, client) })
	t.Run("a race has one winner", func(t *testing.T) { testPut(t, client) })

	t.Run("a touch keeps the time of acquisition", func(t *testing.T) { testTouch(t, client) })
	t.Run("the number of replicas is told", func(t *testing.T) { testScale(t, client) })

	a := start(t, client, "a", "one")
	shares(t, func() bool { return a.owns() == testConfig.Shards })

	b := start(t, client, "b", "one")
	shares(t, func() bool { return a.owns() > 0 && b.owns() > 0 && a.owns()+b.owns() == testConfig.Shards })
	b.mu.Lock()
	for id, reason := range b.opened {
		require.Equalf(t, shard.ReasonHandover, reason, "shard %d, from a holder that lives", id)
	}
	b.mu.Unlock()

	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(b.Member), "the metrics are consistent")
	count, err := testutil.GatherAndCount(registry, "banyan_shard_owned")
	require.NoError(t, err)
	require.Equal(t, testConfig.Shards, count)
	require.NoError(t, a.Alive())

	// b falls silent: its process is gone, and said nothing.
	b.end()
	shares(t, func() bool { return a.owns() == testConfig.Shards })
	lease, err := client.CoordinationV1().Leases(metav1.NamespaceDefault).Get(t.Context(), MemberName("b"), metav1.GetOptions{})
	require.NoError(t, err)
	record, err := DecodeMember(lease)
	require.NoError(t, err)
	require.Equal(t, shard.MemberFenced, record.State)

	// It is started again, and says goodbye this time.
	b = start(t, client, "b", "two")
	shares(t, func() bool { return b.owns() > 0 && a.owns()+b.owns() == testConfig.Shards })
	b.Stop(true)
	<-b.Stopped()
	shares(t, func() bool { return a.owns() == testConfig.Shards })

	// Somebody deletes the Lease of a shard: its holder writes it anew.
	name := ShardName(3, testConfig.Shards)
	require.NoError(t, client.CoordinationV1().Leases(metav1.NamespaceDefault).Delete(t.Context(), name, metav1.DeleteOptions{}))
	shares(t, func() bool {
		lease, err := client.CoordinationV1().Leases(metav1.NamespaceDefault).Get(t.Context(), name, metav1.GetOptions{})
		return err == nil && *lease.Spec.HolderIdentity != "" && a.owns() == testConfig.Shards
	})
}

func testReadShards(t *testing.T, client kubernetes.Interface) {
	shards, err := ReadShards(t.Context(), client, metav1.NamespaceDefault, 8)
	require.NoError(t, err)
	require.Equal(t, 8, shards)
	shards, err = ReadShards(t.Context(), client, metav1.NamespaceDefault, 64)
	require.NoError(t, err)
	require.Equal(t, 8, shards, "a later replica does not decide")

	other := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: RingConfigMap}, Data: map[string]string{"shards": "many"}}
	_, err = client.CoreV1().ConfigMaps("kube-public").Create(t.Context(), other, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = ReadShards(t.Context(), client, "kube-public", 8)
	require.ErrorContains(t, err, "data.shards")
}

func testTouch(t *testing.T, client kubernetes.Interface) {
	s := newStore(client.CoordinationV1().Leases("kube-public"), time.Second)
	write := func(holder shard.Identity, version shard.Version) *coordinationv1.Lease {
		record := shard.Record{ID: 1, Holder: holder, Epoch: 1, Version: version}
		outcome, lease, err := s.put(t.Context(), encodeShard("kube-public", record, 8, time.Now()))
		require.NoError(t, err)
		require.Equal(t, shard.Done, outcome)
		return lease
	}
	version := func(lease *coordinationv1.Lease) shard.Version {
		v, err := versionOf(lease)
		require.NoError(t, err)
		return v
	}
	first := write("a/uid/one.0", 0)
	second := write("a/uid/one.0", version(first))
	require.Equal(t, first.Spec.AcquireTime.UTC(), second.Spec.AcquireTime.UTC())
	require.True(t, second.Spec.RenewTime.After(first.Spec.RenewTime.Time))
	require.EqualValues(t, 3600, *second.Spec.LeaseDurationSeconds)
	third := write("b/uid/one.0", version(second))
	require.True(t, third.Spec.AcquireTime.After(first.Spec.AcquireTime.Time), "another acquired it")
}

func testScale(t *testing.T, client kubernetes.Interface) {
	told := make(chan shard.Eligible, 100)
	require.NoError(t, WatchScale(t.Context(), client, "kube-public", "banyan", func(e shard.Eligible) { told <- e }))
	sets := client.AppsV1().StatefulSets("kube-public")
	labels := map[string]string{"app": "banyan"}
	set := func(name string, replicas int32) *appsv1.StatefulSet {
		return &appsv1.StatefulSet{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: appsv1.StatefulSetSpec{
				Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
				Template: corev1.PodTemplateSpec{
					ObjectMeta: metav1.ObjectMeta{Labels: labels},
					Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "none"}}},
				},
			},
		}
	}
	wait := func(want shard.Eligible) {
		t.Helper()
		require.Eventually(t, func() bool { return <-told == want }, 30*time.Second, time.Millisecond)
	}
	_, err := sets.Create(t.Context(), set("another", 7), metav1.CreateOptions{})
	require.NoError(t, err)
	made, err := sets.Create(t.Context(), set("banyan", 5), metav1.CreateOptions{})
	require.NoError(t, err)
	wait(shard.Eligible{Set: "banyan", Replicas: 5})
	*made.Spec.Replicas = 2
	_, err = sets.Update(t.Context(), made, metav1.UpdateOptions{})
	require.NoError(t, err)
	wait(shard.Eligible{Set: "banyan", Replicas: 2})
	require.NoError(t, sets.Delete(t.Context(), "banyan", metav1.DeleteOptions{}))
	wait(shard.Eligible{})
}

func testPut(t *testing.T, client kubernetes.Interface) {
	s := newStore(client.CoordinationV1().Leases("kube-public"), time.Second)
	record := shard.MemberRecord{Name: "x", Holder: "x/uid/one.0", State: shard.MemberJoining}
	put := func(r shard.MemberRecord) (shard.Outcome, shard.MemberRecord) {
		outcome, lease, err := s.put(t.Context(), encodeMember("kube-public", r, time.Second, time.Now()))
		require.NoError(t, err)
		if lease == nil {
			return outcome, shard.MemberRecord{}
		}
		present, err := DecodeMember(lease)
		require.NoError(t, err)
		return outcome, present
	}
	outcome, first := put(record)
	require.Equal(t, shard.Done, outcome)

	outcome, present := put(record)
	require.Equal(t, shard.Lost, outcome, "a second creation")
	require.Equal(t, first, present, "tells what is there")

	second := first
	second.State = shard.MemberActive
	outcome, second = put(second)
	require.Equal(t, shard.Done, outcome)

	outcome, present = put(first)
	require.Equal(t, shard.Lost, outcome, "an update of an old version")
	require.Equal(t, second, present)

	require.NoError(t, s.leases.Delete(t.Context(), MemberName("x"), metav1.DeleteOptions{}))
	outcome, present = put(second)
	require.Equal(t, shard.Lost, outcome, "an update of what was deleted")
	require.Zero(t, present.Version)

	outcome, kept := put(record)
	require.Equal(t, shard.Done, outcome)
	removed, err := s.remove(t.Context(), MemberName("x"), kept.Version-1)
	require.NoError(t, err)
	require.Equal(t, shard.Lost, removed, "a deletion of an old version")
	removed, err = s.remove(t.Context(), MemberName("x"), kept.Version)
	require.NoError(t, err)
	require.Equal(t, shard.Done, removed)
	removed, err = s.remove(t.Context(), MemberName("x"), kept.Version)
	require.NoError(t, err)
	require.Equal(t, shard.Lost, removed, "a second deletion")

	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	outcome, _, err = s.put(canceled, encodeMember("kube-public", record, time.Second, time.Now()))
	require.Error(t, err)
	require.Equal(t, shard.Unknown, outcome, "no answer")
}
