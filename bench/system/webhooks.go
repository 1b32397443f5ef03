// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package system

import (
	"errors"
	"fmt"

	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
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
			return fmt.Errorf("creating a namespace: %w", err)
		}
		if probe.Labels[api.LabelIncludedNamespace] == "" {
			return errors.New("a namespace gets no label")
		}
		return nil
	})
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

// removePolicies lets the API server enforce none of Banyan's policies.
func (s *System) removePolicies() {
	s.Helper()
	s.Eventually("the policies are in force", func() error {
		if s.tryMisplacing() == nil {
			return errors.New("a tree label is admitted")
		}
		return nil
	})
	require.NoError(s, s.DeleteAllOf(s.ctx, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{}))
	s.Eventually("the policies are no longer in force", s.tryMisplacing)
}

// tryMisplacing does what a policy refuses, without doing it.
func (s *System) tryMisplacing() error {
	patch := fmt.Sprintf(`{"metadata":{"labels":{"nowhere%s":"1"}}}`, api.LabelTreeDepthSuffix)
	err := s.Patch(s.ctx, Namespace("default"), client.RawPatch(types.MergePatchType, []byte(patch)), client.DryRunAll)
	if err != nil {
		return fmt.Errorf("adding a tree label: %w", err)
	}
	return nil
}
