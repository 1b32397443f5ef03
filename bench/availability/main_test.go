// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/banyan-hns/banyan/config"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

func TestParse(t *testing.T) {
	tests := map[string]struct {
		args    []string
		wantErr string
	}{
		"the defaults are good":      {},
		"somebody is left":           {args: []string{"-replicas=1"}, wantErr: "replicas: is 1; set it to two or more"},
		"requests have time between": {args: []string{"-every=0"}, wantErr: "every: is 0s"},
		"an outage has a length":     {args: []string{"-down=0"}, wantErr: "down: is 0s"},
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
	o, err := parse([]string{"-replica-flag=--a=1", "-replica-flag=--b"})
	require.NoError(t, err)
	require.Equal(t, []string{"--a=1", "--b"}, o.flags)
	require.Contains(t, o.command(), "-replica-flag --a=1 -replica-flag --b")
}

// TestEveryWebhookIsAsked: all of the manifests, and the one that Banyan registers by
// itself.
func TestEveryWebhookIsAsked(t *testing.T) {
	want := []string{"objects"}
	objects, err := config.Objects()
	require.NoError(t, err)
	for _, object := range objects {
		hooks, _, err := unstructured.NestedSlice(object.Object, "webhooks")
		require.NoError(t, err)
		for _, hook := range hooks {
			want = append(want, strings.TrimSuffix(hook.(map[string]any)["name"].(string), "."+api.Group))
		}
	}
	var got []string
	for _, p := range probes {
		got = append(got, p.webhook)
	}
	require.ElementsMatch(t, want, got)
}

func TestSortOut(t *testing.T) {
	start := time.Now()
	at := func(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }
	all := []outage{{kind: kill, from: at(10), until: at(11)}, {kind: stop, from: at(20), until: at(30)}}
	broken := errors.New(`Internal error occurred: failed calling webhook "x": EOF`)
	tests := map[string]struct {
		failure
		wantMet map[int]int
	}{
		"it met the dead one":                   {failure: failure{at(10.5), at(10.6), broken}, wantMet: map[int]int{0: 1}},
		"it was under way when that one died":   {failure: failure{at(9.9), at(10.1), broken}, wantMet: map[int]int{0: 1}},
		"it waited for the stopped one":         {failure: failure{at(25), at(32), broken}, wantMet: map[int]int{1: 1}},
		"nothing was added":                     {failure: failure{at(25), at(27), fmt.Errorf("wrapped: %w", errUnchanged)}, wantMet: map[int]int{1: 1}},
		"nobody was down yet":                   {failure: failure{at(9), at(9.5), broken}},
		"nobody was down any more":              {failure: failure{at(11.5), at(12), broken}},
		"a replica answered, and wrongly":       {failure: failure{at(10.5), at(10.6), errors.New("admission webhook denied the request")}},
		"the API server had no time for anyone": {failure: failure{at(25), at(35), context.DeadlineExceeded}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			met, rest := sortOut(all, []failure{tc.failure})
			if tc.wantMet == nil {
				require.Empty(t, met)
				require.Len(t, rest, 1)
				return
			}
			require.Equal(t, tc.wantMet, met)
			require.Empty(t, rest)
		})
	}
}

// short takes about a minute: one disturbance of each kind, at a rate that a busy
// machine can keep up with.
func short(t *testing.T) options {
	return options{
		duration: time.Second, every: 100 * time.Millisecond, down: 12 * time.Second, calm: time.Second,
		issued: true, certLife: time.Minute, replicas: 3, dir: t.TempDir(),
	}
}

func TestNoRequestFailsAtAReadyReplica(t *testing.T) {
	r, err := bench(t.Context(), short(t), turns)
	require.NoError(t, err)
	t.Log(r.text())
	require.NoError(t, r.judge())
	require.Equal(t, map[string]int{kill: 1, stop: 1, roll: 1}, r.done)
	require.Positive(t, r.served.rotations())
	require.Len(t, r.hooks, len(probes))
	for _, o := range r.outages {
		require.True(t, o.until.After(o.from), "%+v", o)
		require.Less(t, o.noticed.Sub(o.from), o.until.Sub(o.from)+time.Nanosecond, "%+v", o)
	}
}

// TestSilenceIsCaught: replicas that do not answer for a moment fail requests, which no
// outage explains if none is noted.
func TestSilenceIsCaught(t *testing.T) {
	silence := turn{roll, func(m *measurement, ctx context.Context, _ string) error {
		// Whom the API server's connections go to, it alone knows.
		for _, name := range m.Names {
			if err := m.Set.Signal(name, syscall.SIGSTOP); err != nil {
				return err
			}
		}
		// Longer than two webhooks are waited for, one after the other; and not so long that
		// a lease ends.
		if err := pause(ctx, 7*time.Second); err != nil {
			return err
		}
		for _, name := range m.Names {
			if err := m.Set.Signal(name, syscall.SIGCONT); err != nil {
				return err
			}
		}
		return nil
	}}
	o := short(t)
	o.issued = false
	r, err := bench(t.Context(), o, []turn{silence})
	require.NoError(t, err)
	t.Log(r.text())
	require.ErrorContains(t, r.judge(), "though no replica that they could have met was down")
	for _, h := range r.hooks {
		_, rest := sortOut(r.outages, h.failures)
		require.NotEmpty(t, rest, h.webhook)
	}
}
