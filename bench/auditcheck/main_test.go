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
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	path := write("audit.log", update)
	const span = `"from": "2026-01-02T03:04:05Z", "to": "2026-01-02T03:04:06Z"`
	marks := write("marks", `{"probes": [{`+span+`, "prefix": "p"}]}`)
	wrong := write("wrong", `{"probes": [{`+span+`}]}`)
	record := write("record", `{"type": "LOST"}`)

	tests := map[string]struct {
		args      []string
		wantRules []string
		wantLost  int
		wantErr   string
	}{
		"the defaults are those of an installation": {
			args: []string{path}, wantRules: []string{audit.RuleConditional, audit.RuleEvidence, audit.RuleEvidence},
		},
		"others can be checked":             {args: []string{"-service-account", "other", path}, wantRules: []string{audit.RuleEvidence}},
		"what must be judged can be chosen": {args: []string{"-require", "C8", path}, wantRules: []string{audit.RuleConditional}},
		"or nothing":                        {args: []string{"-require", "", path}, wantRules: []string{audit.RuleConditional}},
		"marks give more to judge": {
			args: []string{"-require", "C8", "-marks", marks, path}, wantRules: []string{audit.RuleConditional, audit.RuleFresh, audit.RuleEvidence},
		},
		"so does a record":           {args: []string{"-require", "C8", "-record", record, path}, wantRules: []string{audit.RuleConditional}, wantLost: 1},
		"a file is needed":           {wantErr: "got 0 files"},
		"a missing file is an error": {args: []string{path + ".not"}, wantErr: "opening the audit log"},
		"missing marks are, too":     {args: []string{"-marks", path + ".not", path}, wantErr: "opening the marks"},
		"marks must be possible":     {args: []string{"-marks", wrong, path}, wantErr: "probes[0].prefix"},
		"a missing record, too":      {args: []string{"-record", path + ".not", path}, wantErr: "opening the record"},
		"rules must exist":           {args: []string{"-require", "C99", path}, wantErr: `"C99" is no rule; name some of C1 owner, `},
		"shards must be possible":    {args: []string{"-shards", "0", path}, wantErr: "must be at least 1"},
		"a scope must be possible":   {args: []string{"-included-namespace-regex", "(", path}, wantErr: "included-namespace-regex"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			report, err := run(tc.args)
			if tc.wantErr != "" {
				require.ErrorContains(t, err, tc.wantErr)
				return
			}
			require.NoError(t, err)
			var rules []string
			for _, v := range report.Violations {
				rules = append(rules, v.Rule)
			}
			require.ElementsMatch(t, tc.wantRules, rules)
			require.Equal(t, tc.wantLost, report.Counts.Lost)
		})
	}
}
