// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// ValidatingConfiguration is the one in the manifests. What Banyan registers by itself
// goes along with it.
const ValidatingConfiguration = "hnc-validating-webhook-configuration"

// Names of what Banyan registers at run time. Neither is in a manifest.
const (
	// ObjectsConfiguration asks about objects of the types that are propagated.
	ObjectsConfiguration = "banyan-objects-webhook-configuration"
	// FactsConfigMap tells the policies in the API server what they must know
	// about the flags and the types.
	FactsConfigMap = "banyan-admission"
)

// Service by which the API server reaches the webhooks.
const Service = "hnc-webhook-service"

// seconds that the API server waits for an answer, at most.
const seconds = 2

// ObjectRules is the configuration of the webhook about objects.
type ObjectRules struct {
	// Namespace that Banyan runs in.
	Namespace string
	// Self is the user name of Banyan.
	Self string
	// URL at which the API server reaches the webhooks; empty: by their Service.
	URL string
	// Bundle returns the certificates of the authorities that the API server
	// shall trust; nothing if that is not known yet.
	Bundle func() []byte
	// Reached reports whether the API server has been seen to reach the webhooks.
	Reached func() bool
}

// New returns the configuration without a webhook.
func (r ObjectRules) New() client.Object {
	return &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: ObjectsConfiguration},
	}
}

// Owner is the configuration in the manifests: without it, nobody may be asked. This
// one fails closed, and when Banyan is removed nobody would answer.
func (r ObjectRules) Owner() *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{
		TypeMeta: metav1.TypeMeta{
			APIVersion: admissionregistrationv1.SchemeGroupVersion.String(), Kind: "ValidatingWebhookConfiguration",
		},
		ObjectMeta: metav1.ObjectMeta{Name: ValidatingConfiguration},
	}
}

// Shape gives the rules for these types. Without a bundle, all stays as it is: a
// webhook that cannot be trusted refuses everything. And before anything of a
// user depends on it, the self-check must have come through once.
func (r ObjectRules) Shape(o client.Object, types []propagate.Active) bool {
	bundle := r.Bundle()
	if len(bundle) == 0 {
		return false
	}
	configuration := o.(*admissionregistrationv1.ValidatingWebhookConfiguration)
	armed := r.Reached() || slices.ContainsFunc(configuration.Webhooks, isObjects)
	configuration.Webhooks = []admissionregistrationv1.ValidatingWebhook{r.selfCheck(bundle)}
	if armed {
		configuration.Webhooks = append(configuration.Webhooks, r.objects(bundle, types))
	}
	return true
}

func isObjects(w admissionregistrationv1.ValidatingWebhook) bool { return w.Name == objectsWebhook }

const (
	objectsWebhook   = "objects." + api.Group
	selfCheckWebhook = "selfcheck." + api.Group
)

// objects is asked about objects of the types. The policy is Fail: what slips
// through may replace an object of a user in a namespace below, and what was
// replaced is gone. So that nobody waits for Banyan without need, the API server
// asks about what is new, and about changes of the metadata that decides where an
// object is copied to, and nothing else; and not at all for the control plane
// itself, which could not heed an answer.
func (r ObjectRules) objects(bundle []byte, types []propagate.Active) admissionregistrationv1.ValidatingWebhook {
	w := r.webhook(objectsWebhook, PathObject, bundle)
	w.Rules = rulesFor(types)
	w.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{api.LabelIncludedNamespace: "true"}}
	w.MatchConditions = r.conditions()
	return w
}

// selfCheck is asked about dry runs of Banyan itself. The policy is Fail: whether
// an answer came is what the check is about.
func (r ObjectRules) selfCheck(bundle []byte) admissionregistrationv1.ValidatingWebhook {
	w := r.webhook(selfCheckWebhook, PathSelfCheck, bundle)
	w.Rules = []admissionregistrationv1.RuleWithOperations{{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
		Rule: admissionregistrationv1.Rule{
			APIGroups: []string{api.Group}, APIVersions: []string{api.GroupVersion.Version},
			Resources: []string{"hierarchyconfigurations"}, Scope: ptr.To(admissionregistrationv1.NamespacedScope),
		},
	}}
	w.NamespaceSelector = &metav1.LabelSelector{}
	w.MatchConditions = []admissionregistrationv1.MatchCondition{
		{Name: "banyan-itself", Expression: `request.userInfo.username == "` + r.Self + `"`},
		{Name: "dry-run", Expression: `request.?dryRun.orValue(false)`},
	}
	return w
}

