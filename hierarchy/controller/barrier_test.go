// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// lister answers lists and reads of definitions as the test says.
type lister struct {
	client.Reader
	list       func(ctx context.Context) (*api.HierarchyConfigurationList, error)
	definition func(*metav1.PartialObjectMetadata) error

	mu    sync.Mutex
	lists int
	asked []client.ListOption
}

func (s *lister) List(ctx context.Context, into client.ObjectList, options ...client.ListOption) error {
	s.mu.Lock()
	s.lists++
	s.asked = append(s.asked, options...)
	s.mu.Unlock()
	found, err := s.list(ctx)
	if err == nil {
		*into.(*api.HierarchyConfigurationList) = *found
	}
	return err
}

func (s *lister) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	return s.definition(into.(*metav1.PartialObjectMetadata))
}

func (s *lister) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lists
}

// configuration with an identity, as the API server gives one.
func configuration(namespace, parent, version string, uid types.UID) *api.HierarchyConfiguration {
	hc := foresttest.MakeConfiguration(namespace).Parent(parent).Version(version).Obj()
	hc.UID = uid
	return hc
}

func listAt(version string, items ...*api.HierarchyConfiguration) *api.HierarchyConfigurationList {
	list := &api.HierarchyConfigurationList{ListMeta: metav1.ListMeta{ResourceVersion: version}}
	for _, item := range items {
		list.Items = append(list.Items, *item)
	}
	return list
}

// pass a Barrier whose API server has that list.
func pass(t *testing.T, live *Live, list *api.HierarchyConfigurationList) {
	t.Helper()
	s := &lister{list: func(context.Context) (*api.HierarchyConfigurationList, error) { return list, nil }}
	NewBarrier(live, s).Pass(t.Context())
	require.Equal(t, 1, s.lists)
	require.Empty(t, s.asked, "a version, or a part, would let the API server answer with what it had")
}

// TestBarrier: whatever the watch has shown, and in whatever order it goes on, the forest
// stays at what is latest. The watch has shown that b is in a, at 10.
func TestBarrier(t *testing.T) {
	b, gone := configuration("b", "a", "10", "b"), (*api.HierarchyConfiguration)(nil)
	for name, tc := range map[string]struct {
		before, after func(*Live) // what the watch shows
		list          *api.HierarchyConfigurationList
		want          *api.HierarchyConfiguration
	}{
		"it moved, and the move was acknowledged": {
			list: listAt("20", configuration("b", "d", "20", "b")), want: configuration("b", "d", "20", "b"),
		},
		"nothing happened": {list: listAt("20", b), want: b},
		"the watch is ahead": {
			before: func(l *Live) { l.SetConfiguration(configuration("b", "c", "30", "b")) },
			list:   listAt("20", configuration("b", "d", "20", "b")), want: configuration("b", "c", "30", "b"),
		},
		"the watch shows later what was before": {
			list:  listAt("20", configuration("b", "d", "20", "b")),
			after: func(l *Live) { l.SetConfiguration(configuration("b", "c", "15", "b")) },
			want:  configuration("b", "d", "20", "b"),
		},
		"the watch goes on": {
			list:  listAt("20", configuration("b", "d", "20", "b")),
			after: func(l *Live) { l.SetConfiguration(configuration("b", "c", "30", "b")) },
			want:  configuration("b", "c", "30", "b"),
		},
		"it was deleted": {list: listAt("20"), want: gone},
		"it was deleted, and the watch shows what was before": {
			list:  listAt("20"),
			after: func(l *Live) { l.SetConfiguration(configuration("b", "c", "15", "b")) },
			want:  gone,
		},
		"it was deleted, and the watch shows another that came and went": {
			list:  listAt("20"),
			after: func(l *Live) { l.SetConfiguration(configuration("b", "c", "18", "another")) },
			want:  gone,
		},
		"it was deleted, and the watch shows its successor": {
			list:  listAt("20"),
			after: func(l *Live) { l.SetConfiguration(configuration("b", "c", "21", "successor")) },
			want:  configuration("b", "c", "21", "successor"),
		},
		"it came after the list": {
			before: func(l *Live) {
				l.RemoveConfiguration(b)
				l.SetConfiguration(configuration("b", "c", "21", "successor"))
			},
			list: listAt("20"), want: configuration("b", "c", "21", "successor"),
		},
		"it was deleted after the list, and the watch is ahead": {
			before: func(l *Live) { l.RemoveConfiguration(b) }, list: listAt("20", b), want: gone,
		},
		"it has a successor, and the watch shows the deletion": {
			list:  listAt("20", configuration("b", "d", "19", "successor")),
			after: func(l *Live) { l.RemoveConfiguration(configuration("b", "a", "18", "b")) },
			want:  configuration("b", "d", "19", "successor"),
		},
		"the list has another name": {
			list: func() *api.HierarchyConfigurationList {
				other := configuration("b", "d", "20", "other")
				other.Name = "other"
				return listAt("20", other)
			}(),
			want: gone,
		},
		"an earlier list comes once more": {
			before: func(l *Live) { l.foldList(listAt("40")) },
			list:   listAt("20"),
			after:  func(l *Live) { l.SetConfiguration(configuration("b", "c", "30", "another")) },
			want:   gone,
		},
	} {
		t.Run(name, func(t *testing.T) {
			live := grow(false)
			live.SetConfiguration(b)
			if tc.before != nil {
				tc.before(live)
			}
			pass(t, live, tc.list)
			if tc.after != nil {
				tc.after(live)
			}
			live.Read(func(f *hierarchy.Forest) { require.Equal(t, tc.want, f.Observe("b").Configuration) })
		})
	}
}

