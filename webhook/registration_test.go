// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/config"
	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	"github.com/banyan-hns/banyan/webhook"
)

func active(group, plural string) propagate.Active {
	a := propagate.Active{Plural: plural}
	a.GVK = schema.GroupVersionKind{Group: group, Version: "v1", Kind: plural}
	return a
}

var copied = []propagate.Active{
	active("rbac.authorization.k8s.io", "roles"), active("", "secrets"), active("rbac.authorization.k8s.io", "rolebindings"),
}

func shaped(t *testing.T, rules webhook.ObjectRules, types []propagate.Active) *admissionregistrationv1.ValidatingWebhookConfiguration {
	t.Helper()
	o := rules.New()
	require.True(t, rules.Shape(o, types))
	return o.(*admissionregistrationv1.ValidatingWebhookConfiguration)
}

func yes() bool { return true }

func hook(t *testing.T, c *admissionregistrationv1.ValidatingWebhookConfiguration, name string) admissionregistrationv1.ValidatingWebhook {
	t.Helper()
	for _, w := range c.Webhooks {
		if w.Name == name {
			return w
		}
	}
	require.Fail(t, "no webhook "+name)
	return admissionregistrationv1.ValidatingWebhook{}
}

func bundle(text string) func() []byte { return func() []byte { return []byte(text) } }

// TestObjectRulesNameTheTypes: the API server asks about these, and no others.
func TestObjectRulesNameTheTypes(t *testing.T) {
	rules := webhook.ObjectRules{Namespace: "ours", Self: "us", Bundle: bundle("CA"), Reached: yes}
	hook := hook(t, shaped(t, rules, copied), "objects.hnc.x-k8s.io")
	got := map[string][]string{}
	for _, rule := range hook.Rules {
		require.Equal(t, []string{"*"}, rule.APIVersions)
		require.Equal(t, admissionregistrationv1.NamespacedScope, *rule.Scope)
		require.NotContains(t, rule.Operations, admissionregistrationv1.Delete)
		got[rule.APIGroups[0]] = rule.Resources
	}
	require.Equal(t, map[string][]string{"": {"secrets"}, "rbac.authorization.k8s.io": {"rolebindings", "roles"}}, got)
	require.Equal(t, "ours", hook.ClientConfig.Service.Namespace)
	require.EqualValues(t, "CA", hook.ClientConfig.CABundle)
	require.EqualValues(t, 2, *hook.TimeoutSeconds)

	again := []propagate.Active{copied[2], copied[1], copied[0]}
	require.Equal(t, hook.Rules, shaped(t, rules, again).Webhooks[1].Rules, "the order of the types makes no difference")
}

// TestObjectRulesWaitForTheBundle: a webhook that cannot be trusted would refuse
// whatever it is asked.
func TestObjectRulesWaitForTheBundle(t *testing.T) {
	rules := webhook.ObjectRules{Bundle: bundle("CA"), Reached: yes}
	is := shaped(t, rules, copied)
	before := is.DeepCopy()
	rules.Bundle = func() []byte { return nil }
	require.False(t, rules.Shape(is, copied[:1]))
	require.Equal(t, before, is)
}

// TestObjectRulesAreArmedLate: nothing of a user depends on a webhook before the
// API server was seen to reach it. Once armed, they stay so.
func TestObjectRulesAreArmedLate(t *testing.T) {
	reached := false
	rules := webhook.ObjectRules{Bundle: bundle("CA"), Reached: func() bool { return reached }}
	c := shaped(t, rules, copied)
	require.Len(t, c.Webhooks, 1)
	require.Equal(t, "selfcheck.hnc.x-k8s.io", c.Webhooks[0].Name)

	reached = true
	require.True(t, rules.Shape(c, copied))
	require.Len(t, c.Webhooks, 2)

	reached = false
	require.True(t, rules.Shape(c, copied[:1]))
	require.Len(t, hook(t, c, "objects.hnc.x-k8s.io").Rules, 1)
}

// TestObjectRulesByURL: outside of a cluster there is no Service.
func TestObjectRulesByURL(t *testing.T) {
	hook := hook(t, shaped(t, webhook.ObjectRules{URL: "https://127.0.0.1:1", Bundle: bundle("CA"), Reached: yes}, copied), "objects.hnc.x-k8s.io")
	require.Nil(t, hook.ClientConfig.Service)
	require.Equal(t, "https://127.0.0.1:1"+webhook.PathObject, *hook.ClientConfig.URL)
}

// TestObjectRulesGoAlong: what they go along with is in the manifests, and they are not.
func TestObjectRulesGoAlong(t *testing.T) {
	objects, err := config.Objects()
	require.NoError(t, err)
	shipped := map[string]bool{}
	for _, object := range objects {
		shipped[object.GetAPIVersion()+" "+object.GetKind()+" "+object.GetName()] = true
	}
	owner := webhook.ObjectRules{}.Owner()
	require.True(t, shipped[owner.APIVersion+" "+owner.Kind+" "+owner.Name], "%+v", owner)
	require.False(t, shipped[owner.APIVersion+" "+owner.Kind+" "+webhook.ObjectsConfiguration])
}

func TestFacts(t *testing.T) {
	for name, tc := range map[string]struct {
		scope                      hierarchy.ScopeOptions
		wantExcluded, wantIncluded string
	}{
		"everything is managed": {wantIncluded: "^.*$"},
		"some of it": {
			scope:        hierarchy.ScopeOptions{ExcludedNamespaces: []string{"kube-system", "hnc-system"}, IncludedNamespaceRegex: "a|b"},
			wantExcluded: "hnc-system,kube-system", wantIncluded: "^(?:a|b)$",
		},
	} {
		t.Run(name, func(t *testing.T) {
			scope, err := hierarchy.NewScope(tc.scope)
			require.NoError(t, err)
			facts := webhook.Facts{Namespace: "ours", Scope: scope}
			o := facts.New().(*corev1.ConfigMap)
			o.Data = map[string]string{"old": "content"}
			require.True(t, facts.Shape(o, copied))
			require.Equal(t, map[string]string{
				"types":    "rolebindings.rbac.authorization.k8s.io,roles.rbac.authorization.k8s.io,secrets.",
				"excluded": tc.wantExcluded, "included": tc.wantIncluded,
			}, o.Data)
		})
	}
}
