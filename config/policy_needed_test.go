// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
)

// savings are conditions that spare the API server work, and decide nothing.
var savings = map[string]bool{"has-our-annotations": true}

// testEachIsNeeded is the negative control of all attempts: if any one condition
// or validation lets everything pass, some attempt must get another answer. One
// of each policy is taken out at a time.
func testEachIsNeeded(t *testing.T, c *courtroom) {
	for round, more := 0, true; more; round++ {
		more = false
		whole := c.policies(t)
		blunted := map[string]string{}
		for name, policy := range whole {
			broken := policy.DeepCopy()
			what := blunt(broken, round)
			if what == "" {
				continue
			}
			more = true
			if savings[what] {
				continue
			}
			blunted[name] = what
			require.NoError(t, c.Update(t.Context(), broken))
		}
		for name, what := range blunted {
			require.True(t, eventually(func() bool { return len(c.allWrong(t, name)) > 0 }), "nobody misses %s of %s", what, name)
		}
		for name, policy := range c.policies(t) {
			if blunted[name] != "" {
				policy.Spec = whole[name].Spec
				require.NoError(t, c.Update(t.Context(), policy))
			}
		}
		require.True(t, c.settles(t), "whole again")
	}
}

// blunt lets one condition or validation of a policy be true always. It returns
// which, or nothing if there are not so many.
func blunt(policy *admissionregistrationv1.ValidatingAdmissionPolicy, index int) string {
	if conditions := policy.Spec.MatchConditions; index < len(conditions) {
		conditions[index].Expression = "true"
		return conditions[index].Name
	}
	index -= len(policy.Spec.MatchConditions)
	if validations := policy.Spec.Validations; index < len(validations) {
		validations[index].Expression = "true"
		return validations[index].Message
	}
	return ""
}
