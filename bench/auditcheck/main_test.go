// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/bench/audit"
)

// update is a write of a replica that carries no resourceVersion, into its own
// namespace.
const update = `{"level":"RequestResponse","stage":"ResponseComplete","verb":"update",` +
	`"user":{"username":"system:serviceaccount:hnc-system:banyan"},"objectRef":{"resource":"configmaps","namespace":"hnc-system","name":"x"},` +
	`"responseStatus":{"code":200},"requestObject":{"metadata":{}}}` + "\n"

func TestRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	require.NoError(t, os.WriteFile(path, []byte(update), 0o600))

	tests := map[string]struct {
		args     []string
		wantRule string
		wantErr  string
	}{
		"the defaults are those of an installation": {args: []string{path}, wantRule: audit.RuleConditional},
		"others can be checked":                     {args: []string{"-service-account", "other", path}, wantRule: audit.RuleEvidence},
		"a file is needed":                          {wantErr: "got 0 files"},
		"a missing file is an error":                {args: []string{path + ".not"}, wantErr: "opening the audit log"},
		"shards must be possible":                   {args: []string{"-shards", "0", path}, wantErr: "must be at least 1"},
		"a scope must be possible":                  {args: []string{"-included-namespace-regex", "(", path}, wantErr: "included-namespace-regex"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			report, err := run(tc.args)
			if tc.wantErr != "" {
				require.ErrorContains(t, err, tc.wantErr)
				return
			}
			require.NoError(t, err)
			require.Len(t, report.Violations, 1)
			require.Equal(t, tc.wantRule, report.Violations[0].Rule)
		})
	}
}
