// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/webhook"
)

// TestSelfCheck: only the answer of a replica shows that the way is open. That
// the API server let the dry run pass, shows that it asked nobody.
func TestSelfCheck(t *testing.T) {
	for name, tc := range map[string]struct {
		says error
		want bool
	}{
		"a replica answers":      {says: errors.New(`admission webhook "selfcheck.hnc.x-k8s.io" denied the request: reached replica banyan-1`), want: true},
		"nobody answers":         {says: errors.New("failed calling webhook: connection refused")},
		"the trust is broken":    {says: errors.New("x509: certificate signed by unknown authority")},
		"nobody is asked":        {},
		"the API server is away": {says: errors.New("dial tcp: connection refused")},
		"another denies, not us": {says: errors.New("denied the request: reached the end")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dryRun := false
				check := &webhook.SelfCheck{Namespace: "hnc-system", Log: logr.Discard(), Client: answering(t, func(o client.CreateOptions) error {
					dryRun = len(o.DryRun) == 1
					return tc.says
				})}
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error, 1)
				go func() { done <- check.Start(ctx) }()
				synctest.Wait()
				require.Equal(t, tc.want, check.Reached())
				require.True(t, dryRun, "a check that stores something")
				cancel()
				require.NoError(t, <-done)
			})
		})
	}
}

// TestSelfCheckForgetsAnOldSuccess: what came through once may be cut off later.
func TestSelfCheckForgetsAnOldSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cutOff atomic.Bool
		changes := 0
		check := &webhook.SelfCheck{Log: logr.Discard(), Changed: func() { changes++ }, Client: answering(t, func(client.CreateOptions) error {
			if cutOff.Load() {
				return errors.New("context deadline exceeded")
			}
			return errors.New("reached replica banyan-1")
		})}
		go func() { _ = check.Start(t.Context()) }()
		synctest.Wait()
		require.True(t, check.Reached())
		require.Equal(t, 1, changes)

		time.Sleep(time.Minute) // in the bubble's time
		synctest.Wait()
		require.Equal(t, 1, changes, "what stays as it was is no change")

		cutOff.Store(true)
		time.Sleep(20 * time.Second) // in the bubble's time
		synctest.Wait()
		require.False(t, check.Reached())
		require.Equal(t, 2, changes)
		require.NoError(t, testutil.CollectAndCompare(check, strings.NewReader(`
# HELP banyan_admission_reachable 1 if the API server reached the webhooks of some replica when this one checked last.
# TYPE banyan_admission_reachable gauge
banyan_admission_reachable 0
`), "banyan_admission_reachable"))
	})
}

// TestAnswerToSelfCheck: the webhook says who it is, and remembers that it was asked.
func TestAnswerToSelfCheck(t *testing.T) {
	answer := ask(t, serve(t), request{path: webhook.PathSelfCheck, operation: admissionv1.Create, user: admin, object: configuration("hnc-system", "")})
	require.False(t, answer.Allowed)
	require.EqualValues(t, http.StatusForbidden, answer.Result.Code)
	require.Equal(t, "reached replica banyan-0", answer.Result.Message)
}

func answering(t *testing.T, answer func(client.CreateOptions) error) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, api.AddToScheme(scheme))
	return interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme).Build(), interceptor.Funcs{
		Create: func(_ context.Context, _ client.WithWatch, _ client.Object, opts ...client.CreateOption) error {
			var o client.CreateOptions
			o.ApplyOptions(opts)
			return answer(o)
		},
	})
}
