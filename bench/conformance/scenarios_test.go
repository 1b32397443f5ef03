// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sections and how many scenarios each has.
var sections = map[string]int{
	"13.1": 7, "13.2": 23, "13.3": 4, "13.4": 15, "13.5": 3, "13.6": 14, "13.7": 7, "13.8": 19, "13.9": 27, "13.10": 22,
}

const (
	denial = "is about what admission refuses"
	plugin = "is about the plugin"
	quotas = "is about hierarchical quotas, which are not enforced yet"
)

// leftOut are the scenarios that are not played here, each with the reason. A
// section stands for all of it.
var leftOut = map[string]string{
	"13.1.2": denial, "13.1.4": denial, "13.1.5": denial,
	"13.2.9": denial, "13.2.11": denial, "13.2.23": denial,
	"13.4.2": denial, "13.4.9": denial, "13.4.10": denial, "13.4.11": denial,
	"13.4.7":  quotas,
	"13.4.12": plugin, "13.4.13": plugin,
	"13.5": plugin,
	"13.6": quotas,
}

// TestEveryScenario has its place: it is played, or left out for a reason.
func TestEveryScenario(t *testing.T) {
	var want []string
	for section, count := range sections {
		for i := range count {
			want = append(want, fmt.Sprintf("%s.%d", section, i+1))
		}
	}
	parts := []scenarios{first, int_, uninstall, badAnchors, e2e}
	played := slices.Collect(maps.Keys(join(parts...)))
	count := 0
	for _, part := range parts {
		count += len(part)
		for number := range part {
			require.Contains(t, want, number)
			require.Empty(t, leftOut[number], "%s is played, and left out", number)
		}
	}
	require.Len(t, played, count, "two suites play the same")
	for _, number := range want {
		section := number[:strings.LastIndex(number, ".")]
		reason := leftOut[number] + leftOut[section]
		require.NotEqual(t, slices.Contains(played, number), reason != "", "scenario %s", number)
	}
}