// webhook is what both have in common, with all that the API server would add.
func (r ObjectRules) webhook(name, path string, bundle []byte) admissionregistrationv1.ValidatingWebhook {
	return admissionregistrationv1.ValidatingWebhook{
		Name:                    name,
		AdmissionReviewVersions: []string{"v1"},
		ClientConfig:            r.clientConfig(path, bundle),
		FailurePolicy:           ptr.To(admissionregistrationv1.Fail),
		MatchPolicy:             ptr.To(admissionregistrationv1.Equivalent),
		ObjectSelector:          &metav1.LabelSelector{},
		SideEffects:             ptr.To(admissionregistrationv1.SideEffectClassNone),
		TimeoutSeconds:          ptr.To[int32](seconds),
	}
}

func (r ObjectRules) clientConfig(path string, bundle []byte) admissionregistrationv1.WebhookClientConfig {
	c := admissionregistrationv1.WebhookClientConfig{CABundle: bundle}
	if r.URL != "" {
		c.URL = ptr.To(r.URL + path)
		return c
	}
	c.Service = &admissionregistrationv1.ServiceReference{
		Namespace: r.Namespace, Name: Service, Path: ptr.To(path), Port: ptr.To[int32](443),
	}
	return c
}

func (r ObjectRules) conditions() []admissionregistrationv1.MatchCondition {
	const labels, annotations = `.metadata.?labels.orValue({})`, `.metadata.?annotations.orValue({})`
	return []admissionregistrationv1.MatchCondition{
		{Name: "not-banyan-itself", Expression: `request.userInfo.username != "` + r.Self + `"`},
		{Name: "not-the-control-plane", Expression: `!request.userInfo.username.startsWith("system:kube-") &&
!(has(request.userInfo.groups) && request.userInfo.groups.exists(g, g in ["system:serviceaccounts:kube-system", "system:nodes"]))`},
		// Copies are for the policy banyan-copies to judge.
		{Name: "not-a-copy", Expression: `!("` + api.LabelInheritedFrom + `" in object` + labels + `)`},
		{Name: "changes-where-it-is-copied", Expression: `request.operation == "CREATE" ||
object` + labels + ` != oldObject` + labels + ` ||
object.metadata.?finalizers.orValue([]) != oldObject.metadata.?finalizers.orValue([]) ||
object` + annotations + `.exists(k, k.contains("` + api.Group + `") && oldObject` + annotations + `[?k] != object` + annotations + `[?k]) ||
oldObject` + annotations + `.exists(k, k.contains("` + api.Group + `") && !(k in object` + annotations + `))`},
	}
}

// rulesFor types, one for each group, in an order that is always the same.
func rulesFor(types []propagate.Active) []admissionregistrationv1.RuleWithOperations {
	plurals := map[string][]string{}
	for _, t := range types {
		plurals[t.GVK.Group] = append(plurals[t.GVK.Group], t.Plural)
	}
	var rules []admissionregistrationv1.RuleWithOperations
	for group, resources := range plurals {
		slices.Sort(resources)
		rules = append(rules, admissionregistrationv1.RuleWithOperations{
			Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
			Rule: admissionregistrationv1.Rule{
				APIGroups: []string{group}, APIVersions: []string{"*"}, Resources: slices.Compact(resources),
				Scope: ptr.To(admissionregistrationv1.NamespacedScope),
			},
		})
	}
	slices.SortFunc(rules, func(a, b admissionregistrationv1.RuleWithOperations) int {
		return strings.Compare(a.APIGroups[0], b.APIGroups[0])
	})
	return rules
}

// Facts are what the policies in the API server must know.
type Facts struct {
	// Namespace that Banyan runs in.
	Namespace string
	// Scope says what is managed.
	Scope hierarchy.Scope
}

// New returns the ConfigMap without content.
func (f Facts) New() client.Object {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: f.Namespace, Name: FactsConfigMap}}
}

// Owner returns nil: it goes with the namespace that it is in.
func (f Facts) Owner() *metav1.PartialObjectMetadata { return nil }

// Shape tells which types are copied, by plural and group, and which namespaces
// are not managed.
func (f Facts) Shape(o client.Object, types []propagate.Active) bool {
	var names []string
	for _, t := range types {
		names = append(names, t.Plural+"."+t.GVK.Group)
	}
	slices.Sort(names)
	o.(*corev1.ConfigMap).Data = map[string]string{
		"types":    strings.Join(names, ","),
		"excluded": strings.Join(f.Scope.Excluded(), ","),
		"included": f.Scope.Included(),
	}
	return true
}
