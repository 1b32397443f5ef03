// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/hierarchy/validate"
	"github.com/banyan-hns/banyan/webhook"
)

const self = "system:serviceaccount:hnc-system:banyan"

// still is a forest that nobody changes, with some objects.
type still struct {
	forest  *hierarchy.Forest
	tracked []propagate.Tracked
}

func (s still) Read(look func(*hierarchy.Forest)) { look(s.forest) }

func (s still) Look(look func(*hierarchy.Forest, []propagate.Tracked)) { look(s.forest, s.tracked) }

var secretKind = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}

// secret is an object in a namespace; with an origin, a copy.
func secret(namespace, name, origin string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"k": "dg=="}}}
	u.SetGroupVersionKind(secretKind)
	u.SetNamespace(namespace)
	u.SetName(name)
	if origin != "" {
		u.SetLabels(map[string]string{api.LabelInheritedFrom: origin})
	}
	return u
}

func annotated(u *unstructured.Unstructured, key, value string) *unstructured.Unstructured {
	u.SetAnnotations(map[string]string{key: value})
	return u
}

// tracked are Secrets: one in the namespace c, and another one with a copy there.
func tracked() []propagate.Tracked {
	objects := propagate.NewObjects(secretKind, propagate.Options{})
	for _, u := range []*unstructured.Unstructured{secret("c", "token", ""), secret("a", "shared", ""), secret("c", "shared", "a")} {
		objects.Set(propagate.Observe(u))
	}
	active := propagate.Active{Type: propagate.Type{GVK: secretKind, Mode: api.Propagate}, Resource: "secrets", Plural: "secrets"}
	return []propagate.Tracked{{Active: active, Objects: objects, Awake: true}}
}

// catalog has Secrets only.
func catalog(context.Context) (propagate.Lookup, error) {
	return func(_, resource string) (propagate.Resource, error) {
		if resource != "secrets" {
			return propagate.Resource{}, propagate.ErrNoResource
		}
		return propagate.Resource{GVK: secretKind, Plural: "secrets", Namespaced: true}, nil
	}, nil
}

// layout of the forest: a is the root of b, a subnamespace, and c, which has a child
// d; e is a root.
const layout = "-Aac-"

// serve the handlers over the forest. The user alice may change a and c; reviews
// about anything in "broken" fail.
func serve(t *testing.T) *httptest.Server {
	mux := http.NewServeMux()
	webhook.Register(registrar{mux}, options(t))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func options(t testing.TB) webhook.Options {
	scheme := runtime.NewScheme()
	require.NoError(t, clientgoscheme.AddToScheme(scheme))
	require.NoError(t, api.AddToScheme(scheme))
	reviews := interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme).Build(), interceptor.Funcs{
		Create: func(_ context.Context, _ client.WithWatch, object client.Object, _ ...client.CreateOption) error {
			review := object.(*authorizationv1.SubjectAccessReview)
			if review.Spec.User == "unlucky" {
				return errors.New("the API server is busy")
			}
			namespace := review.Spec.ResourceAttributes.Namespace
			review.Status.Allowed = review.Spec.User == "alice" && (namespace == "a" || namespace == "c") ||
				len(review.Spec.Groups) > 0 && review.Spec.Groups[0] == "system:masters"
			return nil
		},
	})
	scope, err := hierarchy.NewScope(hierarchy.ScopeOptions{ExcludedNamespaces: []string{"kube-system"}, IncludedNamespaceRegex: ".*"})
	require.NoError(t, err)
	forest := still{foresttest.CreateIn(scope, layout), tracked()}
	builder := fake.NewClientBuilder().WithScheme(scheme)
	for _, object := range foresttest.Objects(layout) {
		builder.WithObjects(object)
	}
	reader := builder.Build()
	return webhook.Options{
		Scheme: scheme, Forest: forest, Self: self, Reviews: reviews,
		Reader: reader, Catalog: catalog, Moves: webhook.NewMoves(&webhook.Memory{}, forest, reader),
		SelfCheck: &webhook.SelfCheck{Replica: "banyan-0"},
	}
}

type registrar struct{ *http.ServeMux }

func (r registrar) Register(path string, hook http.Handler) { r.Handle(path, hook) }

// request is what the API server would send.
type request struct {
	path        string
	operation   admissionv1.Operation
	user        authenticationv1.UserInfo
	object, old runtime.Object
	raw         string
	kind        metav1.GroupVersionKind
	namespace   string
	dryRun      bool
}

func (r request) dry() request { r.dryRun = true; return r }

func (r request) by(user authenticationv1.UserInfo) request { r.user = user; return r }

// stamped is the request as it comes from the webhook that mutates.
func (r request) stamped() request {
	c, is := r.object.(*api.HierarchyConfiguration)
	old, _ := r.old.(*api.HierarchyConfiguration)
	if !is || r.path != webhook.PathConfiguration || old != nil && old.Spec.Parent == c.Spec.Parent {
		return r
	}
	if stamp, _ := validate.Stamp(foresttest.Create(layout), validate.MoveTo(c)); stamp != "" {
		c = c.DeepCopy()
		metav1.SetMetaDataAnnotation(&c.ObjectMeta, api.AnnotationPreviousKey, stamp)
		r.object = c
	}
	return r
}

