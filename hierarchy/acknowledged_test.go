// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/hierarchy/foresttest"
)

// TestMoveThatNobodyAcknowledged: a stamp that vanished in another way than by the
// owner of the old tree proves nothing.
func TestMoveThatNobodyAcknowledged(t *testing.T) {
	t.Run("its configuration was deleted", func(t *testing.T) {
		f := foresttest.Create("-ab-")
		f.SetConfiguration(foresttest.MakeConfiguration("b").Parent("d").Stamp("a").Obj())
		change := f.RemoveConfiguration("b")
		require.Equal(t, "b", f.Key("c"))
		require.Empty(t, change.Moved)
		require.Equal(t, map[string]string{"b": "a", "c": "a"}, change.Strayed)
	})
	t.Run("another parent was written over it", func(t *testing.T) {
		f := foresttest.Create("-ab--")
		f.SetConfiguration(foresttest.MakeConfiguration("b").Parent("d").Stamp("a").Obj())
		change := f.SetConfiguration(foresttest.MakeConfiguration("b").Parent("e").Obj())
		require.Empty(t, change.Moved)
		require.Equal(t, map[string]string{"b": "a", "c": "a"}, change.Strayed)
	})
}
