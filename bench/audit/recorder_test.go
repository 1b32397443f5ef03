// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes"
	clienttesting "k8s.io/client-go/testing"

	"github.com/banyan-hns/banyan/bench/controlplane"
	"github.com/banyan-hns/banyan/shard/lease"
)

// written is a buffer for a Recorder that still runs.
type written struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buffer.Write(p)
}

func (w *written) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buffer.String()
}

// types of the lines so far.
func (w *written) types(t *testing.T) (types []string) {
	t.Helper()
	for line := range strings.Lines(w.text()) {
		var r record
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		types = append(types, r.Type)
	}
	return types
}

var leases = coordinationv1.SchemeGroupVersion.WithResource("leases")

func leaseAt(name, version string) *unstructured.Unstructured {
	l := &unstructured.Unstructured{}
	l.SetAPIVersion("coordination.k8s.io/v1")
	l.SetKind("Lease")
	l.SetNamespace(testSystem)
	l.SetName(name)
	l.SetResourceVersion(version)
	return l
}

// A Recorder follows a scripted API server: each watch gets the next of the events.
func TestRecorderGoesOn(t *testing.T) {
	seen := func(kind watch.EventType, version string) watch.Event {
		return watch.Event{Type: kind, Object: leaseAt("x", version)}
	}
	gone := watch.Event{Type: watch.Modified, Object: leaseAt("gone", "21")}
	expired := watch.Event{Type: watch.Error, Object: &metav1.Status{Reason: metav1.StatusReasonExpired, Code: 410}}
	tests := map[string]struct {
		watches   [][]watch.Event
		tolerant  bool
		wantTypes []string
		wantFrom  []string // revision that each watch began after
		wantErr   error
	}{
		"from the revision that it was given": {
			watches: [][]watch.Event{{seen(watch.Modified, "8")}}, wantTypes: []string{"MODIFIED"}, wantFrom: []string{"7"},
		},
		"from the last that it saw, when a watch ends": {
			watches:   [][]watch.Event{{seen(watch.Modified, "8"), seen(watch.Bookmark, "12")}, {seen(watch.Deleted, "13")}},
			wantTypes: []string{"MODIFIED", "DELETED"}, wantFrom: []string{"7", "12"},
		},
		"an API server that forgot does not matter, if nothing happened since": {
			watches:   [][]watch.Event{{seen(watch.Modified, "20")}, {expired}, {seen(watch.Modified, "30")}},
			wantTypes: []string{"MODIFIED", "MODIFIED"}, wantFrom: []string{"7", "20", "25"},
		},
		"if something did, it ends": {
			watches: [][]watch.Event{{seen(watch.Modified, "8")}, {expired}}, wantTypes: []string{"MODIFIED"}, wantFrom: []string{"7", "8"},
			wantErr: ErrLost,
		},
		"if something is gone, too": {
			watches:   [][]watch.Event{{seen(watch.Modified, "20"), gone}, {expired}},
			wantTypes: []string{"MODIFIED", "MODIFIED"}, wantFrom: []string{"7", "21"}, wantErr: ErrLost,
		},
		"unless it may lose something, and then it says so": {
			watches:  [][]watch.Event{{expired}, {seen(watch.Modified, "30")}},
			tolerant: true, wantTypes: []string{"LOST", "ADDED", "MODIFIED"}, wantFrom: []string{"7", "25"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{leases: "LeaseList"})
			client.PrependReactor("list", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
				list := &unstructured.UnstructuredList{Items: []unstructured.Unstructured{*leaseAt("x", "20")}}
				list.SetAPIVersion("coordination.k8s.io/v1")
				list.SetKind("LeaseList")
				list.SetResourceVersion("25")
				return true, list, nil
			})
			var from []string
			client.PrependWatchReactor("leases", func(action clienttesting.Action) (bool, watch.Interface, error) {
				if len(from) == len(tc.watches) {
					cancel()
					return true, nil, context.Canceled
				}
				events := tc.watches[len(from)]
				from = append(from, action.(clienttesting.WatchActionImpl).ListOptions.ResourceVersion)
				w := watch.NewFakeWithOptions(watch.FakeOptions{ChannelSize: len(events)})
				for _, e := range events {
					w.Action(e.Type, e.Object)
				}
				w.Stop()
				return true, w, nil
			})
			out := &written{}
			recorder := &Recorder{
				Resource: leases.GroupResource(), Objects: client.Resource(leases).Namespace(testSystem), Tolerant: tc.tolerant, Retry: time.Millisecond,
				Now: func() time.Time { return testStart },
			}
			err := recorder.Run(ctx, "7", out)
			require.ErrorIs(t, err, tc.wantErr)
			require.Equal(t, tc.wantTypes, out.types(t))
			require.Equal(t, tc.wantFrom, from)
		})
	}
}