func ask(t *testing.T, server *httptest.Server, r request) *admissionv1.AdmissionResponse {
	return askUnstamped(t, server, r.stamped())
}

func askUnstamped(t *testing.T, server *httptest.Server, r request) *admissionv1.AdmissionResponse {
	encode := func(o runtime.Object) runtime.RawExtension {
		if o == nil {
			return runtime.RawExtension{}
		}
		data, err := json.Marshal(o)
		require.NoError(t, err)
		return runtime.RawExtension{Raw: data}
	}
	review := admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID: "uid", Operation: r.operation, UserInfo: r.user, Object: encode(r.object), OldObject: encode(r.old),
			Kind: r.kind, Namespace: r.namespace, DryRun: &r.dryRun,
		},
	}
	body, err := json.Marshal(review)
	require.NoError(t, err)
	if r.raw != "" {
		body = []byte(r.raw)
	}
	post, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+r.path, bytes.NewReader(body))
	require.NoError(t, err)
	post.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(post)
	require.NoError(t, err)
	defer func() { require.NoError(t, response.Body.Close()) }()
	require.Equal(t, http.StatusOK, response.StatusCode)
	var answer admissionv1.AdmissionReview
	require.NoError(t, json.NewDecoder(response.Body).Decode(&answer))
	require.NotNil(t, answer.Response)
	return answer.Response
}

func configuration(namespace, parent string) *api.HierarchyConfiguration {
	return &api.HierarchyConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: api.GroupVersion.String(), Kind: "HierarchyConfiguration"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: api.HierarchyConfigurationName},
		Spec:       api.HierarchyConfigurationSpec{Parent: parent},
	}
}

func anchor(namespace, name string) *api.SubnamespaceAnchor {
	return &api.SubnamespaceAnchor{
		TypeMeta:   metav1.TypeMeta{APIVersion: api.GroupVersion.String(), Kind: "SubnamespaceAnchor"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
	}
}

func namespace(name string, labels map[string]string) *corev1.Namespace {
	return &corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
	}
}

var (
	alice  = authenticationv1.UserInfo{Username: "alice"}
	admin  = authenticationv1.UserInfo{Username: "root", Groups: []string{"system:masters"}}
	banyan = authenticationv1.UserInfo{Username: self}
)

