// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package system

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/config"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// WithoutAdmission removes the configurations of the webhooks and the policies while the function runs.
func (s *System) WithoutAdmission(do func()) {
	s.Helper()
	removed := s.removeAdmission()
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
		if s.tryIllegal() == nil {
			return errors.New("an anchor that no namespace can have is admitted")
		}
		probe := Namespace("webhook-probe")
		if err := s.Client.Create(s.ctx, probe, client.DryRunAll); err != nil {
			return fmt.Errorf("creating a namespace: %w", err)
		}
		if probe.Labels[api.LabelIncludedNamespace] == "" {
			return errors.New("a namespace gets no label")
		}
		if s.tryUnreadable() == nil {
			return errors.New("a role with a selector that is none is admitted")
		}
		return nil
	})
}

// Unasked returns the same system with a client for which no webhook about objects is asked, and which may edit and delete
// copies: the rules leave the control plane alone. It is what a test needs that shows how Banyan mends what admission would
// have refused.
func (s *System) Unasked() *System {
	s.Helper()
	other := *s
	other.Client = s.impersonate("system:serviceaccount:kube-system:namespace-controller", "system:serviceaccounts:kube-system")
	return &other
}

// removeAdmission returns what it removed, when the API server neither asks nor judges any more. The rules about objects
// are not among it: they go along, and Banyan makes them anew.
func (s *System) removeAdmission() []client.Object {
	s.Helper()
	var removed []client.Object
	objects, err := config.Objects("webhook", "policy")
	require.NoError(s, err)
	for _, object := range objects {
		if !slices.Contains(decides, object.GetKind()) {
			continue
		}
		require.NoError(s, s.Exists(object, "", object.GetName())())
		removed = append(removed, object)
		require.NoError(s, s.Delete(s.ctx, object.DeepCopy()))
	}
	s.Eventually("the webhooks are no longer asked", s.tryForbidden)
	s.Eventually("the policies judge no longer", s.tryIllegal)
	return removed
}

// decides has the kinds by which the API server knows how to judge.
var decides = []string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration", "ValidatingAdmissionPolicyBinding"}

// tryIllegal does what a policy refuses, without doing it.
func (s *System) tryIllegal() error {
	err := s.Client.Create(s.ctx, Anchor("default", "a.b"), client.DryRunAll)
	if err != nil {
		return fmt.Errorf("creating an anchor that no namespace can have: %w", err)
	}
	return nil
}

// tryUnreadable does what the webhook about objects refuses, without doing it.
func (s *System) tryUnreadable() error {
	role := Role("default", "webhook-probe")
	role.Annotations = map[string]string{api.AnnotationSelector: "!!"}
	err := s.Client.Create(s.ctx, role, client.DryRunAll)
	if err != nil {
		return fmt.Errorf("creating a role with a selector that is none: %w", err)
	}
	return nil
}

// tryForbidden does what a webhook refuses, without doing it.
func (s *System) tryForbidden() error {
	err := s.Client.Create(s.ctx, Anchor("default", "kube-system"), client.DryRunAll)
	if err != nil {
		return fmt.Errorf("creating an anchor of kube-system: %w", err)
	}
	return nil
}
