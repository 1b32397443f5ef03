// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"flag"
	"strings"

	"github.com/stretchr/testify/require"
)

// audit asks the API server's own log, at the end of a suite.
func (s *scene) audit() {
	s.Helper()
	s.Rest()
	report := s.Audited()
	require.Empty(s, report.Violations, report.String())
	s.Log(report.String())
	s.deletesAreJustified()
}

// deletesAreJustified: what Banyan deleted was a copy or a subnamespace, in the
// very version that it named. Of Secrets, ServiceAccounts and other people's types
// no bodies are logged.
func (s *scene) deletesAreJustified() {
	s.Helper()
	all := s.Deletions()
	require.Empty(s, all.Unwritten, "nobody wrote the version that was deleted")
	require.Subset(s, []string{"namespaces", "roles", "rolebindings", "configmaps", "networkpolicies"}, all.Just)
	if !strings.Contains(flag.Lookup("test.run").Value.String(), "/") { // all scenarios were played
		require.NotEmpty(s, all.Just, "nothing was deleted")
	}
	s.Logf("%d deleted, and justly so; %d not judged", len(all.Just), len(all.Unlogged))
}
