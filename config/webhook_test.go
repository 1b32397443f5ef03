// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package config_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/utils/ptr"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// hooks returns all webhooks; a mutating one is described as a validating one,
// since what is compared here is common to both.
func hooks(t *testing.T) []admissionregistrationv1.ValidatingWebhook {
	t.Helper()
	var all []admissionregistrationv1.ValidatingWebhook
	for _, hook := range find[admissionregistrationv1.MutatingWebhookConfiguration](t, "MutatingWebhookConfiguration", "hnc-mutating-webhook-configuration").Webhooks {
		all = append(all, admissionregistrationv1.ValidatingWebhook{
			Name: hook.Name, ClientConfig: hook.ClientConfig, Rules: hook.Rules, FailurePolicy: hook.FailurePolicy,
			SideEffects: hook.SideEffects, TimeoutSeconds: hook.TimeoutSeconds, MatchConditions: hook.MatchConditions,
			AdmissionReviewVersions: hook.AdmissionReviewVersions,
		})
	}
	return append(all, find[admissionregistrationv1.ValidatingWebhookConfiguration](t, "ValidatingWebhookConfiguration", "hnc-validating-webhook-configuration").Webhooks...)
}

func condition(t *testing.T, hook admissionregistrationv1.ValidatingWebhook, name string) string {
	t.Helper()
	for _, c := range hook.MatchConditions {
		if c.Name == name {
			return c.Expression
		}
	}
	require.Failf(t, "no such condition", "%s of %s", name, hook.Name)
	return ""
}

// TestWebhooks pins names, paths, operations and failure policies, and the bounds
// that are ours. HNC has fewer webhooks, and asks them more.
func TestWebhooks(t *testing.T) {
	type pinned struct{ path, operations, failurePolicy string }
	got := map[string]pinned{}
	for _, hook := range hooks(t) {
		require.Len(t, hook.Rules, 1, hook.Name)
		operations := ""
		for _, op := range hook.Rules[0].Operations {
			operations += string(op) + " "
		}
		got[hook.Name] = pinned{*hook.ClientConfig.Service.Path, operations, string(*hook.FailurePolicy)}

		require.Equal(t, "hnc-webhook-service", hook.ClientConfig.Service.Name, hook.Name)
		require.Equal(t, "hnc-system", hook.ClientConfig.Service.Namespace, hook.Name)
		require.EqualValues(t, 443, *hook.ClientConfig.Service.Port, hook.Name)
		require.Empty(t, hook.ClientConfig.CABundle, hook.Name)
		require.EqualValues(t, 2, *hook.TimeoutSeconds, hook.Name)
		effects := admissionregistrationv1.SideEffectClassNone
		if hook.Name == "hierarchyconfigurations.hnc.x-k8s.io" {
			effects = admissionregistrationv1.SideEffectClassNoneOnDryRun
		}
		require.Equal(t, effects, *hook.SideEffects, hook.Name)
		require.Equal(t, []string{"v1"}, hook.AdmissionReviewVersions, hook.Name)
	}
	require.Equal(t, map[string]pinned{
		"namespacelabel.hnc.x-k8s.io":              {"/mutate-namespace", "CREATE UPDATE ", "Ignore"},
		"subnamespaceanchorfinalizer.hnc.x-k8s.io": {"/mutate-hnc-x-k8s-io-v1alpha2-subnamespaceanchors", "CREATE ", "Ignore"},
		"hierarchyconfigurationstamp.hnc.x-k8s.io": {"/mutate-hnc-x-k8s-io-v1alpha2-hierarchyconfigurations", "CREATE UPDATE ", "Ignore"},
		"namespaces.hnc.x-k8s.io":                  {"/validate-v1-namespace", "UPDATE DELETE ", "Fail"},
		"newnamespaces.hnc.x-k8s.io":               {"/validate-v1-namespace", "CREATE ", "Ignore"},
		"hierarchyconfigurations.hnc.x-k8s.io":     {"/validate-hnc-x-k8s-io-v1alpha2-hierarchyconfigurations", "CREATE UPDATE ", "Fail"},
		"subnamespaceanchors.hnc.x-k8s.io":         {"/validate-hnc-x-k8s-io-v1alpha2-subnamespaceanchors", "CREATE UPDATE DELETE ", "Fail"},
		"hncconfigurations.hnc.x-k8s.io":           {"/validate-hnc-x-k8s-io-v1alpha2-hncconfigurations", "CREATE UPDATE ", "Fail"},
	}, got)
}

const (
	alice  = "alice"
	banyan = "system:serviceaccount:hnc-system:banyan"
)

