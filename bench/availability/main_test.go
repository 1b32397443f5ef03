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
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/config"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/hierarchy/validate"
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
	all := []outage{{kind: kill, from: at(10), until: at(11)}, {kind: freeze, from: at(20), until: at(30)}, {kind: stop, from: at(40), until: at(50)}}
	calling := func(text string) error {
		return apierrors.NewInternalError(errors.New(`failed calling webhook "x": failed to call webhook: Post "https://127.0.0.1:1/x?timeout=2s": ` + text))
	}
	broken, silent := calling("EOF"), calling("context deadline exceeded")
	denied := apierrors.NewForbidden(schema.GroupResource{}, "x", errors.New(`admission webhook "x" denied the request: context deadline exceeded`))
	unstamped := apierrors.NewServiceUnavailable(`admission webhook "x" denied the request: ` + validate.StampMissing)
	tests := map[string]struct {
		failure
		wantMet      map[int]int
		wantUnserved bool
	}{
		"it met the dead one":                   {failure: failure{at(10.5), at(10.6), broken}, wantMet: map[int]int{0: 1}},
		"it was under way when that one died":   {failure: failure{at(9.9), at(10.1), broken}, wantMet: map[int]int{0: 1}},
		"it waited for the frozen one":          {failure: failure{at(25), at(32), silent}, wantMet: map[int]int{1: 1}},
		"nothing was added":                     {failure: failure{at(25), at(27), fmt.Errorf("wrapped: %w", errUnchanged)}, wantMet: map[int]int{1: 1}},
		"what was not added was missed":         {failure: failure{at(25), at(27), unstamped}, wantMet: map[int]int{1: 1}},
		"it was not added for no reason":        {failure: failure{at(35), at(37), unstamped}},
		"nobody was down yet":                   {failure: failure{at(9), at(9.5), broken}},
		"nobody was down any more":              {failure: failure{at(11.5), at(12), broken}},
		"a dead one is not silent":              {failure: failure{at(10.5), at(12.5), silent}},
		"a frozen one does not break a line":    {failure: failure{at(25), at(25.1), broken}},
		"one that ends answers to the last":     {failure: failure{at(45), at(45.1), broken}},
		"one that ends is not passed over":      {failure: failure{at(45), at(45.1), errUnchanged}},
		"nobody trusts it, whoever died":        {failure: failure{at(10.5), at(10.6), calling("tls: failed to verify certificate: x509: unknown authority")}},
		"a replica answered, and wrongly":       {failure: failure{at(25), at(27), denied}},
		"the API server had no time for anyone": {failure: failure{at(35), at(45), context.DeadlineExceeded}, wantUnserved: true},
		"the API server said so":                {failure: failure{at(35), at(45), apierrors.NewTooManyRequests("later", 1)}, wantUnserved: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := sortOut(all, []failure{tc.failure})
			want := sorted{met: map[int]int{}}
			switch {
			case tc.wantMet != nil:
				want.met = tc.wantMet
			case tc.wantUnserved:
				want.unserved = []failure{tc.failure}
			default:
				want.broken = []failure{tc.failure}
			}
			require.Equal(t, want, got)
		})
	}
}

func TestJudge(t *testing.T) {
	good := func() result {
		return result{
			every: 20 * time.Millisecond, took: 10 * time.Second, certLife: 4 * time.Second, authorityLife: 12 * time.Second,
			served: served{certificates: map[string]bool{"1": true, "2": true}, authorities: map[string]bool{"1": true}},
			hooks:  []hook{{webhook: "x", answered: 490}},
		}
	}
	failed := func(err error) func(*result) {
		return func(r *result) { r.hooks[0].failures = []failure{{time.Now(), time.Now(), err}} }
	}
	for name, tc := range map[string]struct {
		change  func(*result)
		wantErr string
	}{
		"all is well":             {change: func(*result) {}},
		"a request failed":        {change: failed(errUnchanged), wantErr: "though no replica that they could have met was down"},
		"the API server was busy": {change: failed(context.DeadlineExceeded), wantErr: "the API server did not answer 1 requests"},
		"the machine was busy":    {change: func(r *result) { r.hooks[0].answered = 470 }, wantErr: "only 470 of 500 requests could be sent"},
		"nothing was rotated": {
			change: func(r *result) { r.served.certificates = map[string]bool{"1": true} }, wantErr: "the certificate was not rotated",
		},
		"the authority is old": {
			change: func(r *result) { r.authorityLife = 8 * time.Second }, wantErr: "the authority was not rotated",
		},
		"nobody issues": {change: func(r *result) { r.certLife, r.authorityLife, r.served = 0, 0, served{} }},
	} {
		t.Run(name, func(t *testing.T) {
			r := good()
			tc.change(&r)
			if tc.wantErr == "" {
				require.NoError(t, r.judge())
				return
			}
			require.ErrorContains(t, r.judge(), tc.wantErr)
		})
	}
}

// short takes a minute and a half: one disturbance of each kind, at a rate
// that a busy machine can keep up with. The certificate is rotated meanwhile, and so is
// its authority.
func short(t *testing.T) options {
	return options{
		duration: time.Second, every: 200 * time.Millisecond, down: 2 * time.Second, calm: time.Second,
		issued: true, certLife: 12 * time.Second, replicas: 3, dir: t.TempDir(),
	}
}

func TestNoRequestFailsAtAReadyReplica(t *testing.T) {
	r, err := bench(t.Context(), short(t), turns)
	require.NoError(t, err)
	t.Log(r.text())
	require.NoError(t, r.judge())
	require.Equal(t, map[string]int{kill: 1, stop: 1, freeze: 1, roll: 1}, r.done)
	require.Greater(t, len(r.served.certificates), 1)
	require.Greater(t, len(r.served.authorities), 1)
	require.Len(t, r.hooks, len(probes))
	for _, o := range r.outages {
		require.True(t, o.until.After(o.from), "%+v", o)
		require.LessOrEqual(t, o.noticed.Sub(o.from), o.until.Sub(o.from), "%+v", o)
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
		if err := rig.Pause(ctx, 7*time.Second); err != nil {
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
		require.NotEmpty(t, sortOut(r.outages, h.failures).broken, h.webhook)
	}
}
