// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestReadMarks(t *testing.T) {
	const span = `"from": "2026-01-02T03:04:05Z", "to": "2026-01-02T03:04:06Z"`
	tests := map[string]struct {
		json    string
		wantErr string
	}{
		"all sorts": {json: `{"outages": [{` + span + `}], "down": [{` + span + `}],
			"scenarios": [{"name": "x", ` + span + `, "before": ["a"], "after": ["b"], "restarted": ["a"]}],
			"steady": [{` + span + `, "members": 3, "renew": 2}],
			"probes": [{` + span + `, "prefix": "p", "copies": 2, "limit": 0.5}],
			"limits": {"takeover": 11}}`},
		"revisions will do":        {json: `{"scenarios": [{"fromRevision": 1, "toRevision": 2, "before": ["a"], "after": ["b"]}]}`},
		"a name that is no field":  {json: `{"scenario": []}`, wantErr: `unknown field "scenario"`},
		"a span without an end":    {json: `{"outages": [{"from": "2026-01-02T03:04:05Z"}]}`, wantErr: "outages[0]: ends at"},
		"down without an end":      {json: `{"down": [{"from": "2026-01-02T03:04:05Z"}]}`, wantErr: "down[0]: ends at"},
		"a scenario of nobody":     {json: `{"scenarios": [{` + span + `}]}`, wantErr: "scenarios[0]: has no members"},
		"a steady time of nobody":  {json: `{"steady": [{` + span + `, "renew": 2}]}`, wantErr: "members (is 0)"},
		"a steady time needs one":  {json: `{"steady": [{"fromRevision": 1, "toRevision": 2, "members": 3, "renew": 2}]}`, wantErr: "steady[0]: needs times"},
		"a probe of everything":    {json: `{"probes": [{` + span + `}]}`, wantErr: "probes[0].prefix"},
		"what is no JSON is wrong": {json: `x`, wantErr: "reading marks"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			marks, err := ReadMarks(strings.NewReader(tc.json))
			if tc.wantErr != "" {
				require.ErrorContains(t, err, tc.wantErr)
				return
			}
			require.NoError(t, err)
			for _, s := range marks.Scenarios {
				require.Equal(t, []string{"a"}, s.Before)
			}
			for _, s := range marks.Steady {
				require.Equal(t, time.Second, s.Duration())
			}
		})
	}
}
