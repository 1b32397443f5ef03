// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConditional(t *testing.T) {
	versioned := map[string]any{"metadata": map[string]any{"resourceVersion": "7"}}
	bare := map[string]any{"metadata": map[string]any{}}
	options := func(preconditions map[string]any) any {
		return map[string]any{"kind": "DeleteOptions", "preconditions": preconditions}
	}
	tests := map[string]struct {
		verb, resource string
		body           any
		wantMissing    string // empty: it is conditional
	}{
		"a create":                     {verb: "create", body: bare},
		"an update with a version":     {verb: "update", body: versioned},
		"an update without":            {verb: "update", body: bare, wantMissing: "no resourceVersion"},
		"an update of a Lease, too":    {verb: "update", resource: "leases", body: bare, wantMissing: "no resourceVersion"},
		"a merge patch with a version": {verb: "patch", body: versioned},
		"a merge patch without":        {verb: "patch", body: bare, wantMissing: "no resourceVersion"},
		"a JSON patch that tests the version": {verb: "patch", body: []map[string]any{
			{"op": "test", "path": "/metadata/resourceVersion", "value": "7"}, {"op": "remove", "path": "/x"},
		}},
		"a JSON patch that sets it": {verb: "patch", body: []map[string]any{
			{"op": "replace", "path": "/metadata/resourceVersion", "value": "7"},
		}, wantMissing: "no resourceVersion"},
		"a delete with both":           {verb: "delete", body: options(map[string]any{"uid": "u", "resourceVersion": "7"})},
		"a delete with a UID only":     {verb: "delete", body: options(map[string]any{"uid": "u"}), wantMissing: "on the resourceVersion"},
		"a delete with a version only": {verb: "delete", body: options(map[string]any{"resourceVersion": "7"}), wantMissing: "on the UID"},
		"a delete without":             {verb: "delete", body: options(nil), wantMissing: "no preconditions"},
		"a delete without a body":      {verb: "delete", wantMissing: "no preconditions"},
		"an update without a body":     {verb: "update", wantMissing: "no resourceVersion"},
		"a delete of a collection":     {verb: "deletecollection", body: options(map[string]any{"uid": "u", "resourceVersion": "7"}), wantMissing: "collection"},
		"an Event":                     {verb: "patch", resource: "events", body: bare},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			groups := map[string]string{"leases": "coordination.k8s.io"}
			if tc.resource == "" {
				tc.resource = "configmaps"
			}
			e := made(tc.verb, groups[tc.resource], tc.resource, testSystem, "x").by(a).at(1, 2)
			if tc.body != nil {
				e.asked(tc.body)
			}
			report := checkEntries(t, []*entry{e})
			if tc.wantMissing == "" {
				require.Empty(t, report.Violations)
				return
			}
			require.Len(t, report.Violations, 1)
			require.Equal(t, RuleConditional, report.Violations[0].Rule)
			require.Contains(t, report.Violations[0].Explanation, tc.wantMissing)

			e.User.Username = "admin"
			require.Equal(t, []string{RuleEvidence + ": "}, said(checkEntries(t, []*entry{e})), "a user may do that")
		})
	}
}

func TestBodiesThatWereNotLoggedAreCounted(t *testing.T) {
	e := made("update", "", "secrets", testSystem, "x").by(a).at(1, 2)
	e.Level = "Metadata"
	report := checkEntries(t, []*entry{e})
	require.Empty(t, report.Violations)
	require.Equal(t, 1, report.Counts.Opaque)
}
