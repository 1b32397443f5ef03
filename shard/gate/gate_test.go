// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package gate_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/gate"
)

const (
	shards = 8
	guard  = time.Second + shard.GuardSlack
)

// rig is a gate on a clock that stands where the test puts it.
type rig struct {
	*gate.Gate
	now shard.Instant
}

func newRig() *rig {
	r := &rig{now: time.Second}
	r.Gate = gate.New(shards, time.Second, guard, func() shard.Instant { return r.now })
	return r
}

// hold opens the shards of the keys until ten seconds.
func (r *rig) hold(epoch int64, keys ...string) {
	epochs := map[shard.ID]int64{}
	for _, key := range keys {
		epochs[shard.Of(key, shards)] = epoch
	}
	r.Publish(shard.NewHolding("a/uid/one", 10*time.Second, epochs))
}

func TestBegin(t *testing.T) {
	mine, other := shard.Of("acme", shards), shard.Of("other", shards)
	require.NotEqual(t, mine, other)
	for name, tc := range map[string]struct {
		id      shard.ID
		now     shard.Instant
		wantErr error
	}{
		"a shard that is held":                     {id: mine, now: 9 * time.Second},
		"a shard that is not":                      {id: other, now: 9 * time.Second, wantErr: gate.ErrNotOwner},
		"a shard that is held, but not renewed":    {id: mine, now: 10 * time.Second, wantErr: gate.ErrSuspended},
		"a shard that is not, and nothing renewed": {id: other, now: 10 * time.Second, wantErr: gate.ErrNotOwner},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig()
			r.hold(1, "acme")
			r.now = tc.now
			ctx, end, err := r.Begin(t.Context(), tc.id)
			require.ErrorIs(t, err, tc.wantErr)
			if tc.wantErr != nil {
				require.Zero(t, r.InFlight())
				return
			}
			deadline, bounded := ctx.Deadline()
			require.True(t, bounded, "a write without a bound could outlive the lease")
			require.LessOrEqual(t, time.Until(deadline), time.Second)
			require.Equal(t, 1, r.InFlight())
			end()
			require.Zero(t, r.InFlight())
		})
	}
}

// TestSuspendedShard: it is closed, and whoever is refused tries again.
func TestSuspendedShard(t *testing.T) {
	r := newRig()
	id := shard.Of("acme", shards)
	r.Publish(shard.NewHolding("a/uid/one", 10*time.Second, nil, id))
	_, _, err := r.Begin(t.Context(), id)
	require.ErrorIs(t, err, gate.ErrSuspended)
	require.EqualValues(t, 1, r.Counts().Suspended.Load())
	require.False(t, r.Open(id))
}

// TestDrainWaitsForWrites: a shard that was closed is given away only when the
// last write into it has ended.
func TestDrainWaitsForWrites(t *testing.T) {
	r := newRig()
	r.hold(1, "acme")
	id := shard.Of("acme", shards)
	_, end, err := r.Begin(t.Context(), id)
	require.NoError(t, err)
	r.hold(1)

	drained := make(chan error, 1)
	go func() { drained <- r.Drain(t.Context(), id) }()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, r.Drain(canceled, id), context.Canceled, "while a write is in flight, Drain must wait")
	require.Empty(t, drained, "drained while a write was in flight")
	end()
	require.NoError(t, <-drained)
	_, _, err = r.Begin(t.Context(), id)
	require.ErrorIs(t, err, gate.ErrNotOwner, "after the drain, nothing begins")
}

// TestDrainOutlastsTimeouts: a write that timed out here may still be carried out
// there, and the shard must not be given away before that is over.
func TestDrainOutlastsTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		r.hold(1, "acme")
		id := shard.Of("acme", shards)
		bounded, end, err := r.Begin(t.Context(), id)
		require.NoError(t, err)
		<-bounded.Done()
		end()
		r.hold(1)
		timedOut := time.Now()
		require.NoError(t, r.Drain(t.Context(), id))
		require.GreaterOrEqual(t, time.Since(timedOut), shard.GuardSlack)
	})
}

func role(namespace string) *rbacv1.Role {
	return &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "r", UID: "u", ResourceVersion: "7"}}
}

