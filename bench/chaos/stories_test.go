// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/lease"
)

// teller tells one story. Two replicas share all shards when it begins.
type teller struct {
	*testing.T
	*stage
	world string // what the names of its namespaces begin with
}

// restart both replicas, with nothing but what they must have besides their lease.
func (u *teller) restart(flags ...string) {
	u.Helper()
	u.Set.SetFlags(flags)
	for _, name := range u.Names {
		require.NoError(u, u.Set.Kill(name))
		require.NoError(u, u.Set.StartReplica(u.Context(), name))
	}
	require.NoError(u, u.settled(u.Context(), u.Names))
}

func (u *teller) namespace(name string) {
	u.Helper()
	require.NoError(u, u.Client.Create(u.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}))
}

// child of a root that was never anything else, so that it does not move.
func (u *teller) child(root, name string) {
	u.Helper()
	anchor := &api.SubnamespaceAnchor{ObjectMeta: metav1.ObjectMeta{Namespace: root, Name: name}}
	require.Eventually(u, func() bool { return u.Client.Create(u.Context(), anchor) == nil }, 30*time.Second, 50*time.Millisecond)
	key := client.ObjectKey{Name: anchor.Name}
	require.Eventually(u, func() bool {
		return u.Client.Get(u.Context(), key, &corev1.Namespace{}) == nil
	}, 30*time.Second, 20*time.Millisecond, "namespace %s is there", anchor.Name)
}

func (u *teller) role(namespace, name string) {
	u.Helper()
	require.NoError(u, u.Client.Create(u.Context(), &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}))
}

func (u *teller) arrives(namespace, name string) {
	u.Helper()
	require.Eventually(u, func() bool {
		return u.Client.Get(u.Context(), client.ObjectKey{Namespace: namespace, Name: name}, &rbacv1.Role{}) == nil
	}, 30*time.Second, 20*time.Millisecond, "Role %s arrives in %s", name, namespace)
}

// parent is set as users do it, who try again.
func (u *teller) parent(child, parent string) {
	u.Helper()
	users := &users{Client: u.Client}
	require.Eventually(u, func() bool { return users.setParent(u.Context(), child, parent) == nil }, 30*time.Second, 50*time.Millisecond)
}

// member is the heartbeat of a replica.
func (u *teller) member(name string) (*coordinationv1.Lease, error) {
	member, key := &coordinationv1.Lease{}, client.ObjectKey{Namespace: replicas.Namespace, Name: lease.MemberName(name)}
	return member, u.Client.Get(u.Context(), key, member)
}

// fenced waits until others have ended the life of a replica.
func (u *teller) fenced(name string) {
	u.Helper()
	require.Eventually(u, func() bool {
		member, err := u.member(name)
		return err == nil && ptr.Deref(member.Spec.HolderIdentity, "") == ""
	}, time.Minute, 5*time.Millisecond, "%s is fenced", name)
}

// backdate the heartbeat of a replica by hand, and wait for its next one.
func (u *teller) backdate(name string) {
	u.Helper()
	member, err := u.member(name)
	require.NoError(u, err)
	now := time.Now()
	patch := client.MergeFrom(member.DeepCopy())
	member.Spec.RenewTime = ptr.To(metav1.NewMicroTime(now.Add(-time.Hour)))
	require.NoError(u, u.Client.Patch(u.Context(), member, patch))
	require.Eventually(u, func() bool {
		member, err := u.member(name)
		return err == nil && member.Spec.RenewTime.After(now)
	}, time.Minute, 20*time.Millisecond, "%s lives on", name)
}

func (u *teller) ring() *shard.Ring { return shard.NewRing(u.Names, shard.DefaultShards) }

// named is a name that begins so and whose tree a replica owns.
func (u *teller) named(prefix, owner string) string {
	ring := u.ring()
	for i := 0; ; i++ {
		name := fmt.Sprintf("%s-%s-%d", u.world, prefix, i)
		if ring.Owner(shard.Of(name, shard.DefaultShards)) == owner {
			return name
		}
	}
}

// tellStamp: a namespace moves from a tree of one replica into that of another.
// Whoever knows of no stamps writes there at once.
func tellStamp(u *teller) func(audit.Violation) bool {
	leaf, other := u.named("leaf", u.Names[0]), u.named("other", u.Names[1])
	u.namespace(leaf)
	u.namespace(other)
	u.role(other, "first")
	u.parent(leaf, other)
	u.arrives(leaf, "first")
	// Nobody excuses a write that comes so late. A condition cannot tell it: nothing
	// is to happen.
	time.Sleep(2500 * time.Millisecond)
	u.role(other, "second")
	u.arrives(leaf, "second")
	return func(v audit.Violation) bool { return strings.HasPrefix(v.Object, "roles "+leaf+"/") }
}

