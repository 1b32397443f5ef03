// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// TestLook: admission sees each type that is handled, with its mode, and knows
// whether all of it was read.
func TestLook(t *testing.T) {
	live := awake(NewLive(hierarchy.Scope{}, propagate.Options{}, Home{}), "-a")
	lookup := func(_, resource string) (propagate.Resource, error) {
		return propagate.Resource{GVK: secrets, Plural: resource, Namespaced: true}, nil
	}
	spec := api.HNCConfigurationSpec{Resources: []api.ResourceSpec{{Resource: "secrets", Mode: api.AllowPropagate}}}
	live.adopt(propagate.Resolve(spec, lookup))

	type seen struct {
		kind  string
		mode  api.SynchronizationMode
		awake bool
	}
	var got []seen
	live.Look(func(f *hierarchy.Forest, tracked []propagate.Tracked) {
		require.Equal(t, "a", f.Parent("b"))
		for _, k := range tracked {
			require.Equal(t, k.GVK, k.Objects.GVK())
			got = append(got, seen{k.GVK.Kind, k.Mode, k.Awake})
		}
	})
	require.Equal(t, []seen{
		{"Role", api.Propagate, true}, {"RoleBinding", api.Propagate, true}, {"Secret", api.AllowPropagate, false},
	}, got)
}
