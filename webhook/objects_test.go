// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/webhook"
)

// TestObjects: what users may do to objects that are propagated.
func TestObjects(t *testing.T) {
	kind := metav1.GroupVersionKind(secretKind)
	broken := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": 1}}}}
	edited := secret("c", "shared", "a")
	edited.Object["data"] = map[string]any{"k": "dw=="}
	for name, tc := range map[string]struct {
		request
		wantCode    int32 // 0: allowed
		wantMessage string
	}{
		"a source": {request: request{object: secret("a", "new", "")}},
		"a source that a descendant has": {
			request: request{object: secret("a", "token", "")}, wantCode: http.StatusConflict, wantMessage: `namespace "c"`,
		},
		"a select that cannot be read": {
			request:  request{object: annotated(secret("a", "new", ""), api.AnnotationSelector, "$")},
			wantCode: http.StatusBadRequest, wantMessage: "correct the value",
		},
		"a source is deleted": {request: request{operation: admissionv1.Delete, old: secret("c", "token", "")}},
		"a copy is made":      {request: request{object: secret("b", "shared", "a")}},
		"a copy is edited":    {request: request{operation: admissionv1.Update, old: secret("c", "shared", "a"), object: edited}},
		"a copy is deleted":   {request: request{operation: admissionv1.Delete, old: secret("c", "shared", "a")}},
		"by Banyan":           {request: request{object: secret("a", "token", ""), user: banyan}},
		"by an administrator": {request: request{object: secret("a", "token", ""), user: admin}, wantCode: http.StatusConflict},
		"in a namespace that is not managed": {
			request: request{object: secret("a", "token", ""), namespace: "kube-system"},
		},
		"of another kind": {
			request: request{object: secret("a", "token", ""), kind: metav1.GroupVersionKind{Version: "v1", Kind: "Pod"}},
		},
		"in another version": {
			request:  request{object: secret("a", "token", ""), kind: metav1.GroupVersionKind{Version: "v2", Kind: "Secret"}},
			wantCode: http.StatusConflict,
		},
		"something unreadable":                 {request: request{object: broken}, wantCode: http.StatusBadRequest, wantMessage: "reading the object"},
		"no object":                            {request: request{}, wantCode: http.StatusBadRequest},
		"something unreadable of another kind": {request: request{object: broken, kind: metav1.GroupVersionKind{Version: "v1", Kind: "Pod"}}},
		"a connection":                         {request: request{operation: admissionv1.Connect}},
	} {
		t.Run(name, func(t *testing.T) {
			r := tc.request
			r.path = webhook.PathObject
			for _, o := range []runtime.Object{r.object, r.old} {
				if u, ok := o.(*unstructured.Unstructured); ok && r.namespace == "" {
					r.namespace = u.GetNamespace()
				}
			}
			if r.namespace == "" {
				r.namespace = "a"
			}
			if r.operation == "" {
				r.operation = admissionv1.Create
			}
			if r.kind.Kind == "" {
				r.kind = kind
			}
			if r.user.Username == "" {
				r.user = alice
			}
			requireAnswer(t, ask(t, serve(t), r), tc.wantCode, tc.wantMessage)
		})
	}
}

func requireAnswer(t *testing.T, answer *admissionv1.AdmissionResponse, wantCode int32, wantMessage string) {
	t.Helper()
	if wantCode == 0 {
		require.True(t, answer.Allowed, "%+v", answer.Result)
		return
	}
	require.False(t, answer.Allowed)
	require.Equal(t, wantCode, answer.Result.Code, answer.Result.Message)
	require.Contains(t, answer.Result.Message, wantMessage)
}

func types(resources ...string) *api.HNCConfiguration {
	c := &api.HNCConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: api.GroupVersion.String(), Kind: "HNCConfiguration"},
		ObjectMeta: metav1.ObjectMeta{Name: api.HNCConfigurationName},
	}
	for _, resource := range resources {
		c.Spec.Resources = append(c.Spec.Resources, api.ResourceSpec{Resource: resource})
	}
	return c
}

// TestHNCConfigurations: what users may ask for, and what happens if the API
// server does not say what it serves.
func TestHNCConfigurations(t *testing.T) {
	unreachable := func(context.Context) (propagate.Lookup, error) { return nil, errors.New("no connection") }
	for name, tc := range map[string]struct {
		operation   admissionv1.Operation
		old, object *api.HNCConfiguration
		catalog     func(context.Context) (propagate.Lookup, error)
		wantCode    int32
		wantMessage string
	}{
		"a type":                             {operation: admissionv1.Create, object: types("secrets"), catalog: catalog},
		"a type that is not there":           {operation: admissionv1.Update, old: types(), object: types("nosuch"), catalog: catalog, wantCode: http.StatusUnprocessableEntity, wantMessage: "spec.resources[0]"},
		"a removal is for others to judge":   {operation: admissionv1.Delete, old: types(), catalog: unreachable},
		"nobody answers":                     {operation: admissionv1.Update, old: types(), object: types("secrets"), catalog: unreachable, wantCode: http.StatusServiceUnavailable, wantMessage: "try again"},
		"nobody can be asked":                {operation: admissionv1.Update, old: types(), object: types("secrets"), wantCode: http.StatusServiceUnavailable},
		"nobody answers, and nobody need to": {operation: admissionv1.Update, old: types("nosuch"), object: types("nosuch"), catalog: unreachable},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			o.Catalog = tc.catalog
			mux := http.NewServeMux()
			webhook.Register(registrar{mux}, o)
			server := httptest.NewServer(mux)
			defer server.Close()
			r := request{path: webhook.PathHNCConfiguration, operation: tc.operation, user: admin}
			if tc.object != nil {
				r.object = tc.object
			}
			if tc.old != nil {
				r.old = tc.old
			}
			requireAnswer(t, ask(t, server, r), tc.wantCode, tc.wantMessage)
		})
	}
}

// TestConflictOfMove: names of objects are told only to those with rights there.
func TestConflictOfMove(t *testing.T) {
	o := options(t)
	world := o.Forest.(still)
	world.tracked[0].Objects.Set(propagate.Observe(secret("e", "token", "")))
	mux := http.NewServeMux()
	webhook.Register(registrar{mux}, o)
	server := httptest.NewServer(mux)
	defer server.Close()
	move := request{path: webhook.PathConfiguration, operation: admissionv1.Create, object: configuration("e", "d")}

	move.user = admin
	requireAnswer(t, ask(t, server, move), http.StatusConflict, `Secret "token" in namespace "e", by that of "c"`)
	move.user = alice
	answer := ask(t, server, move)
	requireAnswer(t, answer, http.StatusUnauthorized, "alice")
	require.NotContains(t, answer.Result.Message, "token")
}

// TestWarnings reach the user, also if the request is allowed.
func TestWarnings(t *testing.T) {
	labelled := anchor("a", "new")
	labelled.Labels = map[string]string{"team": "x"}
	answer := ask(t, serve(t), request{path: webhook.PathAnchor, operation: admissionv1.Create, user: alice, object: labelled})
	require.True(t, answer.Allowed)
	require.Len(t, answer.Warnings, 1)
	require.Contains(t, answer.Warnings[0], "spec.labels")
}
