// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package gate_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/gate"
)

// TestDrainOutlastsTheServer: a server carries a write out at the last moment that it
// has, a timeout after it came. Whatever the client has learned by then, the shard must
// not be given away before, unless the server has said what became of the write.
func TestDrainOutlastsTheServer(t *testing.T) {
	const timeout = 100 * time.Millisecond
	for name, tc := range map[string]struct {
		answer   int                                         // at once; 0: none
		giveUp   func(cancel context.CancelFunc, cut func()) // once it has arrived
		wantWait bool
	}{
		"an answer":                         {answer: http.StatusOK},
		"a refusal":                         {answer: http.StatusConflict},
		"an error of the server":            {answer: http.StatusInternalServerError, wantWait: true},
		"no answer in time":                 {wantWait: true},
		"the connection breaks":             {giveUp: func(_ context.CancelFunc, cut func()) { cut() }, wantWait: true},
		"whoever wanted it wants no longer": {giveUp: func(cancel context.CancelFunc, _ func()) { cancel() }, wantWait: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arrived, carriedOut := make(chan struct{}), atomic.Bool{}
			answered := make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				time.AfterFunc(timeout, func() { carriedOut.Store(true) })
				close(arrived)
				if tc.answer != 0 {
					w.WriteHeader(tc.answer)
					return
				}
				<-answered
			}))
			defer server.Close()
			defer close(answered)

			r := &rig{now: time.Second}
			r.Gate = gate.New(shards, timeout, timeout+shard.GuardSlack, func() shard.Instant { return r.now })
			r.hold(1, "acme")
			id := shard.Of("acme", shards)
			parent, cancel := context.WithCancel(t.Context())
			defer cancel()
			ctx, end, err := r.Begin(parent, id)
			require.NoError(t, err)
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader("{}"))
			require.NoError(t, err)
			if tc.giveUp != nil {
				go func() {
					<-arrived
					tc.giveUp(cancel, server.CloseClientConnections)
				}()
			}
			response, err := r.Transport(server.Client().Transport).RoundTrip(request)
			if err == nil {
				_, err = io.Copy(io.Discard, response.Body)
				require.NoError(t, err)
				require.NoError(t, response.Body.Close())
			}
			end()
			r.hold(1)
			require.Equal(t, tc.wantWait, r.InFlight() == 1)
			require.NoError(t, r.Drain(t.Context(), id))
			if tc.wantWait {
				require.True(t, carriedOut.Load(), "the shard may be another's, and then the write is carried out")
				require.EqualValues(t, 1, r.Counts().Unanswered.Load())
			}
		})
	}
}

// TestRefusedBeforeItLeft: what was never sent need not be waited for.
func TestRefusedBeforeItLeft(t *testing.T) {
	r := newRig()
	r.hold(1, "acme")
	id := shard.Of("acme", shards)
	ctx, end, err := r.Begin(t.Context(), id)
	require.NoError(t, err)
	r.hold(1)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://nobody.invalid", http.NoBody)
	require.NoError(t, err)
	response, err := r.Transport(http.DefaultTransport).RoundTrip(request)
	if response != nil {
		require.NoError(t, response.Body.Close())
	}
	require.ErrorIs(t, err, gate.ErrNotOwner)
	end()
	require.Zero(t, r.InFlight())
}

// TestBound: a write ends before the holder can have been fenced, also where the guard
// is shorter than it should be.
func TestBound(t *testing.T) {
	const timeout = 2 * time.Second
	for name, tc := range map[string]struct {
		now     shard.Instant
		guard   time.Duration
		want    time.Duration
		wantErr error
	}{
		"a guard that suffices, at the end of the hold": {now: 10*time.Second - 1, guard: timeout + shard.GuardSlack, want: timeout},
		"a shorter one, long before":                    {now: time.Second, guard: time.Second, want: timeout},
		"a shorter one, at the end":                     {now: 9 * time.Second, guard: time.Second, want: 1500 * time.Millisecond},
		"none, and nothing left":                        {now: 9800 * time.Millisecond, wantErr: gate.ErrSuspended},
	} {
		t.Run(name, func(t *testing.T) {
			r := &rig{now: tc.now}
			r.Gate = gate.New(shards, timeout, tc.guard, func() shard.Instant { return r.now })
			r.hold(1, "acme")
			ctx, end, err := r.Begin(t.Context(), shard.Of("acme", shards))
			require.ErrorIs(t, err, tc.wantErr)
			if tc.wantErr != nil {
				require.Zero(t, r.InFlight())
				return
			}
			defer end()
			deadline, _ := ctx.Deadline()
			require.InDelta(t, tc.want.Seconds(), time.Until(deadline).Seconds(), 0.2)
			require.LessOrEqual(t, time.Until(deadline), tc.want)
		})
	}
}
