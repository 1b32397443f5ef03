// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

// lookup knows a small API server; "metrics" cannot be reached.
func lookup(group, resource string) (propagate.Resource, error) {
	for _, r := range []propagate.Resource{
		{GVK: secrets, Plural: "secrets", Namespaced: true},
		{GVK: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, Plural: "configmaps", Namespaced: true},
		{GVK: schema.GroupVersionKind{Version: "v1", Kind: "Node"}, Plural: "nodes"},
		{GVK: schema.GroupVersionKind{Version: "v1", Kind: "Event"}, Plural: "events", Namespaced: true},
		{GVK: schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "Role"}, Plural: "roles", Namespaced: true},
	} {
		if (group == "" || group == r.GVK.Group) && (resource == r.Plural || resource == strings.ToLower(r.GVK.Kind)) {
			return r, nil
		}
	}
	if group == "metrics" {
		return propagate.Resource{}, errors.New("a group of the API cannot be reached")
	}
	return propagate.Resource{}, propagate.ErrNoResource
}

// types makes an HNCConfiguration of "resource.group=mode".
func types(texts ...string) *api.HNCConfiguration {
	c := &api.HNCConfiguration{ObjectMeta: metav1.ObjectMeta{Name: api.HNCConfigurationName}}
	for _, text := range texts {
		name, mode, _ := strings.Cut(text, "=")
		name, group, _ := strings.Cut(name, ".")
		c.Spec.Resources = append(c.Spec.Resources, api.ResourceSpec{Group: group, Resource: name, Mode: api.SynchronizationMode(mode)})
	}
	return c
}

func TestHNCConfiguration(t *testing.T) {
	finalized := func(c *api.HNCConfiguration) *api.HNCConfiguration { c.Finalizers = []string{"f"}; return c }
	called := func(name string) *api.HNCConfiguration { c := types("nosuch"); c.Name = name; return c }
	for name, tc := range map[string]struct {
		old, new *api.HNCConfiguration
		want     metav1.StatusReason
		fields   []string
		words    string
	}{
		"one of another name is created":        {new: called("other")},
		"it is created, and empty":              {new: types()},
		"a type":                                {new: types("secrets=Ignore")},
		"a mode that was left out":              {old: types("secrets=Propagate"), new: types("secrets")},
		"a type in its singular":                {new: types("secret=Ignore")},
		"a type that is not there":              {new: types("nosuch"), want: invalid, fields: []string{"spec.resources[0]"}, words: "no such resource"},
		"it was accepted once":                  {old: types("nosuch"), new: finalized(types("nosuch"))},
		"it was, and another entry comes":       {old: types("nosuch"), new: types("nosuch", "secrets=Ignore"), want: invalid, fields: []string{"spec.resources[0]"}},
		"it was, and goes":                      {old: types("nosuch"), new: types()},
		"a type of the cluster":                 {new: types("nodes"), want: invalid, fields: []string{"spec.resources[0]"}, words: "is not namespaced"},
		"an enforced type":                      {new: types("roles.rbac.authorization.k8s.io"), want: invalid, fields: []string{"spec.resources[0]"}, words: "enforced"},
		"in its own mode":                       {new: types("roles.rbac.authorization.k8s.io=Propagate"), want: invalid, fields: []string{"spec.resources[0]"}},
		"in its singular":                       {new: types("role.rbac.authorization.k8s.io"), want: invalid, fields: []string{"spec.resources[0]"}},
		"without its group":                     {new: types("roles"), want: invalid, fields: []string{"spec.resources[0]"}},
		"a type that nobody can want":           {new: types("events"), want: invalid, fields: []string{"spec.resources[0]"}, words: "no use"},
		"a type twice":                          {new: types("secrets=Ignore", "secrets=Ignore"), want: invalid, fields: []string{"spec.resources[1]"}, words: `Multiple sync mode settings found for "secrets"; all but one ("Ignore") will be ignored`},
		"in two modes":                          {new: types("secrets=Ignore", "secrets=Remove"), want: invalid, fields: []string{"spec.resources[1]"}},
		"in two spellings":                      {new: types("secret=Ignore", "secrets=Ignore"), want: invalid, fields: []string{"spec.resources[1]"}},
		"a group that cannot be reached":        {new: types("pods.metrics"), want: invalid, fields: []string{"spec.resources[0]"}, words: "cannot be reached"},
		"all faults, each beside its entry":     {new: types("nosuch", "secrets=Ignore", "nodes", "configmaps=Ignore", "secrets=Ignore", "nosuch"), want: invalid, fields: []string{"spec.resources[0]", "spec.resources[2]", "spec.resources[4]", "spec.resources[5]"}},
		"one name in a wrong group and a right": {new: types("secrets.example", "secrets=Ignore"), want: invalid, fields: []string{"spec.resources[0]"}},
		"a name that reads like a field":        {new: types("secrets=Ignore", "(spec.resources[0])"), want: invalid, fields: []string{"spec.resources[1]"}},
		"a status is never judged":              {old: types("nosuch"), new: types("nosuch")},
		"an object that is deleted is let go":   {old: finalized(types("nosuch")), new: types("nosuch")},
	} {
		t.Run(name, func(t *testing.T) {
			got := validate.HNCConfiguration(foresttest.Create("-a"), track(api.Propagate), tc.old, tc.new, lookup)
			requireVerdict(t, got, tc.want, tc.words)
			var fields []string
			for _, cause := range got.Causes {
				fields = append(fields, cause.Field)
			}
			require.Equal(t, tc.fields, fields)
			requireWarnings(t, got)
		})
	}
}