// TestClient: each verb, with and without a condition, in a namespace that is
// held and in one that is not.
func TestClient(t *testing.T) {
	unversioned := role("held")
	unversioned.ResourceVersion = ""
	unidentified := role("held")
	unidentified.UID = ""
	before := role("held")
	before.Labels = map[string]string{"was": "there"}
	exactly := client.Preconditions{UID: ptr.To(types.UID("u")), ResourceVersion: ptr.To("7")}
	for name, tc := range map[string]struct {
		do      func(context.Context, client.Client) error
		wantErr error
	}{
		"create in a held namespace": {
			do: func(ctx context.Context, c client.Client) error { return c.Create(ctx, role("held")) },
		},
		"create in another": {
			do:      func(ctx context.Context, c client.Client) error { return c.Create(ctx, role("other")) },
			wantErr: gate.ErrNotOwner,
		},
		"create a namespace that is held": {
			do: func(ctx context.Context, c client.Client) error {
				return c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "held"}})
			},
		},
		"create a namespace that is not": {
			do: func(ctx context.Context, c client.Client) error {
				return c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "other"}})
			},
			wantErr: gate.ErrNotOwner,
		},
		"create what belongs to the cluster": {
			do: func(ctx context.Context, c client.Client) error {
				return c.Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "held"}})
			},
			wantErr: gate.ErrNotOwner,
		},
		"update": {
			do: func(ctx context.Context, c client.Client) error { return c.Update(ctx, role("held")) },
		},
		"update elsewhere": {
			do:      func(ctx context.Context, c client.Client) error { return c.Update(ctx, role("other")) },
			wantErr: gate.ErrNotOwner,
		},
		"update of whatever is there": {
			do:      func(ctx context.Context, c client.Client) error { return c.Update(ctx, unversioned) },
			wantErr: gate.ErrUnconditional,
		},
		"update of whatever has the name": {
			do:      func(ctx context.Context, c client.Client) error { return c.Update(ctx, unidentified) },
			wantErr: gate.ErrUnconditional,
		},
		"patch": {
			do: func(ctx context.Context, c client.Client) error {
				return c.Patch(ctx, role("held"), client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
			},
		},
		"patch of whatever is there": {
			do: func(ctx context.Context, c client.Client) error {
				return c.Patch(ctx, role("held"), client.MergeFrom(before))
			},
			wantErr: gate.ErrUnconditional,
		},
		"patch that is no merge": {
			do: func(ctx context.Context, c client.Client) error {
				return c.Patch(ctx, role("held"), client.RawPatch(types.JSONPatchType, []byte("[]")))
			},
			wantErr: gate.ErrUnconditional,
		},
		"delete": {
			do: func(ctx context.Context, c client.Client) error { return c.Delete(ctx, role("held"), exactly) },
		},
		"delete elsewhere": {
			do:      func(ctx context.Context, c client.Client) error { return c.Delete(ctx, role("other"), exactly) },
			wantErr: gate.ErrNotOwner,
		},
		"delete of whatever is there": {
			do:      func(ctx context.Context, c client.Client) error { return c.Delete(ctx, role("held")) },
			wantErr: gate.ErrUnconditional,
		},
		"delete of one object in any state": {
			do: func(ctx context.Context, c client.Client) error {
				return c.Delete(ctx, role("held"), client.Preconditions{UID: ptr.To(types.UID("u"))})
			},
			wantErr: gate.ErrUnconditional,
		},
		"delete of all": {
			do: func(ctx context.Context, c client.Client) error {
				return c.DeleteAllOf(ctx, role("held"), client.InNamespace("held"))
			},
			wantErr: gate.ErrUnconditional,
		},
		"status": {
			do:      func(ctx context.Context, c client.Client) error { return c.Status().Update(ctx, role("held")) },
			wantErr: gate.ErrUnconditional,
		},
		"a subresource": {
			do: func(ctx context.Context, c client.Client) error {
				return c.SubResource("scale").Patch(ctx, role("held"), client.MergeFrom(before))
			},
			wantErr: gate.ErrUnconditional,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig()
			r.hold(1, "key-of-held")
			sent := 0
			count := func(ctx context.Context) error {
				sent++
				_, bounded := ctx.Deadline()
				require.True(t, bounded)
				return nil
			}
			inner := interceptor.NewClient(fake.NewClientBuilder().Build(), interceptor.Funcs{
				Create: func(ctx context.Context, _ client.WithWatch, _ client.Object, _ ...client.CreateOption) error {
					return count(ctx)
				},
				Update: func(ctx context.Context, _ client.WithWatch, _ client.Object, _ ...client.UpdateOption) error {
					return count(ctx)
				},
				Patch: func(ctx context.Context, _ client.WithWatch, _ client.Object, _ client.Patch, _ ...client.PatchOption) error {
					return count(ctx)
				},
				Delete: func(ctx context.Context, _ client.WithWatch, _ client.Object, _ ...client.DeleteOption) error {
					return count(ctx)
				},
				DeleteAllOf: func(ctx context.Context, _ client.WithWatch, _ client.Object, _ ...client.DeleteAllOfOption) error {
					return count(ctx)
				},
			})
			c := r.Client(inner, keyOf)
			err := tc.do(t.Context(), c)
			require.ErrorIs(t, err, tc.wantErr)
			require.Equal(t, tc.wantErr == nil, sent == 1, "requests that left")
			require.Zero(t, r.InFlight(), "writes that never end")
		})
	}
}

