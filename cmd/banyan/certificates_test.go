// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/replicas"
	"github.com/banyan-hns/banyan/bench/system"
	"github.com/banyan-hns/banyan/webhook/certificate"
)

// TestCertificates: from nothing, the replicas have the API server trust them; then
// certificates and authorities turn over every few seconds, and no request fails;
// what is deleted by hand comes back.
func TestCertificates(t *testing.T) {
	s := system.Start(t, system.Options{
		OwnCertificates: true,
		Flags:           []string{"--webhook-cert-life=20s", "--webhook-authority-life=35s"},
	})
	s.Create(system.Namespace("acme"))
	ask := func(ctx context.Context) error {
		return s.Client.Create(ctx, system.Anchor("acme", "probe"), client.DryRunAll)
	}
	s.Eventually("the API server reaches the webhooks", func() error { return ask(s.Context()) })

	certificates, authorities := map[string]bool{}, map[string]bool{}
	asking := pester(s.Context(), ask)
	s.Eventually("certificates and authorities are exchanged", func() error {
		secret := &corev1.Secret{}
		if err := s.Exists(secret, replicas.Namespace, certificate.Secret)(); err != nil {
			return err
		}
		certificates[string(secret.Data[certificate.KeyCertificate])] = true
		all, err := cert.ParseCertsPEM(secret.Data[certificate.KeyAuthorities])
		if err != nil {
			return err
		}
		for _, a := range all {
			authorities[string(a.Raw)] = true
		}
		if len(certificates) < 4 || len(authorities) < 3 {
			return fmt.Errorf("%d certificates and %d authorities so far", len(certificates), len(authorities))
		}
		return nil
	})
	asked, failed := asking()
	t.Logf("%d requests while there were %d certificates of %d authorities", asked, len(certificates), len(authorities))
	require.Empty(t, failed)
	require.Greater(t, asked, 500)

	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	configuration.Name = "hnc-validating-webhook-configuration"
	s.Edit(configuration, false, func() {
		for i := range configuration.Webhooks {
			configuration.Webhooks[i].ClientConfig.CABundle = nil
		}
	})
	s.Eventually("an emptied bundle is back", func() error {
		if err := s.Exists(configuration, "", configuration.Name)(); err != nil {
			return err
		}
		for _, w := range configuration.Webhooks {
			if len(w.ClientConfig.CABundle) == 0 {
				return errors.New(w.Name + " has none")
			}
		}
		return ask(s.Context())
	})

	// Somebody deletes the Secret: no request fails for that.
	asking = pester(s.Context(), ask)
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = replicas.Namespace, certificate.Secret
	back := func() error {
		if err := s.Exists(secret, secret.Namespace, secret.Name)(); err != nil {
			return err
		}
		if len(secret.Data[certificate.KeyAuthority]) == 0 {
			return errors.New("it is empty")
		}
		return nil
	}
	require.NoError(t, back())
	require.NoError(t, s.Delete(s.Context(), secret.DeepCopy()))
	s.Eventually("a deleted Secret is back", back)
	_, failed = asking()
	require.Empty(t, failed)
	s.Ready()
}

// pester asks every 20 ms, however long an answer takes, until the function is called that it returns.
func pester(ctx context.Context, ask func(context.Context) error) (end func() (asked int, failed []error)) {
	var mu sync.Mutex
	var all sync.WaitGroup
	asked, failed := 0, []error(nil)
	stop := make(chan struct{})
	all.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				all.Go(func() {
					err := ask(ctx)
					mu.Lock()
					defer mu.Unlock()
					asked++
					if err != nil {
						failed = append(failed, err)
					}
				})
			}
		}
	})
	return func() (int, []error) {
		close(stop)
		all.Wait()
		return asked, failed
	}
}