// TestModeConflicts: c hangs below b, b below a; d is a root of its own, as is the
// cycle of e and f.
func TestModeConflicts(t *testing.T) {
	const layout = "-ab-fe"
	for name, tc := range map[string]struct {
		mode     api.SynchronizationMode // as it was
		more     []hierarchy.Object
		asleep   bool
		there    []string
		new      string
		want     metav1.StatusReason
		words    []string
		warnings []string
	}{
		"one name in two trees":                   {mode: api.Remove, there: []string{"a:s", "d:s"}, new: "secrets"},
		"one name above and below":                {mode: api.Remove, there: []string{"a:s", "c:s"}, new: "secrets", want: conflict, words: []string{`Secret "s" in namespace "c", by that of "a"`}},
		"in all spellings":                        {mode: api.Remove, there: []string{"a:s", "c:s"}, new: "secret", want: conflict},
		"the upper one is excepted":               {mode: api.Remove, there: []string{"a:s none=true", "c:s"}, new: "secrets"},
		"the top is, and the middle is not":       {mode: api.Remove, there: []string{"a:s none=true", "b:s", "c:s"}, new: "secrets", want: conflict, words: []string{`by that of "b"`}},
		"by the labels of the destination":        {mode: api.Remove, more: objects(ns("c").Label("home", "v").Obj()), there: []string{"a:s select=home", "b:s", "c:s"}, new: "secrets", want: conflict, words: []string{`namespace "c", by that of "a"`}},
		"a copy is no conflict":                   {mode: api.Remove, there: []string{"a:s", "c:s from=a"}, new: "secrets"},
		"a cycle does not hang it":                {mode: api.Remove, there: []string{"e:s", "f:s"}, new: "secrets"},
		"the mode stays":                          {mode: api.Propagate, there: []string{"a:s", "c:s"}, new: "secrets"},
		"from AllowPropagate, one was in the way": {mode: api.AllowPropagate, there: []string{"a:s all=true", "c:s"}, new: "secrets", want: conflict},
		"to AllowPropagate, it will be":           {mode: api.Remove, there: []string{"a:s all=true", "c:s"}, new: "secrets=AllowPropagate", warnings: []string{`namespace "c" keeps its own Secret "s"`}},
		"to AllowPropagate, and nobody asks":      {mode: api.Remove, there: []string{"a:s", "c:s"}, new: "secrets=AllowPropagate"},
		"to Remove":                               {mode: api.Propagate, there: []string{"a:s", "c:s"}, new: "secrets=Remove"},
		"to Ignore":                               {mode: api.Propagate, there: []string{"a:s", "c:s"}, new: "secrets=Ignore"},
		"a type that was not read":                {new: "configmaps", warnings: []string{"ConfigMap"}},
		"one that is not read completely":         {mode: api.Propagate, asleep: true, new: "secrets", warnings: []string{"Secret"}},
		"not read, in a mode that loses nothing":  {new: "configmaps=AllowPropagate"},
	} {
		t.Run(name, func(t *testing.T) {
			tracked := track(tc.mode, tc.there...)
			tracked[0].Awake = !tc.asleep
			f := foresttest.CreateIn(scope(t), layout, tc.more...)
			got := validate.HNCConfiguration(f, tracked, types(), types(tc.new), lookup)
			requireVerdict(t, got, tc.want, tc.words...)
			requireWarnings(t, got, tc.warnings...)
		})
	}
}

func TestChangesTypes(t *testing.T) {
	require.True(t, validate.ChangesTypes(nil, types()))
	require.True(t, validate.ChangesTypes(types(), types("secrets")))
	require.False(t, validate.ChangesTypes(types("secrets"), types("secrets")))
}
