// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package rig

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestCollect gives arrivals at known times of a virtual clock.
func TestCollect(t *testing.T) {
	tests := map[string]struct {
		number int
		begin  time.Duration // how long the work of the client takes
		failed error         // what comes of it
		// arrivals, one every second.
		arrivals []arrival
		want     time.Duration
		wantErr  string
	}{
		"time is up to the last arrival": {
			number: 2, arrivals: []arrival{{key: "a"}, {key: "b"}, {key: "c"}}, want: 2 * time.Second,
		},
		"an object counts when it first arrives": {
			number: 2, arrivals: []arrival{{key: "a"}, {key: "a"}, {key: "b"}, {key: "a"}}, want: 3 * time.Second,
		},
		"the client may be busy for longer, but that is not the time": {
			number: 1, begin: 5 * time.Second, arrivals: []arrival{{key: "a"}}, want: time.Second,
		},
		"a client that failed is the end": {
			number: 2, begin: time.Second, failed: errors.New("refused"), arrivals: []arrival{{key: "a"}}, wantErr: "refused",
		},
		"a watch that ended is the end": {
			number: 2, arrivals: []arrival{{key: "a"}, {err: errors.New("too old")}}, wantErr: "when 1 of 2 objects had arrived: too old",
		},
		"what never arrives is waited for until the context ends": {
			number: 2, arrivals: []arrival{{key: "a"}}, wantErr: "2 objects, of which 1 arrived: context deadline exceeded",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				arrivals, begun := make(chan arrival, len(tc.arrivals)), make(chan error, 1)
				start := time.Now()
				var background sync.WaitGroup
				defer background.Wait()
				background.Go(func() {
					time.Sleep(tc.begin)
					begun <- tc.failed
				})
				background.Go(func() {
					for _, next := range tc.arrivals {
						time.Sleep(time.Second)
						next.at = time.Now()
						arrivals <- next
					}
				})
				last, err := Aim{Number: tc.number}.collect(ctx, arrivals, begun)
				if tc.wantErr != "" {
					require.ErrorContains(t, err, tc.wantErr)
					return
				}
				require.NoError(t, err)
				require.Equal(t, tc.want, last.Sub(start))
			})
		})
	}
}

func TestFollow(t *testing.T) {
	namespace := func(name string) *corev1.Namespace {
		return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	sight := Sight{Counts: func(event watch.EventType, object client.Object) bool {
		return event == watch.Deleted || object.GetName() == "good"
	}}
	events := make(chan watch.Event, 10)
	for _, event := range []watch.Event{
		{Type: watch.Added, Object: namespace("bad")},
		{Type: watch.Modified, Object: namespace("good")},
		{Type: watch.Bookmark, Object: namespace("good")},
		{Type: watch.Deleted, Object: namespace("bad")},
		{Type: watch.Error, Object: &metav1.Status{Status: metav1.StatusFailure, Message: "too old"}},
	} {
		events <- event
	}
	close(events)
	arrivals := make(chan arrival, 10)
	sight.follow(t.Context(), events, "0", arrivals)
	close(arrivals)

	var keys, errs []string
	for next := range arrivals {
		if next.err != nil {
			errs = append(errs, next.err.Error())
			continue
		}
		keys = append(keys, next.key)
	}
	require.Equal(t, []string{"0 /good", "0 /bad"}, keys)
	require.Equal(t, []string{"too old", "the watch ended"}, errs)
}
