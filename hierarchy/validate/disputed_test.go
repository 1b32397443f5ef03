// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate_test

import (
	"testing"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

// TestDisputed: a is above b, which is above c and d.
func TestDisputed(t *testing.T) {
	for name, tc := range map[string]struct {
		more []hierarchy.Object
		set  *foresttest.Configuration
		want []string
	}{
		"nobody else sets it":                  {set: config("b").Parent("a").Label("env", "v")},
		"an ancestor sets another value":       {more: objects(config("a").Label("env", "w").Obj()), set: config("b").Parent("a").Label("env", "v"), want: []string{`"env" is "v" here in vain: the ancestor "a" sets "w"`}},
		"an ancestor sets the same":            {more: objects(config("a").Label("env", "v").Obj()), set: config("b").Parent("a").Label("env", "v")},
		"of two ancestors, the farthest wins":  {more: objects(config("a").Label("env", "w").Obj(), config("b").Parent("a").Label("env", "v").Obj()), set: config("c").Parent("b").Label("env", "v"), want: []string{`the ancestor "a" sets "w"`}},
		"a descendant sets another value":      {more: objects(config("c").Parent("b").Label("env", "w").Obj()), set: config("a").Label("env", "v"), want: []string{`"env" overrules other values in descendants: c`}},
		"a descendant sets the same":           {more: objects(config("c").Parent("b").Label("env", "v").Obj()), set: config("a").Label("env", "v")},
		"it was so already":                    {more: objects(config("b").Parent("a").Label("env", "v").Obj(), config("c").Parent("b").Label("env", "w").Obj()), set: config("b").Parent("a").Label("env", "v")},
		"an ancestor rules already":            {more: objects(config("a").Label("env", "v").Obj(), config("c").Parent("b").Label("env", "w").Obj()), set: config("b").Parent("a").Label("env", "v")},
		"the new parent sets another value":    {more: objects(ns("x").Obj(), config("a").Label("env", "v").Obj(), config("b").Parent("a").Label("env", "v").Obj()), set: config("b").Label("env", "v")},
		"an annotation":                        {more: objects(config("a").Annotation("env", "w").Obj()), set: config("b").Parent("a").Annotation("env", "v"), want: []string{`annotation "env" is "v" here in vain`}},
		"a label, where an annotation differs": {more: objects(config("a").Annotation("env", "w").Obj()), set: config("b").Parent("a").Label("env", "v")},
	} {
		t.Run(name, func(t *testing.T) {
			f := foresttest.CreateIn(scope(t), "-abb", tc.more...)
			got := validate.Configuration(f, tc.set.Obj())
			requireVerdict(t, got, ok)
			requireWarnings(t, got, tc.want...)
		})
	}
}
