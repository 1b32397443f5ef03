// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

func TestTooBig(t *testing.T) {
	for name, tc := range map[string]struct {
		census map[string]int
		want   map[string]bool
	}{
		"more than is meant for one":              {census: map[string]int{"a": 51, "b": 449}, want: map[string]bool{"a": true, "b": true}},
		"no more than that":                       {census: map[string]int{"a": 50, "b": 1}, want: map[string]bool{}},
		"more, but no more than a tenth of all":   {census: map[string]int{"a": 51, "b": 50, "c": 409}, want: map[string]bool{"c": true}},
		"more, and hardly more than a tenth":      {census: map[string]int{"a": 51, "b": 50, "c": 408}, want: map[string]bool{"a": true, "c": true}},
		"nothing has been seen yet; all is small": {want: map[string]bool{}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, tooBig(tc.census, 50))
		})
	}
}

// keys is a queue that keeps what is added. Of a queue, nothing else is used.
type keys struct {
	priorityqueue.PriorityQueue[string]
	added []string
}

func (q *keys) AddWithOpts(_ priorityqueue.AddOpts, keys ...string) {
	q.added = append(q.added, keys...)
}

// taken empties the queue.
func (q *keys) taken() []string {
	added := q.added
	q.added = nil
	return added
}

// TestTreesAreToldOfOnce: again when they have shrunk and grown, and at each count as long
// as the owner has not told.
func TestTreesAreToldOfOnce(t *testing.T) {
	live := awake(NewLive(hierarchy.Scope{}, propagate.Options{}, Home{}), "-aaa-")
	c := server(t, func(client.Object) error { return nil }, false)
	replicas := 1
	queue := &keys{}
	r := &Trees{Live: live, Client: c, Most: 3, Replicas: func() int { return replicas }, Replica: "test"}
	r.init()
	r.queue.work = queue

	r.look()
	require.Empty(t, queue.taken(), "there is nobody to share the work with")
	replicas = 2
	for range 2 {
		r.look()
		require.Equal(t, []string{"a"}, queue.taken(), "nobody has told, so somebody else owns it, and that may change")
	}
	tell := func() []eventsv1.Event {
		_, err := r.Reconcile(t.Context(), "a")
		require.NoError(t, err)
		events := &eventsv1.EventList{}
		require.NoError(t, c.List(t.Context(), events, client.InNamespace("a")))
		return events.Items
	}
	events := tell()
	require.Len(t, events, 1)
	require.Equal(t, "TreeTooBig", events[0].Reason)
	require.Equal(t, corev1.ObjectReference{APIVersion: "v1", Kind: "Namespace", Namespace: "a", Name: "a", UID: events[0].Regarding.UID}, events[0].Regarding)
	require.Contains(t, events[0].Note, "more than 3")
	require.Contains(t, events[0].Note, "kubectl annotate hierarchyconfiguration hierarchy -n SUBTREE hnc.x-k8s.io/own-key=true")
	r.look()
	require.Empty(t, queue.taken(), "it was told")

	grow := func(parent string) {
		hc := &api.HierarchyConfiguration{ObjectMeta: metav1.ObjectMeta{Namespace: "d", Name: api.HierarchyConfigurationName}}
		hc.Spec.Parent = parent
		live.SetConfiguration(hc)
	}
	grow("")
	r.look()
	require.Empty(t, queue.taken(), "it is small again")
	grow("a")
	r.look()
	require.Equal(t, []string{"a"}, queue.taken(), "it has grown again")
	require.Len(t, tell(), 1, "what is there already is not said twice")

	require.NoError(t, c.Delete(t.Context(), &events[0]))
	require.Len(t, tell(), 1, "Events do not last for ever, and a later growth is news")
}

// TestTreesOfNobody: a key that is no namespace has nowhere to be told of.
func TestTreesOfNobody(t *testing.T) {
	live := awake(NewLive(hierarchy.Scope{}, propagate.Options{}, Home{Namespace: "a", Key: "cluster"}), "-")
	live.SetNamespace(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "cluster"}})
	c := server(t, func(client.Object) error { return nil }, false)
	r := &Trees{Live: live, Client: c}
	r.init()
	for _, key := range []string{"missing", "cluster"} {
		_, err := r.Reconcile(t.Context(), key)
		require.NoError(t, err)
	}
	events := &eventsv1.EventList{}
	require.NoError(t, c.List(t.Context(), events))
	require.Empty(t, events.Items)
}