// ns makes a namespace with the given labels; annotate adds annotations to it.
func ns(name string, labels ...string) *corev1.Namespace {
	return &corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: pairs(labels)},
	}
}

func annotate(n *corev1.Namespace, annotations ...string) *corev1.Namespace {
	n.Annotations = pairs(annotations)
	return n
}

// ending is a namespace that is being deleted.
func ending(n *corev1.Namespace) *corev1.Namespace {
	n.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	return n
}

func pairs(keysAndValues []string) map[string]string {
	if len(keysAndValues) == 0 {
		return nil
	}
	m := map[string]string{}
	for i := 0; i < len(keysAndValues); i += 2 {
		m[keysAndValues[i]] = keysAndValues[i+1]
	}
	return m
}

func hierarchy(parent string, finalizers ...string) *api.HierarchyConfiguration {
	return &api.HierarchyConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: api.GroupVersion.String(), Kind: "HierarchyConfiguration"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop-dev", Name: "hierarchy", Finalizers: finalizers},
		Spec:       api.HierarchyConfigurationSpec{Parent: parent},
	}
}

func stamp(c *api.HierarchyConfiguration) *api.HierarchyConfiguration {
	c.Annotations = map[string]string{api.AnnotationPreviousKey: "x"}
	return c
}

func ownKey(c *api.HierarchyConfiguration) *api.HierarchyConfiguration {
	c.Annotations = map[string]string{api.AnnotationOwnKey: api.OwnKey}
	return c
}

func anchor(state api.AnchorState, labels ...api.MetaKVP) *api.SubnamespaceAnchor {
	return &api.SubnamespaceAnchor{
		TypeMeta:   metav1.TypeMeta{APIVersion: api.GroupVersion.String(), Kind: "SubnamespaceAnchor"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "shop-dev"},
		Spec:       api.SubnamespaceAnchorSpec{Labels: labels},
		Status:     api.SubnamespaceAnchorStatus{State: state},
	}
}

func configuration(resources ...string) *api.HNCConfiguration {
	c := &api.HNCConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: api.GroupVersion.String(), Kind: "HNCConfiguration"},
		ObjectMeta: metav1.ObjectMeta{Name: "config"},
	}
	for _, resource := range resources {
		c.Spec.Resources = append(c.Spec.Resources, api.ResourceSpec{Resource: resource})
	}
	return c
}

func reported(c *api.HNCConfiguration) *api.HNCConfiguration {
	c.Status.Conditions = []metav1.Condition{{Type: api.ConditionBadConfiguration}}
	return c
}