// tellClock: a replica whose clock is ahead comes to one that works. Whoever believes
// that clock fences the other, each time that it hears of it.
func tellClock(u *teller) func(audit.Violation) bool {
	worker, ahead := u.Names[0], u.Names[1]
	u.restart(shortLease...)
	if u.world == "sound" { // it asks no such clock: a heartbeat that seems old is the best there is
		u.backdate(worker)
	} else {
		require.NoError(u, u.Set.Kill(ahead))
		u.Setenv("BANYAN_CLOCK_AHEAD", time.Hour.String())
		require.NoError(u, u.Set.StartReplica(u.Context(), ahead))
		u.fenced(worker)
	}
	return func(v audit.Violation) bool {
		return strings.HasPrefix(v.Replica, ahead+"/") && strings.Contains(v.Object, lease.MemberName(worker)) && strings.Contains(v.Explanation, "silent for")
	}
}

// tellGuard: nothing that a replica sends arrives until it is fenced, of which it does
// not hear. A write that was begun late in the lease, and has long to arrive, then
// arrives after it. The news of the other one are late, so that it has not done the
// work before.
//
// It is the one that does not own what the cluster has once, and so writes nothing else:
// what had left it before the network held it may arrive late even from a sound
// replica. No client can prevent that.
func tellGuard(u *teller) func(audit.Violation) bool {
	victim, heir := u.Names[0], u.Names[1]
	if u.ring().Owner(shard.Of(shard.ClusterKey, shard.DefaultShards)) == victim {
		victim, heir = heir, victim
	}
	const timeout = 5 * time.Second // as long as the default lease and two heartbeats allow
	u.restart("--write-timeout=" + timeout.String())
	root := u.named("late", victim)
	u.namespace(root)
	u.child(root, root+"-child")
	u.role(root, "early")
	u.arrives(root+"-child", "early")
	link := u.link(victim)
	link.Hold(proxy.Up)
	// Whatever is sent from now on has more time than the lease has left.
	require.NoError(u, pause(u.Context(), shard.DefaultLeaseDuration-timeout+1500*time.Millisecond))
	held := link.Held()
	const number = 20
	for i := range number {
		u.role(root, fmt.Sprintf("late-%d", i))
	}
	if u.world == "broken" { // the others have stopped
		require.Eventually(u, func() bool { return link.Held() > held+number*100 }, 2*time.Second, 5*time.Millisecond, "it writes")
	}
	link.Hold(proxy.Down)
	u.link(heir).Delay(200 * time.Millisecond)
	u.fenced(victim)
	link.Release(proxy.Up) // and it still hears nothing, or it would break its connections
	u.arrives(root+"-child", fmt.Sprintf("late-%d", number-1))
	link.Flush()
	u.link(heir).Flush()
	return func(v audit.Violation) bool {
		return strings.HasPrefix(v.Replica, victim+"/") && strings.HasPrefix(v.Object, "roles "+root+"-child/late-")
	}
}

// tellRelease: a replica that gives its shards back is stopped on the way, and goes
// on when another one has them.
func tellRelease(u *teller) func(audit.Violation) bool {
	sleeper, heir := u.Names[0], u.Names[1]
	u.restart(shortLease...)
	ended := make(chan error, 1)
	if u.world == "sound" { // it has no such point: from outside is the best there is
		require.NoError(u, u.Set.Signal(sleeper, syscall.SIGSTOP))
	} else {
		require.NoError(u, os.WriteFile(filepath.Join(u.dir, "stop", "release-"+sleeper), nil, 0o600))
	}
	pid := u.Set.Pid(sleeper)
	go func() { ended <- u.Set.Terminate(sleeper) }()
	require.Eventually(u, func() bool { return stopped(pid) }, 10*time.Second, 5*time.Millisecond, "it stops")
	u.ownsAll(heir)
	require.NoError(u, u.Set.Signal(sleeper, syscall.SIGCONT))
	require.NoError(u, <-ended)
	require.NoError(u, u.Set.StartReplica(u.Context(), sleeper))
	return func(v audit.Violation) bool {
		return strings.HasPrefix(v.Replica, sleeper+"/") && strings.Contains(v.Object, "banyan-shard-") && strings.Contains(v.Explanation, "did not give the shard back")
	}
}