// A real API server: somebody creates a Lease, changes it, deletes it, and makes it
// anew, through an outage.
func TestRecorderOfAnAPIServer(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	plane, err := controlplane.Start(ctx, controlplane.Options{Dir: t.TempDir(), Out: t.Output()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, plane.Stop()) })
	client, err := kubernetes.NewForConfig(plane.Config())
	require.NoError(t, err)
	_, err = client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: testSystem}}, metav1.CreateOptions{})
	require.NoError(t, err)

	out, ended := &written{}, make(chan error, 1)
	recording, stop := context.WithCancel(ctx)
	defer stop()
	watched, err := dynamic.NewForConfig(plane.Config())
	require.NoError(t, err)
	recorder := &Recorder{Resource: leases.GroupResource(), Objects: watched.Resource(leases).Namespace(testSystem), Now: time.Now}
	go func() { ended <- recorder.Run(recording, "", out) }()
	leases := client.CoordinationV1().Leases(testSystem)
	sees := func(wanted ...string) {
		t.Helper()
		require.Eventually(t, func() bool { return slices.Equal(wanted, out.types(t)) }, time.Minute, 20*time.Millisecond,
			"wanted %v, got %v", wanted, out.types(t))
	}

	wanted := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: lease.ShardName(treeShard, testShards)}}
	present, err := leases.Create(ctx, wanted, metav1.CreateOptions{})
	require.NoError(t, err)
	sees("ADDED")
	present.Annotations = map[string]string{"x": "y"}
	_, err = leases.Update(ctx, present, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.NoError(t, leases.Delete(ctx, wanted.Name, metav1.DeleteOptions{}))
	anew, err := leases.Create(ctx, wanted, metav1.CreateOptions{})
	require.NoError(t, err)
	sees("ADDED", "MODIFIED", "DELETED", "ADDED")

	file, err := os.Open(plane.AuditLog())
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	log, err := Read(file)
	require.NoError(t, err)
	require.NoError(t, log.AddRecord(strings.NewReader(out.text())))
	require.NotEmpty(t, log.reads, "the API server logs reads of Leases")
	all, added := withRecorded(log.events, log.recorded)
	require.Zero(t, added, "the log has all writes")
	var steps []string
	for _, e := range newHistory(all).steps {
		if e.ref.name == wanted.Name {
			steps = append(steps, e.verb)
		}
	}
	require.Equal(t, []string{"create", "update", "delete", "create"}, steps, "the deletion has its place")

	require.NoError(t, plane.StopAPIServer())
	require.NoError(t, plane.StartAPIServer(ctx))
	anew.Annotations = map[string]string{"x": "z"}
	_, err = leases.Update(ctx, anew, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return strings.Contains(out.text(), `"x":"z"`) }, time.Minute, 20*time.Millisecond, "it goes on after an outage")
	require.Equal(t, []string{"ADDED", "MODIFIED", "DELETED", "ADDED", "MODIFIED"}, out.types(t), "and has missed nothing")
	stop()
	require.NoError(t, <-ended)
}