// TestBarrierKeepsNothingOfTheList: one object would keep all of them in memory.
func TestBarrierKeepsNothingOfTheList(t *testing.T) {
	live := grow(false)
	list := listAt("20", configuration("b", "d", "20", ""))
	live.foldList(list)
	list.Items[0].Spec.Parent = "c"
	live.Read(func(f *hierarchy.Forest) { require.Equal(t, "d", f.Observe("b").Configuration.Spec.Parent) })
}

// TestLateCacheAfterHandOver: the replica that gave the shard of tree a away had
// acknowledged that b moved to d, whose owner writes in it. The taker's watch is late.
func TestLateCacheAfterHandOver(t *testing.T) {
	taker := grow(false)
	require.Equal(t, seat{"a", false}, seatOf(taker, "b"), "it would write in b")
	pass(t, taker, listAt("20", configuration("b", "d", "20", ""), configuration("c", "b", "1", "")))
	for _, name := range []string{"b", "c"} {
		key, _ := taker.Key(name)
		require.Equal(t, "d", key)
	}
}

// TestBarrierSharesLists: those who ask while a list is under way may have been granted
// what it does not know yet. All of them get the next.
func TestBarrierSharesLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		proceed := make(chan struct{})
		s := &lister{list: func(context.Context) (*api.HierarchyConfigurationList, error) {
			<-proceed
			return listAt("20"), nil
		}}
		b := NewBarrier(grow(false), s)
		var passed sync.WaitGroup
		var mu sync.Mutex
		through := 0
		enter := func() {
			passed.Go(func() {
				b.Pass(t.Context())
				mu.Lock()
				defer mu.Unlock()
				through++
			})
		}
		count := func() int {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return through
		}
		enter()
		synctest.Wait()
		for range 100 {
			enter()
		}
		require.Zero(t, count())
		proceed <- struct{}{}
		require.Equal(t, 1, count(), "the list began before the others had asked")
		proceed <- struct{}{}
		passed.Wait()
		require.Equal(t, 101, count())
		require.Equal(t, 2, s.count())
	})
}

