// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
)

func TestObjectsSet(t *testing.T) {
	version := func(v, content string) *propagate.Object {
		o := source("a", content)
		o.u.SetResourceVersion(v)
		return propagate.Observe(o.u)
	}
	s := propagate.NewObjects(configMaps, propagate.Options{})
	require.Equal(t, configMaps, s.GVK())
	first := version("5", "1")
	s.Set(first)
	s.Set(version("4", "old"))
	s.Set(version("5", "same"))
	got, ok := s.Get("a", "s")
	require.True(t, ok)
	require.Same(t, first, got, "what is not newer changes nothing")

	newer := version("10", "2")
	s.Set(newer)
	got, _ = s.Get("a", "s")
	require.Same(t, newer, got)
	require.Equal(t, []string{"s"}, s.Names("a"))
	require.Equal(t, propagate.Counts{Sources: 1}, s.Counts())

	s.Remove("a", "s")
	s.Remove("b", "s")
	_, ok = s.Get("a", "s")
	require.False(t, ok)
	require.Empty(t, s.Names("a"))
}

// TestSourcesThatAreGone: neither a removed source nor one that became a copy
// gives anything to the namespaces below.
func TestSourcesThatAreGone(t *testing.T) {
	f := foresttest.Create("-a")
	removed := observed(source("a", "1"))
	removed.Remove("a", "s")
	require.Empty(t, propagate.Everywhere(f, removed))

	became := observed(source("a", "1"), copyOf("a", "q", "1"))
	require.Equal(t, keys("a/s"), propagate.Everywhere(f, became))
	require.Empty(t, propagate.InNamespace(f, became, "b"))
}

// TestCounts compares the running counts with a walk, after any history.
func TestCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := propagate.NewObjects(configMaps, propagate.Options{})
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			namespace := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "namespace")
			name := rapid.SampledFrom([]string{"s", "t"}).Draw(t, "name")
			version := rapid.SampledFrom([]string{"1", "2", "3", ""}).Draw(t, "version")
			o := source(namespace, version)
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				s.Remove(namespace, name)
				continue
			case 1:
				o = copyOf(namespace, "z", version)
			}
			o.u.SetName(name)
			o.u.SetResourceVersion(version)
			s.Set(propagate.Observe(o.u))
		}
		var want propagate.Counts
		for o := range s.All {
			if o.IsCopy() {
				want.Copies++
			} else {
				want.Sources++
			}
			known, _ := s.Get(o.Namespace, o.Name)
			require.Same(t, known, o)
		}
		require.Equal(t, want, s.Counts())
	})
}

func TestAllMayBeLeft(t *testing.T) {
	objects := observed(source("a", "1"), source("b", "1"), copyOf("c", "a", "1"))
	require.Len(t, slices.Collect(objects.All), 3)
	seen := 0
	for range objects.All {
		seen++
		break
	}
	require.Equal(t, 1, seen)
}
