// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// TestUsersObjectsInAllowPropagate: whatever is above a user's object, and
// whichever copy stood in its place before, it is neither deleted nor replaced;
// and a copy is deleted as what it was seen to be.
func TestUsersObjectsInAllowPropagate(t *testing.T) {
	key := propagate.Key{Namespace: "b", Name: "s"}
	forest := foresttest.Create("-ab")
	above := map[string][]object{
		"nothing":                       nil,
		"one that is not marked":        {source("a", "1")},
		"one that is marked":            {source("a", "1").annotated("all=true")},
		"one that selects":              {source("a", "1").annotated("treeSelect=b")},
		"one whose mark is wrong":       {source("a", "1").annotated("all=maybe")},
		"one that is not copied at all": {source("a", "1").annotated("all=true").finalized()},
		"one that goes away":            {source("a", "1").annotated("all=true").terminating()},
	}
	for name, objects := range above {
		t.Run(name, func(t *testing.T) {
			// 1. The mark is gone, and the copy is about to be deleted.
			stale := copyOf("b", "a", "1")
			stale.u.SetUID("old")
			before := propagate.Decide(forest, observed(append(slices.Clone(objects), stale)...), api.AllowPropagate, key)
			if before.Verb == propagate.Delete {
				require.Equal(t, "old", string(before.Before.UID), "the deletion is of this copy and of no other")
			}
			// 2. A user was faster, and put an object there.
			for _, users := range []object{source("b", "1"), source("b", "2").annotated("none=true"), source("b", "1").label(api.LabelManagedByApps, api.Group)} {
				action := propagate.Decide(forest, observed(append(slices.Clone(objects), users)...), api.AllowPropagate, key)
				require.Equal(t, propagate.None, action.Verb)
				require.Nil(t, action.After)
			}
		})
	}
}

// TestActionTellsTheSource: the one that is copied, or was.
func TestActionTellsTheSource(t *testing.T) {
	tests := map[string]struct {
		layout  string
		objects []object
		want    string
	}{
		"a copy to create":                {"-a", []object{source("a", "1")}, "Create a"},
		"a copy to replace":               {"-a", []object{source("a", "1"), copyOf("b", "a", "2")}, "Replace a"},
		"a copy that changes its source":  {"-a", []object{source("a", "1"), copyOf("b", "q", "1")}, "Replace a"},
		"a copy whose source is excepted": {"-a", []object{source("a", "1").finalized(), copyOf("b", "a", "1")}, "Delete a"},
		"a copy whose source is gone":     {"-a", []object{copyOf("b", "a", "1")}, "Delete none"},
		"a copy of what is a copy itself": {"-a", []object{copyOf("a", "q", "1"), copyOf("b", "a", "1")}, "Delete none"},
		"nothing to do":                   {"-a", []object{source("a", "1"), copyOf("b", "a", "1")}, " none"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			action := propagate.Decide(foresttest.Create(tc.layout), observed(tc.objects...), api.Propagate, propagate.Key{Namespace: "b", Name: "s"})
			from := "none"
			if action.Source != nil {
				from = action.Source.Namespace
				require.False(t, action.Source.IsCopy())
			}
			require.Equal(t, tc.want, string(action.Verb)+" "+from)
		})
	}
}
