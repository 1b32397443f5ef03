// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/hierarchy/propagate"
)

// TestTrackingIsDocumented: whoever wonders where a label went finds it in the
// README.
func TestTrackingIsDocumented(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	require.NotEmpty(t, propagate.DefaultTracking())
	for _, key := range propagate.DefaultTracking() {
		require.Contains(t, string(readme), "`"+key+"`")
	}
}

func TestExceptions(t *testing.T) {
	o, err := parse([]string{
		"--nopropagation-name=RoleBinding/system:*", "--nopropagation-name=istio-*", "--nopropagation-selector=app in (crossplane, rancher)",
	}, pod)
	require.NoError(t, err)
	require.Equal(t, []propagate.NamePattern{{Kind: "RoleBinding", Glob: "system:*"}, {Glob: "istio-*"}}, o.propagation.NoPropagationNames)
	require.Len(t, o.propagation.NoPropagationSelectors, 1)
	require.Equal(t, "app in (crossplane,rancher)", o.propagation.NoPropagationSelectors[0].String())
}