func keyOf(namespace string) (string, bool) { return "key-of-" + namespace, false }

// TestDrainWaitsOnlyForWhatHasBegun: a shard that stays open may never be idle.
func TestDrainWaitsOnlyForWhatHasBegun(t *testing.T) {
	r := newRig()
	r.hold(1, "acme")
	id := shard.Of("acme", shards)
	_, endFirst, err := r.Begin(t.Context(), id)
	require.NoError(t, err)
	drained := make(chan error, 1)
	asked := make(chan struct{})
	go func() {
		waiting, cancel := context.WithCancel(t.Context())
		cancel()
		_ = r.Drain(waiting, id)
		close(asked)
		drained <- r.Drain(t.Context(), id)
	}()
	<-asked
	require.Empty(t, drained)
	endFirst()
	require.NoError(t, <-drained)
	_, endSecond, err := r.Begin(t.Context(), id)
	require.NoError(t, err)
	defer endSecond()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, r.Drain(canceled, id), context.Canceled, "the second has begun, too")
}

// TestMoving: a namespace changes its tree while writes into it are about to be sent.
// Nothing must be under way in it when its move is acknowledged.
func TestMoving(t *testing.T) {
	type world struct {
		key    string
		frozen bool
	}
	for name, tc := range map[string]struct {
		before, after world // the write has been counted
		acknowledges  bool
		wantErr       error
	}{
		"nothing happens":                       {before: world{"old", false}, after: world{"old", false}},
		"it begins to move":                     {before: world{"old", false}, after: world{"old", true}, wantErr: gate.ErrMoving},
		"it is moving":                          {before: world{"old", true}, after: world{"old", true}, wantErr: gate.ErrMoving},
		"it has moved":                          {before: world{"old", false}, after: world{"new", false}, wantErr: gate.ErrMoving},
		"it is moving, and this is the end":     {before: world{"old", true}, after: world{"old", true}, acknowledges: true},
		"it has moved before it could be ended": {before: world{"old", true}, after: world{"new", false}, acknowledges: true, wantErr: gate.ErrMoving},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig()
			r.hold(1, "old", "new")
			sent, asked := 0, 0
			inner := interceptor.NewClient(fake.NewClientBuilder().Build(), interceptor.Funcs{
				Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
					sent++
					return nil
				},
			})
			c := r.Client(inner, func(string) (string, bool) {
				if asked++; r.InFlight() == 0 {
					return tc.before.key, tc.before.frozen
				}
				return tc.after.key, tc.after.frozen
			})
			ctx := t.Context()
			if tc.acknowledges {
				var err error
				ctx, err = r.Acknowledge(ctx, "old")
				require.NoError(t, err)
			}
			err := c.Create(ctx, role("moving"))
			require.ErrorIs(t, err, tc.wantErr)
			require.Equal(t, tc.wantErr == nil, sent == 1)
			if tc.wantErr != nil {
				require.ErrorIs(t, err, gate.ErrNotOwner, "whoever holds it then looks at it anyway")
			}
			require.Zero(t, r.InFlight())
		})
	}
}

// TestAcknowledgeWaits for the writes under the old key that have begun, and fails
// if they do not end.
func TestAcknowledgeWaits(t *testing.T) {
	r := newRig()
	r.hold(1, "old")
	_, end, err := r.Begin(t.Context(), shard.Of("old", shards))
	require.NoError(t, err)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = r.Acknowledge(canceled, "old")
	require.ErrorIs(t, err, context.Canceled)
	end()
	_, err = r.Acknowledge(t.Context(), "old")
	require.NoError(t, err)
}