// TestBarrierWaits as long as it takes: nobody passes without a list.
func TestBarrierWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		s := &lister{list: func(context.Context) (*api.HierarchyConfigurationList, error) {
			if !up.Load() {
				return nil, errors.New("the API server is down")
			}
			return listAt("20"), nil
		}}
		b := NewBarrier(grow(false), s)
		began := time.Now()
		done := make(chan time.Duration, 1)
		go func() { b.Pass(t.Context()); done <- time.Since(began) }()

		time.Sleep(time.Hour)
		synctest.Wait()
		require.Empty(t, done)
		tries := s.count()
		require.InDelta(t, time.Hour/barrierPause, tries, 5, "not more often than that, nor less")
		up.Store(true)
		require.Less(t, (<-done)-time.Hour, barrierPause+time.Millisecond)
		require.Zero(t, testutil.ToFloat64(b.timeouts), "it was refused, not cut off")
		requireObserved(t, b, 1, time.Hour)
	})
}

// TestBarrierEndsWithItsContext, without having passed.
func TestBarrierEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &lister{list: func(context.Context) (*api.HierarchyConfigurationList, error) { return nil, errors.New("no") }}
		b := NewBarrier(grow(false), s)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		b.Pass(ctx)
		require.Equal(t, time.Minute, time.Since(began))
		requireObserved(t, b, 0, 0)
	})
}

// TestBarrierBounds each list: one that hangs must not be waited for. But the next may
// take longer, since a list that is large shall succeed in the end.
func TestBarrierBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const takes = 7 * barrierBound
		var began []time.Time
		s := &lister{list: func(ctx context.Context) (*api.HierarchyConfigurationList, error) {
			began = append(began, time.Now())
			select {
			case <-time.After(takes):
				return listAt("20"), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}}
		b := NewBarrier(grow(false), s)
		b.Pass(t.Context())
		require.Len(t, began, 4, "of 5, 10, 20 and 40 seconds")
		require.InDelta(t, 3, testutil.ToFloat64(b.timeouts), 0)
		require.Equal(t, barrierBound, b.bound, "the next begins with patience as before")
	})
}

// TestBarrierWithoutDefinition: once it is confirmed that there is none, all is halted,
// and nobody waits; what was merely not found is asked for again.
func TestBarrierWithoutDefinition(t *testing.T) {
	absent := apierrors.NewNotFound(schema.GroupResource{Resource: "hierarchyconfigurations"}, "")
	for name, tc := range map[string]struct {
		definition func(*metav1.PartialObjectMetadata) error
		wantPassed bool
	}{
		"it is gone": {func(*metav1.PartialObjectMetadata) error { return absent }, true},
		"it goes": {func(crd *metav1.PartialObjectMetadata) error {
			crd.DeletionTimestamp = &metav1.Time{Time: time.Now()}
			return nil
		}, true},
		"it is there":  {func(*metav1.PartialObjectMetadata) error { return nil }, false},
		"nobody knows": {func(*metav1.PartialObjectMetadata) error { return errors.New("the API server is down") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			live := grow(false)
			s := &lister{definition: tc.definition, list: func(context.Context) (*api.HierarchyConfigurationList, error) { return nil, absent }}
			err := NewBarrier(live, s).list(t.Context())
			require.Equal(t, tc.wantPassed, err == nil)
			live.Read(func(f *hierarchy.Forest) {
				require.Equal(t, tc.wantPassed, f.Observe("b").DeletingCRD)
				require.Equal(t, "a", f.Parent("b"), "nothing is taken for deleted")
			})
		})
	}
}

// requireObserved: so many have passed, and waited so long at least.
func requireObserved(t *testing.T, b *Barrier, times uint64, took time.Duration) {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(b))
	families, err := registry.Gather()
	require.NoError(t, err)
	require.Equal(t, "banyan_cache_barrier_duration_seconds", families[0].GetName())
	histogram := families[0].GetMetric()[0].GetHistogram()
	require.Equal(t, times, histogram.GetSampleCount())
	require.GreaterOrEqual(t, histogram.GetSampleSum(), took.Seconds())
}
