// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"testing"

	"github.com/banyan-hns/banyan/bench/system"
)

// fixture adds to three real replicas what the tests of this package share.
type fixture struct{ *system.System }

// start a system with a binary that was built with the given flags.
func start(t *testing.T, buildFlags ...string) *fixture {
	t.Helper()
	return &fixture{system.Start(t, system.Options{BuildFlags: buildFlags})}
}