// TestTransport: whatever the client, nothing leaves without a permit that is
// still good when it does.
func TestTransport(t *testing.T) {
	arrived := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived++ }))
	defer server.Close()
	id := shard.Of("acme", shards)
	for name, tc := range map[string]struct {
		method  string
		permit  bool
		meddle  func(*rig)
		wantErr error
	}{
		"reads pass":               {method: http.MethodGet},
		"a write without a permit": {method: http.MethodPost, wantErr: gate.ErrUngated},
		"a write with one":         {method: http.MethodPost, permit: true},
		"a write after the lease": {
			method: http.MethodPut, permit: true, meddle: func(r *rig) { r.now = 10 * time.Second }, wantErr: gate.ErrSuspended,
		},
		"a write after the shard was given away": {
			method: http.MethodPatch, permit: true, meddle: func(r *rig) { r.hold(1) }, wantErr: gate.ErrNotOwner,
		},
		"a write after the shard went and came back": {
			method: http.MethodDelete, permit: true, meddle: func(r *rig) { r.hold(3, "acme") }, wantErr: gate.ErrNotOwner,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig()
			r.hold(1, "acme")
			ctx := t.Context()
			if tc.permit {
				bounded, end, err := r.Begin(ctx, id)
				require.NoError(t, err)
				defer end()
				ctx = bounded
			}
			if tc.meddle != nil {
				tc.meddle(r)
			}
			request, err := http.NewRequestWithContext(ctx, tc.method, server.URL, strings.NewReader("{}"))
			require.NoError(t, err)
			before := arrived
			response, err := r.Transport(http.DefaultTransport).RoundTrip(request)
			require.ErrorIs(t, err, tc.wantErr)
			require.Equal(t, tc.wantErr == nil, arrived == before+1, "requests that arrived")
			if response != nil {
				_, err = io.Copy(io.Discard, response.Body)
				require.NoError(t, err)
				require.NoError(t, response.Body.Close())
			}
		})
	}
}

func TestReviews(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	for name, tc := range map[string]struct {
		method, path string
		wantErr      error
	}{
		"a question about rights": {method: http.MethodPost, path: "/apis/authorization.k8s.io/v1/subjectaccessreviews"},
		"a read":                  {method: http.MethodGet, path: "/api/v1/namespaces"},
		"a write":                 {method: http.MethodPost, path: "/api/v1/namespaces", wantErr: gate.ErrUngated},
		"a dry run":               {method: http.MethodPost, path: "/api/v1/namespaces?dryRun=All"},
		"half of a dry run":       {method: http.MethodPost, path: "/api/v1/namespaces?dryRun=All&dryRun=", wantErr: gate.ErrUngated},
		"a deletion, whose body may say otherwise": {
			method: http.MethodDelete, path: "/api/v1/namespaces/x?dryRun=All", wantErr: gate.ErrUngated,
		},
		"a write that only looks like a question": {
			method: http.MethodPost, path: "/api/v1/namespaces/x/configmaps/subjectaccessreviews", wantErr: gate.ErrUngated,
		},
	} {
		t.Run(name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), tc.method, server.URL+tc.path, http.NoBody)
			require.NoError(t, err)
			response, err := gate.Reviews(http.DefaultTransport).RoundTrip(request)
			require.ErrorIs(t, err, tc.wantErr)
			if response != nil {
				require.NoError(t, response.Body.Close())
			}
		})
	}
}

// TestReconciler: what is not ours ends quietly; what is suspended is tried again.
func TestReconciler(t *testing.T) {
	for name, tc := range map[string]struct {
		namespace string
		err       error
		wantErr   error
		wantRuns  int
	}{
		"a namespace that is held":             {namespace: "acme", wantRuns: 1},
		"one that is not is not looked at":     {namespace: "other"},
		"refused in the middle, since it went": {namespace: "acme", err: gate.ErrNotOwner, wantRuns: 1},
		"refused for want of a heartbeat":      {namespace: "acme", err: gate.ErrSuspended, wantErr: gate.ErrSuspended, wantRuns: 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig()
			r.hold(1, "acme")
			runs := 0
			reconciler := gate.Reconciler(r.Gate, func(ns string) (string, bool) { return ns, false }, func(ns string) string { return ns },
				reconcile.TypedFunc[string](func(context.Context, string) (reconcile.Result, error) {
					runs++
					return reconcile.Result{}, tc.err
				}))
			_, err := reconciler.Reconcile(t.Context(), tc.namespace)
			require.ErrorIs(t, err, tc.wantErr)
			require.Equal(t, tc.wantRuns, runs)
		})
	}
}
