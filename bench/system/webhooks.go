// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package system

import (
	"errors"
	"fmt"

	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// WithoutWebhooks removes the configurations of the webhooks while the function
// runs.
func (s *System) WithoutWebhooks(do func()) {
	s.Helper()
	removed := s.removeWebhooks()
	do()
	for _, configuration := range removed {
		configuration.SetResourceVersion("")
		configuration.SetUID("")
		s.Create(configuration)
	}
	s.Eventually("the webhooks are asked again", func() error {
		if s.tryForbidden() == nil {
			return errors.New("an anchor of kube-system is admitted")
		}
		probe := Namespace("webhook-probe")
		if err := s.Client.Create(s.ctx, probe, client.DryRunAll); err != nil {
			return fmt.Errorf("creating a namespace: %w", err) // the label that it needs is to be added
		}
		return nil
	})
}

// Unasked returns a client for which no webhook about objects is asked and no copy is protected: the rules leave the
// control plane alone. It is what a test needs that shows how Banyan repairs what admission would have refused.
func (s *System) Unasked() client.Client {
	s.Helper()
	config := rest.CopyConfig(s.Plane.Config())
	config.Impersonate = rest.ImpersonationConfig{
		UserName: "system:serviceaccount:kube-system:namespace-controller",
		Groups:   []string{"system:masters", "system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"},
	}
	c, err := client.New(config, client.Options{Scheme: s.Scheme()})
	require.NoError(s, err)
	return c
}

// removeWebhooks returns what it removed, when the API server no longer asks them.
func (s *System) removeWebhooks() []client.Object {
	s.Helper()
	removed := []client.Object{
		&admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "hnc-validating-webhook-configuration"}},
		&admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "hnc-mutating-webhook-configuration"}},
	}
	for _, configuration := range removed {
		require.NoError(s, s.Exists(configuration, "", configuration.GetName())())
		require.NoError(s, s.Delete(s.ctx, configuration.DeepCopyObject().(client.Object)))
	}
	s.Eventually("the webhooks are no longer asked", s.tryForbidden)
	return removed
}

// tryForbidden does what a webhook refuses, without doing it.
func (s *System) tryForbidden() error {
	err := s.Client.Create(s.ctx, Anchor("default", "kube-system"), client.DryRunAll)
	if err != nil {
		return fmt.Errorf("creating an anchor of kube-system: %w", err)
	}
	return nil
}
