// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shard_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestImports keeps the protocol pure: data and arithmetic only. It must not
// know what a hierarchy is, or that there are such things as clients.
func TestImports(t *testing.T) {
	allowed := map[string]bool{
		"github.com/banyan-hns/banyan/shard": true,
		"github.com/buraksezer/consistent":   true,
		"github.com/cespare/xxhash/v2":       true,
	}
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	require.NoError(t, err)
	deps := strings.Fields(string(out))
	require.Contains(t, deps, "github.com/banyan-hns/banyan/shard")
	for _, dep := range deps {
		require.Truef(t, allowed[dep], "package shard must not depend on %s", dep)
	}
	direct, err := exec.Command("go", "list", "-f", "{{range .Imports}}{{.}} {{end}}", ".").Output()
	require.NoError(t, err)
	for _, forbidden := range []string{"net", "os", "context", "sync", "log"} {
		require.NotContainsf(t, strings.Fields(string(direct)), forbidden, "package shard does no I/O and starts nothing")
	}
}
