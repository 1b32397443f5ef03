// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
)

// sweeping is a Resync of ten namespaces, two a second, and the queue that it
// feeds. Nobody takes anything out of the queue.
func sweeping(t *testing.T) (*Resync, *recorder) {
	live := awake(NewLive(hierarchy.Scope{}, propagate.Options{}, Home{}), "-abcdefghi")
	queued := &recorder{}
	require.NoError(t, live.namespaces.source().Start(t.Context(), queued))
	r := NewResync(live, nil, 2)
	go func() { require.NoError(t, r.Start(t.Context())) }()
	return r, queued
}

// recorder is a queue that keeps what is added. Of a queue, nothing else is used.
type recorder struct {
	priorityqueue.PriorityQueue[NamespaceKey]
	mu sync.Mutex
	recorded
}

type recorded struct {
	sweeps, promoted []string
	fresh            int
}

// settled returns what was queued once nothing moves any more.
func (q *recorder) settled() recorded {
	synctest.Wait()
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.recorded
}

func (q *recorder) AddWithOpts(o priorityqueue.AddOpts, keys ...NamespaceKey) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, key := range keys {
		switch {
		case !key.Sweep:
			q.fresh++
		case *o.Priority == priorityFresh:
			q.promoted = append(q.promoted, key.Name)
		default:
			q.sweeps = append(q.sweeps, key.Name)
		}
	}
}

var _ workqueue.TypedRateLimitingInterface[NamespaceKey] = &recorder{}
var _ reconcile.TypedReconciler[NamespaceKey] = &Namespaces{}

func all(string) bool { return true }

// TestSweepKeepsItsPace: the known differences go at once, the rest at two a
// second, parents first.
func TestSweepKeepsItsPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, queued := sweeping(t)
		r.Opened(all)
		require.Equal(t, 10, queued.settled().fresh, "no namespace has its labels")
		require.Equal(t, []string{"a"}, queued.settled().sweeps)
		time.Sleep(2*time.Second + time.Millisecond)
		require.Equal(t, []string{"a", "b", "c", "d", "e"}, queued.settled().sweeps)
		pending, _ := r.backlog()
		require.Equal(t, 10, pending, "none was done")
		r.done("a")
		pending, _ = r.backlog()
		require.Equal(t, 9, pending)
	})
}

// TestSweepIsNotStarved: what waits behind fresh changes for half a minute becomes
// one of them.
func TestSweepIsNotStarved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, queued := sweeping(t)
		r.Opened(all)
		time.Sleep(promotion - time.Second)
		require.Empty(t, queued.settled().promoted)
		r.done("b")
		time.Sleep(10 * time.Second)
		require.Contains(t, queued.settled().promoted, "a")
		require.NotContains(t, queued.settled().promoted, "b", "it has been swept")
	})
}

// TestOldestGrowsOld: to be promoted is no new beginning; an alert watches the age.
func TestOldestGrowsOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, queued := sweeping(t)
		r.Opened(all)
		time.Sleep(10 * promotion)
		_, oldest := r.backlog()
		require.GreaterOrEqual(t, oldest, 10*promotion-time.Second)
		lifted := 0
		for _, name := range queued.settled().promoted {
			if name == "a" {
				lifted++
			}
		}
		require.InDelta(t, 9, lifted, 1, "once in each such time")
		require.EqualValues(t, len(queued.settled().promoted), r.sweeps.promoted.Load())
		require.InDelta(t, oldest, r.Waiting()["a"], float64(time.Second))

		for name := range r.Waiting() {
			r.done(name)
		}
		time.Sleep(2 * time.Second)
		r.mu.Lock()
		defer r.mu.Unlock()
		require.Empty(t, r.lifted, "nothing is kept of what is done")
	})
}

// TestSweepEndsWithItsShard: what is no longer ours is not swept.
func TestSweepEndsWithItsShard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, queued := sweeping(t)
		r.Opened(all)
		synctest.Wait()
		r.Closed(all)
		pending, _ := r.backlog()
		require.Zero(t, pending)
		time.Sleep(10 * time.Second)
		require.Equal(t, []string{"a"}, queued.settled().sweeps)
	})
}

// TestShardsThatOpenTogether are looked at together.
func TestShardsThatOpenTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		live := awake(NewLive(hierarchy.Scope{}, propagate.Options{}, Home{}), "-----")
		r := NewResync(live, nil, 100)
		asked := map[string]int{}
		for _, mine := range []string{"a", "c"} {
			r.Opened(func(key string) bool { asked[key]++; return key == mine })
		}
		r.begin()
		pending, _ := r.backlog()
		require.Equal(t, 2, pending)
		require.Equal(t, 1, asked["a"], "the first set had it")
		require.Equal(t, 2, asked["b"], "one walk asks both sets")
	})
}

// told is a queue of copies that keeps what is added.
type told struct {
	priorityqueue.PriorityQueue[ObjectKey]
	keys []ObjectKey
}

func (q *told) AddWithOpts(_ priorityqueue.AddOpts, keys ...ObjectKey) {
	q.keys = append(q.keys, keys...)
}

// TestAcquiredShardTellsWhatNobodyTold: what came up while a shard had no owner may
// have left nothing to write, but something to say.
func TestAcquiredShardTellsWhatNobodyTold(t *testing.T) {
	live := awake(NewLive(hierarchy.Scope{}, propagate.Options{}, Home{}), "-")
	plain, finalized := role("a", ""), role("a", "")
	plain.SetName("plain")
	finalized.SetFinalizers([]string{"example.com/mine"})
	live.SetObject(plain)
	live.SetObject(finalized)
	queued := &told{}
	require.NoError(t, live.copies.source().Start(t.Context(), queued))

	live.queueDifferences("a")
	require.Equal(t, []ObjectKey{{finalized.GroupVersionKind(), "a", finalized.GetName()}}, queued.keys)
}
