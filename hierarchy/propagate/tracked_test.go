// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/hierarchy/propagate"
)

// TestNamed: one can try anything with a part of what is known.
func TestNamed(t *testing.T) {
	all := observed(source("a", "1"), copyOf("b", "a", "1"), source("c", "1"))
	tracked := propagate.Tracked{Objects: all}

	part := tracked.Named("s", []string{"a", "b", "d"})
	require.Equal(t, configMaps, part.GVK())
	require.Equal(t, propagate.Counts{Sources: 1, Copies: 1}, part.Counts())
	_, ok := part.Get("c", "s")
	require.False(t, ok, "nobody asked for that namespace")
	require.Equal(t, propagate.Counts{}, tracked.Named("other", []string{"a", "b"}).Counts())

	part.Remove("a", "s")
	part.Set(propagate.Observe(source("d", "2").u))
	require.Equal(t, propagate.Counts{Sources: 1, Copies: 1}, part.Counts())
	require.Equal(t, propagate.Counts{Sources: 2, Copies: 1}, all.Counts(), "the whole stays as it was")
	_, ok = all.Get("a", "s")
	require.True(t, ok)
}

func TestIsTracking(t *testing.T) {
	require.True(t, propagate.IsTracking("app.kubernetes.io/instance"))
	require.True(t, propagate.IsTracking("kustomize.toolkit.fluxcd.io/name"))
	require.False(t, propagate.IsTracking("team"))
}
