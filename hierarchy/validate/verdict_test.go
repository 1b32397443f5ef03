// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

// Short names for the builders, since the tables consist of them.
var (
	ns     = foresttest.MakeNamespace
	config = foresttest.MakeConfiguration
	anchor = foresttest.MakeAnchor
)

// Reasons, and the absence of one.
const (
	ok           = metav1.StatusReason("")
	forbidden    = metav1.StatusReasonForbidden
	conflict     = metav1.StatusReasonConflict
	invalid      = metav1.StatusReasonInvalid
	unavailable  = metav1.StatusReasonServiceUnavailable
	unauthorized = metav1.StatusReasonUnauthorized
)

// scope excludes x and manages all keys that do not begin with h.
func scope(t *testing.T) hierarchy.Scope {
	s, err := hierarchy.NewScope(hierarchy.ScopeOptions{
		ExcludedNamespaces:          []string{"x"},
		ManagedNamespaceLabels:      []string{"[^h].*"},
		ManagedNamespaceAnnotations: []string{"[^h].*"},
	})
	require.NoError(t, err)
	return s
}

// requireVerdict checks the reason, a fragment, and what all denials share.
func requireVerdict(t *testing.T, got validate.Verdict, want metav1.StatusReason, words ...string) {
	t.Helper()
	require.Equal(t, want, got.Reason, got.Message)
	require.Equal(t, want == ok, got.Allowed)
	for _, fragment := range words {
		require.Contains(t, got.Message, fragment)
	}
	if want == ok {
		require.Empty(t, got.Message)
		return
	}
	require.Contains(t, got.Message, ";", "a denial ends in a remedy")
	require.NotContains(t, got.Message, "%!", "a denial is well formed")
	require.Equal(t, want == invalid, len(got.Causes) > 0, "exactly the invalid objects have causes")
}

func TestZeroVerdictDenies(t *testing.T) {
	require.False(t, validate.Verdict{}.Allowed)
	require.True(t, validate.Allow().Allowed)
}
