// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/webhook"
)

func TestParse(t *testing.T) {
	tests := map[string]struct {
		args    []string
		wantErr string
	}{
		"the defaults are good":          {},
		"a forest has trees":             {args: []string{"-namespaces=10"}, wantErr: "namespaces: is 10; set it to 100 or more"},
		"half of the objects are Roles":  {args: []string{"-objects=3"}, wantErr: "objects: is 3; set it to an even number"},
		"somebody takes over":            {args: []string{"-replicas=1"}, wantErr: "replicas: is 1; set it to two or more"},
		"somebody asks":                  {args: []string{"-rate=0"}, wantErr: "workers, rate: set each"},
		"shards change hands within it":  {args: []string{"-duration=5s"}, wantErr: "duration: is 5s; set it to 20s or more"},
		"all that is wrong is told once": {args: []string{"-rate=0", "-replicas=1"}, wantErr: "replicas: is 1; set it to two or more, since one is killed\nworkers"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := parse(tc.args)
			if tc.wantErr == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.wantErr)
		})
	}
}

func TestMix(t *testing.T) {
	var asks []ask
	for _, path := range paths() {
		asks = append(asks,
			ask{path: path, what: "good", bodies: [][]byte{[]byte("a"), []byte("b")}},
			ask{path: path, what: "bad", code: http.StatusForbidden, bodies: [][]byte{[]byte("c")}})
	}
	m, err := newMix(asks)
	require.NoError(t, err)
	count, bodies := map[string]int{}, map[string]int{}
	for _, r := range m.sequence(400) {
		count[r.path]++
		if r.path == webhook.PathObject {
			bodies[string(r.body)]++
		}
	}
	for path, weight := range weights {
		require.Equal(t, 4*weight, count[path])
	}
	require.Equal(t, map[string]int{"a": 50, "b": 50, "c": 100}, bodies)

	_, err = newMix(asks[1:1])
	require.ErrorContains(t, err, "there are none to")
	_, err = newMix(append(asks, ask{path: "/nowhere", bodies: [][]byte{nil}}))
	require.ErrorContains(t, err, "would never be sent")
}

// TestTemplates: every webhook is asked for what it allows, and for what it denies.
func TestTemplates(t *testing.T) {
	allowed, denied := map[string]int{}, map[string]int{}
	for _, template := range templates {
		if template.code == 0 {
			allowed[template.path]++
		} else {
			denied[template.path]++
		}
	}
	for _, path := range paths() {
		require.Positive(t, allowed[path], path)
		if !strings.HasPrefix(path, "/mutate") { // these deny nothing
			require.Positive(t, denied[path], path)
		}
	}
}

func TestJudge(t *testing.T) {
	observe, look := native(t, 100)
	observe(20 * time.Millisecond)
	good := result{resync: resync{most: 1}, hooks: []hook{{path: "/path", handler: look()}}}
	require.NoError(t, good.judge(0))
	require.NoError(t, good.judge(25*time.Millisecond))
	require.ErrorContains(t, good.judge(10*time.Millisecond), "/path: p99 is")

	idle := good
	idle.resync.most = 0
	require.ErrorContains(t, idle.judge(0), "take a longer duration")
	wrong := good
	wrong.wrong = []error{errors.New("no answer")}
	require.ErrorContains(t, wrong.judge(0), "the first: no answer")
}

// TestSmall measures a small forest for real. Times say nothing there, but all answers
// must be right.
func TestSmall(t *testing.T) {
	o := options{namespaces: 300, objects: 2, replicas: 3, workers: 20, rate: 100, duration: 25 * time.Second, dir: t.TempDir()}
	require.NoError(t, o.validate())
	r, err := bench(t.Context(), o)
	require.NoError(t, err)
	t.Log(r.text())
	require.NoError(t, r.judge(0))
	require.Equal(t, 2500, r.sent())
	require.Len(t, r.hooks, len(weights))
	for _, h := range r.hooks {
		require.Len(t, h.times, 25*weights[h.path])
		require.GreaterOrEqual(t, h.handler.count(), uint64(len(h.times)), "the replica has counted each")
		p50, p99 := h.handler.quantile(0.5), h.handler.quantile(0.99)
		require.Positive(t, p50)
		require.LessOrEqual(t, p50, p99)
		require.Less(t, p50, answerBound)
	}
	require.NotEmpty(t, r.gets)
	require.Positive(t, rig.Quantile(r.gets, 0.5))
}
