// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/webhook"
)

// nonsense is what every decoder must survive.
var nonsense = []string{
	"", "null", "{}", "[]", "1", `""`, "{", `{"metadata":null}`, `{"metadata":1}`, `{"metadata":{"labels":1}}`, `{"metadata":{"labels":null,"annotations":null}}`,
	`{"metadata":{"labels":{"hnc.x-k8s.io/inherited-from":1}}}`, `{"metadata":{"annotations":{"propagate.hnc.x-k8s.io/treeSelect":","}}}`,
	`{"metadata":{"name":"n","namespace":"a","annotations":{"hnc.x-k8s.io/subnamespace-of":"n"}}}`, `{"metadata":{"name":1}}`,
	`{"metadata":{"name":"token","finalizers":1,"deletionTimestamp":"never","ownerReferences":{}}}`, `{"spec":[]}`, `{"spec":{"resources":[null,1]}}`,
	`{"apiVersion":"v1","kind":"List","items":[]}`, `{"apiVersion":1,"kind":[]}`, `{"n":1e999}`, `{"n":18446744073709551616}`, "\x00", `{"metadata":{"name":"\ud800"}}`,
}

// handlers by their paths.
type handlers map[string]http.Handler

func (h handlers) Register(path string, hook http.Handler) { h[path] = hook }

// fuzz a path with any two objects. A panic ends the test; a fault of the request
// is never one of the server.
func fuzz(f *testing.F, path string, kind schema.GroupVersionKind, samples ...runtime.Object) {
	all := handlers{}
	webhook.Register(all, options(f))
	hook := all[path].(*admission.Webhook).WithRecoverPanic(false)

	seeds := nonsense
	for _, sample := range samples {
		data, err := json.Marshal(sample)
		require.NoError(f, err)
		seeds = append(seeds, string(data))
	}
	for i, seed := range seeds {
		f.Add(i, []byte(seed), []byte(seeds[len(seeds)-1]))
		f.Add(i+1, []byte(seed), []byte(seeds[len(seeds)-1]))
		f.Add(1, []byte(seeds[len(seeds)-1]), []byte(seed))
	}
	operations := []admissionv1.Operation{admissionv1.Create, admissionv1.Update, admissionv1.Delete, admissionv1.Connect, "", "OTHER"}
	f.Fuzz(func(t *testing.T, operation int, object, old []byte) {
		answer := hook.Handle(t.Context(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
			UID: "uid", Operation: operations[uint(operation)%uint(len(operations))], UserInfo: admin, Namespace: "a", Name: "n",
			Kind: metav1.GroupVersionKind(kind), Object: runtime.RawExtension{Raw: object}, OldObject: runtime.RawExtension{Raw: old},
		}})
		require.NotNil(t, answer.Result)
		require.NotEqualValues(t, http.StatusInternalServerError, answer.Result.Code, answer.Result.Message)
	})
}

func FuzzNamespace(f *testing.F) {
	fuzz(f, webhook.PathNamespace, schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, namespace("n", map[string]string{api.LabelIncludedNamespace: "true"}))
}

func FuzzMutateNamespace(f *testing.F) {
	fuzz(f, webhook.PathMutateNamespace, schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, namespace("n", nil))
}

func FuzzAnchor(f *testing.F) {
	fuzz(f, webhook.PathAnchor, api.GroupVersion.WithKind("SubnamespaceAnchor"), anchor("a", "n"))
}

func FuzzMutateAnchor(f *testing.F) {
	fuzz(f, webhook.PathMutateAnchor, api.GroupVersion.WithKind("SubnamespaceAnchor"), anchor("a", "n"))
}

func FuzzConfiguration(f *testing.F) {
	fuzz(f, webhook.PathConfiguration, api.GroupVersion.WithKind("HierarchyConfiguration"), configuration("a", ""), configuration("e", "a"))
}

func FuzzMutateConfiguration(f *testing.F) {
	fuzz(f, webhook.PathMutateConfiguration, api.GroupVersion.WithKind("HierarchyConfiguration"), configuration("a", ""), configuration("e", "a"))
}

func FuzzHNCConfiguration(f *testing.F) {
	fuzz(f, webhook.PathHNCConfiguration, api.GroupVersion.WithKind("HNCConfiguration"), types(), types("secrets", "nosuch"))
}

func FuzzObject(f *testing.F) {
	fuzz(f, webhook.PathObject, secretKind, secret("a", "token", ""), secret("a", "shared", "c"), annotated(secret("a", "token", ""), api.AnnotationNoneSelector, "true"))
}
