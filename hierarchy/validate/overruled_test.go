// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate_test

import (
	"testing"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

func TestOverruled(t *testing.T) {
	managed := func(name string) *foresttest.Namespace { return ns(name).Label(included, "true") }
	for name, tc := range map[string]struct {
		more     []hierarchy.Object
		old, new *foresttest.Namespace
		want     []string
	}{
		"a label that is not managed":           {old: managed("b"), new: managed("b").Label("home", "v")},
		"one that is":                           {old: managed("b"), new: managed("b").Label("env", "v"), want: []string{`label "env" is managed and will be removed again`}},
		"on a new namespace":                    {new: managed("new").Label("env", "v"), want: []string{"removed again"}},
		"that was there before":                 {old: managed("b").Label("env", "v"), new: managed("b").Label("env", "v").Label("home", "v")},
		"that is asked for":                     {more: objects(config("b").Parent("a").Label("env", "v").Obj()), old: managed("b"), new: managed("b").Label("env", "v")},
		"with another value":                    {more: objects(config("b").Parent("a").Label("env", "v").Obj()), old: managed("b"), new: managed("b").Label("env", "w"), want: []string{`will be set to "v"`}},
		"that an ancestor sets":                 {more: objects(config("a").Label("env", "v").Obj()), old: managed("b"), new: managed("b").Label("env", "w"), want: []string{`will be set to "v"`}},
		"that the parent of a new one will set": {more: objects(config("a").Label("env", "v").Obj()), new: managed("new").SubnamespaceOf("a").Label("env", "v")},
		"in the care of another system":         {new: managed("new").External().Label("env", "v")},
		"in a namespace that is not managed":    {old: ns("x"), new: ns("x").Label("env", "v")},
		"while it is going away":                {old: managed("b").Terminating(), new: managed("b").Terminating().Label("env", "v")},
		"a managed annotation":                  {old: managed("b"), new: managed("b").Annotation("env", "v"), want: []string{`annotation "env" is managed and will be removed again; set it in spec.annotations`}},
		"both":                                  {old: managed("b"), new: managed("b").Label("env", "v").Annotation("env", "v"), want: []string{"label", "annotation"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := foresttest.CreateIn(scope(t), "-a", tc.more...)
			var got validate.Verdict
			if tc.old == nil {
				got = validate.CreateNamespace(f, tc.new.Obj())
			} else {
				f.SetNamespace(tc.old.Obj())
				got = validate.UpdateNamespace(f, tc.old.Obj(), tc.new.Obj())
			}
			requireVerdict(t, got, ok)
			requireWarnings(t, got, tc.want...)
		})
	}
}

func TestUnheard(t *testing.T) {
	for name, tc := range map[string]struct {
		labels []string
		asked  []string
		want   []string
	}{
		"no labels":                   {},
		"a label":                     {labels: []string{"team"}, want: []string{"(team)"}},
		"two":                         {labels: []string{"team", "env"}, want: []string{"(env, team)"}},
		"one that is listed":          {labels: []string{"env"}, asked: []string{"env"}},
		"those that tools set":        {labels: []string{"app.kubernetes.io/instance", "app.kubernetes.io/managed-by", "helm.sh/chart", "kustomize.toolkit.fluxcd.io/name"}},
		"one of ours":                 {labels: []string{"hnc.x-k8s.io/x"}},
		"one of a tool, one of users": {labels: []string{"helm.sh/chart", "team"}, want: []string{"(team)"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := anchor("a", "new")
			for _, key := range tc.asked {
				a.Label(key, "v")
			}
			o := a.Obj()
			o.Labels = map[string]string{}
			for _, key := range tc.labels {
				o.Labels[key] = "v"
			}
			got := validate.CreateAnchor(foresttest.CreateIn(scope(t), "-"), o)
			requireVerdict(t, got, ok)
			requireWarnings(t, got, tc.want...)
		})
	}
}