// TestAnswers: the words, the codes and the reasons that reach a user.
func TestAnswers(t *testing.T) {
	included := map[string]string{api.LabelIncludedNamespace: "true"}
	forged := map[string]string{api.LabelIncludedNamespace: "true", "a" + api.LabelTreeDepthSuffix: "1"}
	for name, tc := range map[string]struct {
		request
		wantCode    int32 // 0: allowed
		wantMessage string
	}{
		"a new parent, with rights in both trees": {
			request: request{path: webhook.PathConfiguration, operation: admissionv1.Update, user: admin, object: configuration("e", "a"), old: configuration("e", "")},
		},
		"a new parent for a root, with rights there": {
			request: request{path: webhook.PathConfiguration, operation: admissionv1.Create, user: alice, object: configuration("e", "c")},
		},
		"a new parent without rights": {
			request:  request{path: webhook.PathConfiguration, operation: admissionv1.Update, user: alice, object: configuration("a", "e"), old: configuration("a", "")},
			wantCode: http.StatusUnauthorized, wantMessage: "alice",
		},
		"rights that cannot be reviewed": {
			request: request{
				path: webhook.PathConfiguration, operation: admissionv1.Update,
				user: authenticationv1.UserInfo{Username: "unlucky"}, object: configuration("e", "a"), old: configuration("e", ""),
			},
			wantCode: http.StatusInternalServerError, wantMessage: "try again",
		},
		"a cycle": {
			request:  request{path: webhook.PathConfiguration, operation: admissionv1.Update, user: admin, object: configuration("a", "d"), old: configuration("a", "")},
			wantCode: http.StatusConflict, wantMessage: "illegal parent",
		},
		"a parent that does not exist": {
			request:  request{path: webhook.PathConfiguration, operation: admissionv1.Update, user: admin, object: configuration("e", "nowhere"), old: configuration("e", "")},
			wantCode: http.StatusForbidden, wantMessage: "does not exist",
		},
		"a parent that is excluded": {
			request:  request{path: webhook.PathConfiguration, operation: admissionv1.Update, user: admin, object: configuration("e", "kube-system"), old: configuration("e", "")},
			wantCode: http.StatusForbidden, wantMessage: "excluded",
		},
		"a namespace that was not seen yet": {
			request:  request{path: webhook.PathConfiguration, operation: admissionv1.Create, user: admin, object: configuration("new", "a")},
			wantCode: http.StatusServiceUnavailable, wantMessage: "HNC has not reconciled namespace",
		},
		"a label that is not managed": {
			request: request{
				path: webhook.PathConfiguration, operation: admissionv1.Update, user: admin, old: configuration("e", ""),
				object: func() runtime.Object {
					c := configuration("e", "")
					c.Spec.Labels = []api.MetaKVP{{Key: "team", Value: "x"}}
					return c
				}(),
			},
			wantCode: http.StatusUnprocessableEntity, wantMessage: "spec.labels",
		},
		"Banyan itself is not judged": {
			request: request{path: webhook.PathConfiguration, operation: admissionv1.Update, user: banyan, object: configuration("a", "d"), old: configuration("a", "")},
		},
		"another ServiceAccount of its namespace is": {
			request: request{
				path: webhook.PathConfiguration, operation: admissionv1.Update, object: configuration("a", "d"), old: configuration("a", ""),
				user: authenticationv1.UserInfo{Username: "system:serviceaccount:hnc-system:default"},
			},
			wantCode: http.StatusConflict, wantMessage: "illegal parent",
		},
		"a new subnamespace": {
			request: request{path: webhook.PathAnchor, operation: admissionv1.Create, user: alice, object: anchor("a", "new")},
		},
		"a subnamespace that belongs to nobody's anchor": {
			request:  request{path: webhook.PathAnchor, operation: admissionv1.Create, user: alice, object: anchor("a", "e")},
			wantCode: http.StatusConflict,
		},
		"a subnamespace in an excluded namespace": {
			request:  request{path: webhook.PathAnchor, operation: admissionv1.Create, user: alice, object: anchor("kube-system", "new")},
			wantCode: http.StatusForbidden, wantMessage: "excluded",
		},
		"the anchor of a leaf may go": {
			request: request{path: webhook.PathAnchor, operation: admissionv1.Delete, user: alice, old: anchor("a", "b")},
		},
		"a subnamespace may go with its anchor only": {
			request: request{
				path: webhook.PathNamespace, operation: admissionv1.Delete, user: alice,
				old: func() runtime.Object {
					ns := namespace("b", included)
					ns.Annotations = map[string]string{api.AnnotationSubnamespaceOf: "a"}
					return ns
				}(),
			},
			wantCode: http.StatusForbidden, wantMessage: "nchor",
		},
		"a namespace that says it is managed": {
			request: request{path: webhook.PathNamespace, operation: admissionv1.Create, user: alice, object: namespace("new", included)},
		},
		"a namespace that does not": {
			request: request{path: webhook.PathNamespace, operation: admissionv1.Create, user: alice, object: namespace("new", nil)},
		},
		"a restored namespace with tree labels": {
			request: request{path: webhook.PathNamespace, operation: admissionv1.Create, user: alice, object: namespace("new", forged)},
		},
		"a child that falls to another system": {
			request: request{
				path: webhook.PathNamespace, operation: admissionv1.Update, user: alice,
				object: func() runtime.Object {
					ns := namespace("c", included)
					ns.Annotations = map[string]string{api.AnnotationManagedBy: "others.example"}
					return ns
				}(),
				old: namespace("c", included),
			},
			wantCode: http.StatusForbidden, wantMessage: api.AnnotationManagedBy,
		},
		"something that is no object": {
			request:  request{path: webhook.PathAnchor, operation: admissionv1.Create, user: alice},
			wantCode: http.StatusBadRequest,
		},
		"something that is no review": {
			request:  request{path: webhook.PathNamespace, raw: "{]"},
			wantCode: http.StatusBadRequest,
		},
	} {
		t.Run(name, func(t *testing.T) {
			answer := ask(t, serve(t), tc.request)
			if tc.wantCode == 0 {
				require.True(t, answer.Allowed, "%+v", answer.Result)
				return
			}
			require.False(t, answer.Allowed)
			require.Equal(t, tc.wantCode, answer.Result.Code, answer.Result.Message)
			require.Contains(t, answer.Result.Message, tc.wantMessage)
		})
	}
}

// TestMutate: a managed namespace gets its label, and no other namespace does.
func TestMutate(t *testing.T) {
	for name, tc := range map[string]struct {
		namespace *corev1.Namespace
		wantPatch bool
	}{
		"a new namespace":          {namespace: namespace("new", nil), wantPatch: true},
		"one that has it":          {namespace: namespace("new", map[string]string{api.LabelIncludedNamespace: "true"})},
		"one that has it wrong":    {namespace: namespace("new", map[string]string{api.LabelIncludedNamespace: "no"})},
		"one that is not managed":  {namespace: namespace("kube-system", nil)},
		"one with labels of users": {namespace: namespace("new", map[string]string{"x": "y"}), wantPatch: true},
	} {
		t.Run(name, func(t *testing.T) {
			answer := ask(t, serve(t), request{path: webhook.PathMutateNamespace, operation: admissionv1.Create, user: alice, object: tc.namespace})
			require.True(t, answer.Allowed)
			require.Equal(t, tc.wantPatch, len(answer.Patch) > 0, string(answer.Patch))
			if tc.wantPatch {
				require.Contains(t, string(answer.Patch), "included-namespace")
				require.NotContains(t, string(answer.Patch), "remove")
			}
		})
	}
	answer := ask(t, serve(t), request{path: webhook.PathMutateNamespace, operation: admissionv1.Create, user: alice})
	require.EqualValues(t, http.StatusBadRequest, answer.Result.Code)
}