// TestMatchConditions asks the API server's own evaluator which requests leave
// the API server at all.
func TestMatchConditions(t *testing.T) {
	const (
		included = api.LabelIncludedNamespace
		depth    = "shop" + api.LabelTreeDepthSuffix
		mutator  = "namespacelabel.hnc.x-k8s.io"
		nsHook   = "namespaces.hnc.x-k8s.io"
		newHook  = "newnamespaces.hnc.x-k8s.io"
		stamper  = "hierarchyconfigurationstamp.hnc.x-k8s.io"
		hcHook   = "hierarchyconfigurations.hnc.x-k8s.io"
		subHook  = "subnamespaceanchors.hnc.x-k8s.io"
		hncHook  = "hncconfigurations.hnc.x-k8s.io"
	)
	unnamed := ns("")
	unnamed.GenerateName = "shop-"
	generated := ns("", included, "true", "kubernetes.io/metadata.name", "kube-system")
	generated.GenerateName = "shop-"

	for name, tc := range map[string]struct {
		hook     string
		user     string
		old, new runtime.Object
		want     bool
	}{
		"a new namespace without a label is labelled":                   {hook: mutator, new: ns("shop"), want: true},
		"a new namespace with other labels is labelled":                 {hook: mutator, new: ns("shop", "team", "a"), want: true},
		"a new namespace of a generated name is labelled":               {hook: mutator, new: unnamed, want: true},
		"a restored namespace with tree labels is corrected":            {hook: mutator, new: ns("shop", included, "true", depth, "0"), want: true},
		"a new namespace that has the label is left alone":              {hook: mutator, new: ns("shop", included, "true")},
		"a wrong value of the label is left alone":                      {hook: mutator, new: ns("shop", included, "maybe")},
		"an excluded namespace is not labelled":                         {hook: mutator, new: ns("kube-system")},
		"the install namespace is not labelled":                         {hook: mutator, new: ns("hnc-system")},
		"Banyan's own namespaces are not labelled":                      {hook: mutator, user: banyan, new: ns("shop")},
		"an update that drops the label is labelled":                    {hook: mutator, old: ns("shop", included, "true"), new: ns("shop"), want: true},
		"an update of a labelled namespace with tree labels stays away": {hook: mutator, old: ns("shop", included, "true", depth, "0"), new: ns("shop", included, "true", depth, "0", "team", "a")},

		"a new namespace is judged":                           {hook: newHook, new: ns("shop", included, "true"), want: true},
		"a new namespace without labels is judged":            {hook: newHook, new: ns("shop"), want: true},
		"a forged name label with a generated name is judged": {hook: newHook, new: generated, want: true},
		"a new excluded namespace is not judged":              {hook: newHook, new: ns("kube-node-lease")},
		"Banyan's own namespace is not judged":                {hook: newHook, user: banyan, new: ns("shop")},
		"another ServiceAccount of hnc-system is judged":      {hook: newHook, user: "system:serviceaccount:hnc-system:default", new: ns("shop"), want: true},
		"an update of a user's label is not judged":           {hook: nsHook, old: ns("shop", included, "true", "team", "a"), new: ns("shop", included, "true", "team", "b")},
		"an update of a user's annotation is not judged":      {hook: nsHook, old: annotate(ns("shop"), "team", "a"), new: annotate(ns("shop"), "team", "b", "more", "c")},
		"labels of ours are for policies":                     {hook: nsHook, old: ns("shop", included, "true"), new: ns("shop", included, "false", depth, "1")},
		"a first managed-by annotation is judged":             {hook: nsHook, old: ns("shop"), new: annotate(ns("shop"), api.AnnotationManagedBy, "x"), want: true},
		"another one is judged":                               {hook: nsHook, old: annotate(ns("shop"), api.AnnotationManagedBy, "x"), new: annotate(ns("shop"), api.AnnotationManagedBy, "y"), want: true},
		"one that stays is not judged":                        {hook: nsHook, old: annotate(ns("shop"), api.AnnotationManagedBy, "x"), new: annotate(ns("shop", "team", "a"), api.AnnotationManagedBy, "x")},
		"one that is removed is not judged":                   {hook: nsHook, old: annotate(ns("shop"), api.AnnotationManagedBy, "x"), new: ns("shop")},
		"one that is emptied is not judged":                   {hook: nsHook, old: annotate(ns("shop"), api.AnnotationManagedBy, "x"), new: annotate(ns("shop"), api.AnnotationManagedBy, "")},
		"one of Banyan's own making is not judged":            {hook: nsHook, user: banyan, old: ns("shop"), new: annotate(ns("shop"), api.AnnotationManagedBy, "x")},
		"one on an excluded namespace is not judged":          {hook: nsHook, old: ns("kube-public"), new: annotate(ns("kube-public"), api.AnnotationManagedBy, "x")},
		"the deletion of a managed namespace is judged":       {hook: nsHook, old: ns("shop", included, "true"), want: true},
		"the deletion of a subnamespace is judged":            {hook: nsHook, old: annotate(ns("shop"), api.AnnotationSubnamespaceOf, "a"), want: true},
		"the deletion of any other namespace is not judged":   {hook: nsHook, old: annotate(ns("shop", "team", "a"), "team", "a")},
		"the deletion of a bare namespace is not judged":      {hook: nsHook, old: ns("shop")},
		"the deletion of one that ends is not judged":         {hook: nsHook, old: ending(ns("shop", included, "true"))},
		"Banyan's own deletion is not judged":                 {hook: nsHook, user: banyan, old: ns("shop", included, "true")},

		"a new hierarchy is judged":                      {hook: hcHook, new: hierarchy("shop"), want: true},
		"a changed parent is judged":                     {hook: hcHook, old: hierarchy("shop"), new: hierarchy("market"), want: true},
		"a removed parent is judged":                     {hook: hcHook, old: hierarchy("shop"), new: hierarchy(""), want: true},
		"a removed finalizer is not judged":              {hook: hcHook, old: hierarchy("shop", api.FinalizerHasSubnamespace), new: hierarchy("shop")},
		"Banyan's own change of a hierarchy passes":      {hook: hcHook, user: banyan, old: hierarchy("shop"), new: hierarchy("market")},
		"a key that is given is judged":                  {hook: hcHook, old: hierarchy("shop"), new: ownKey(hierarchy("shop")), want: true},
		"a key that is taken is judged":                  {hook: hcHook, old: ownKey(hierarchy("shop")), new: hierarchy("shop"), want: true},
		"a key that stays is not judged":                 {hook: hcHook, old: ownKey(hierarchy("shop")), new: ownKey(hierarchy("shop", "finalizer"))},
		"a key that is given is stamped":                 {hook: stamper, old: hierarchy("shop"), new: ownKey(hierarchy("shop")), want: true},
		"a key that is taken is stamped":                 {hook: stamper, old: ownKey(hierarchy("shop")), new: hierarchy("shop"), want: true},
		"a key that stays is not stamped":                {hook: stamper, old: ownKey(hierarchy("shop")), new: ownKey(hierarchy("shop", "finalizer"))},
		"a new parent is stamped":                        {hook: stamper, old: hierarchy("shop"), new: hierarchy("market"), want: true},
		"no parent any more is stamped":                  {hook: stamper, old: hierarchy("shop"), new: hierarchy(""), want: true},
		"a first parent is stamped":                      {hook: stamper, new: hierarchy("shop"), want: true},
		"a hierarchy without a parent is not stamped":    {hook: stamper, new: hierarchy("")},
		"a hierarchy that stays is not stamped":          {hook: stamper, old: hierarchy("shop"), new: hierarchy("shop", "finalizer")},
		"a stamp that stays is left alone":               {hook: stamper, old: stamp(hierarchy("shop")), new: stamp(hierarchy("shop", "finalizer"))},
		"a stamp that is taken away comes back":          {hook: stamper, old: stamp(hierarchy("shop")), new: hierarchy("shop"), want: true},
		"a stamp from a backup goes":                     {hook: stamper, new: stamp(hierarchy("")), want: true},
		"an acknowledgement passes":                      {hook: stamper, user: banyan, old: stamp(hierarchy("shop")), new: hierarchy("shop")},
		"a new anchor is judged":                         {hook: subHook, new: anchor(""), want: true},
		"a changed label of an anchor is judged":         {hook: subHook, old: anchor(api.Ok), new: anchor(api.Ok, api.MetaKVP{Key: "a", Value: "b"}), want: true},
		"a changed status of an anchor is not judged":    {hook: subHook, old: anchor(api.Missing), new: anchor(api.Ok)},
		"a deleted anchor is judged, whatever its state": {hook: subHook, old: anchor(api.Missing), want: true},
		"an anchor that goes with its namespace passes":  {hook: subHook, user: namespaceController, old: anchor(api.Ok)},
		"the namespace controller's anchor is judged":    {hook: subHook, user: namespaceController, new: anchor(""), want: true},
		"Banyan's own deletion of an anchor passes":      {hook: subHook, user: banyan, old: anchor(api.Ok)},
		"a new HNCConfiguration is judged":               {hook: hncHook, new: configuration(), want: true},
		"a changed list of types is judged":              {hook: hncHook, old: configuration(), new: configuration("secrets"), want: true},
		"the end of that list is judged":                 {hook: hncHook, old: configuration("secrets"), new: configuration(), want: true},
		"a status of types is not judged":                {hook: hncHook, old: configuration("secrets"), new: reported(configuration("secrets"))},
		"Banyan's own HNCConfiguration passes":           {hook: hncHook, user: banyan, new: configuration()},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, matches(t, tc.hook, tc.user, tc.old, tc.new))
		})
	}
}

