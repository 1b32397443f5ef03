// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/hierarchy/foresttest"
)

func TestOverridden(t *testing.T) {
	tests := map[string]struct {
		layout string
		more   objects
		of     string
		want   string // reason, empty if none
		words  string
	}{
		"an ancestor sets another value": {
			layout: "-ab", more: objects{config("a").Label("env", "prod").Obj(), config("c").Parent("b").Label("env", "dev").Obj()}, of: "c",
			want: "OverriddenManagedLabel", words: `"env" is "dev" here in vain: the ancestor "a" sets "prod"`,
		},
		"the farthest counts, not those between": {
			layout: "-ab", more: objects{
				config("a").Label("env", "prod").Obj(), config("b").Parent("a").Label("env", "test").Obj(), config("c").Parent("b").Label("env", "dev").Obj(),
			}, of: "c", want: "OverriddenManagedLabel", words: `"a" sets "prod"`,
		},
		"the same value is nobody's concern": {
			layout: "-a", more: objects{config("a").Label("env", "dev").Obj(), config("b").Parent("a").Label("env", "dev").Obj()}, of: "b",
		},
		"even if it differs between": {
			layout: "-ab", more: objects{
				config("a").Label("env", "dev").Obj(), config("b").Parent("a").Label("env", "test").Obj(), config("c").Parent("b").Label("env", "dev").Obj(),
			}, of: "c",
		},
		"what is asked for below is not": {
			layout: "-a", more: objects{config("a").Label("env", "prod").Obj(), config("b").Parent("a").Label("env", "dev").Obj()}, of: "a",
		},
		"the last pair of a key is what is asked for": {
			layout: "-a", more: objects{config("a").Label("env", "prod").Obj(), config("b").Parent("a").Label("env", "dev").Label("env", "prod").Obj()}, of: "b",
		},
		"an anchor asks": {
			layout: "-", more: objects{config("a").Label("env", "prod").Obj(), ns("b").SubnamespaceOf("a").Obj(), anchor("a", "b").Label("env", "dev").Obj()}, of: "b",
			want: "OverriddenManagedLabel", words: `"dev"`,
		},
		"an external ancestor has it on itself": {
			layout: "-a", more: objects{ns("a").External().Label("env", "prod").Obj(), config("b").Parent("a").Label("env", "dev").Obj()}, of: "b",
			want: "OverriddenManagedLabel", words: `"prod"`,
		},
		"an annotation": {
			layout: "-a", more: objects{config("a").Annotation("note", "x").Obj(), config("b").Parent("a").Annotation("note", "y").Obj()}, of: "b",
			want: "OverriddenManagedAnnotation", words: `annotation "note" is "y" here in vain: the ancestor "a" sets "x"; the farthest`,
		},
		"an annotation outweighs a label": {
			layout: "-a", more: objects{
				config("a").Label("env", "prod").Annotation("note", "x").Obj(), config("b").Parent("a").Label("env", "dev").Annotation("note", "y").Obj(),
			}, of: "b", want: "OverriddenManagedAnnotation",
		},
		"anything else outweighs both": {
			layout: "-a", more: objects{
				config("a").Label("env", "prod").Annotation("note", "x").Obj(), config("b").Parent("a").Label("bad", "1").Label("env", "dev").Annotation("note", "y").Obj(),
			}, of: "b", want: "IllegalManagedLabel",
		},
		"also a missing anchor": {
			layout: "-", more: objects{config("a").Label("env", "prod").Obj(), ns("b").SubnamespaceOf("a").Obj(), config("b").Label("env", "dev").Obj()}, of: "b",
			want: "SubnamespaceAnchorMissing",
		},
		"an illegal pair is not overridden": {
			layout: "-a", more: objects{config("a").Label("env", "prod").Obj(), config("b").Parent("a").Label("env", "-bad-").Obj()}, of: "b", want: "IllegalManagedLabel",
		},
		"nothing overrides what nobody may set": {
			layout: "-a", more: objects{config("a").Label("bad", "1").Obj(), config("b").Parent("a").Label("bad", "2").Obj()}, of: "b", want: "IllegalManagedLabel",
		},
		"what is above a halted namespace does not count": {
			layout: "z", more: objects{config("z").Label("env", "prod").Obj(), config("a").Parent("z").Label("env", "dev").Obj()}, of: "a", want: "ParentMissing",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := foresttest.CreateIn(decideScope(t), tc.layout, tc.more...)
			conditions := configurationAfter(t, f, foresttest.Time, tc.of).Status.Conditions
			if tc.want == "" {
				require.Empty(t, conditions)
				return
			}
			require.Len(t, conditions, 1)
			require.Equal(t, tc.want, conditions[0].Reason)
			require.Contains(t, conditions[0].Message, tc.words)
		})
	}
}

// TestOverriddenComesAndGoes: what an ancestor does is told to those below.
func TestOverriddenComesAndGoes(t *testing.T) {
	f := foresttest.CreateIn(decideScope(t), "-ab", config("c").Parent("b").Label("env", "dev").Obj())
	settle(f, "a", "b", "c")

	change := f.SetConfiguration(config("a").Children("b").Label("env", "prod").Obj())
	require.Subset(t, change.Decide, []string{"a", "b", "c"})
	require.Equal(t, []string{"OverriddenManagedLabel"}, reasons(configurationAfter(t, f, foresttest.Time, "c")))
	settle(f, "a", "b", "c")

	change = f.SetConfiguration(config("a").Children("b").Label("env", "dev").Obj())
	require.Contains(t, change.Decide, "c")
	require.Empty(t, configurationAfter(t, f, foresttest.Time, "c").Status.Conditions)
}