// matches evaluates the conditions of one webhook for a request, whose operation
// follows from which of the two objects are there.
func matches(t *testing.T, hookName, username string, old, new runtime.Object) bool {
	t.Helper()
	operation, subject := admission.Update, new
	switch {
	case old == nil:
		operation = admission.Create
	case new == nil:
		operation, subject = admission.Delete, old
	}
	if username == "" {
		username = alice
	}
	object := subject.(metav1.Object)
	for _, hook := range hooks(t) {
		if hook.Name != hookName {
			continue
		}
		// A condition that cannot be evaluated must not hide behind Ignore.
		hook.FailurePolicy = ptr.To(admissionregistrationv1.Fail)
		kind := subject.GetObjectKind().GroupVersionKind()
		resource := kind.GroupVersion().WithResource(hook.Rules[0].Resources[0])
		attributes := admission.NewAttributesRecord(new, old, kind, object.GetNamespace(), object.GetName(), resource, "",
			operation, nil, false, &user.DefaultInfo{Name: username})
		versioned, err := admission.NewVersionedAttributes(attributes, kind, nil)
		require.NoError(t, err)
		compiler := cel.NewConditionCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
		matcher := webhook.NewValidatingWebhookAccessor("uid", "configuration", &hook).GetCompiledMatcher(compiler)
		result := matcher.Match(t.Context(), versioned, nil, nil)
		require.NoError(t, result.Error)
		return result.Matches
	}
	require.Failf(t, "no such webhook", hookName)
	return false
}
