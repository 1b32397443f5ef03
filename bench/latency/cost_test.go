// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/banyan-hns/banyan/bench/trees"
	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/webhook"
)

// grown is a forest in memory, with the same requests as the bench.
type grown struct {
	forest  *hierarchy.Forest
	tracked []propagate.Tracked
	places  []place
	objects []client.Object // of which the forest was made
}

func (g grown) Read(look func(*hierarchy.Forest)) { look(g.forest) }

func (g grown) Look(look func(*hierarchy.Forest, []propagate.Tracked)) { look(g.forest, g.tracked) }

func grow(t testing.TB, namespaces int) grown {
	plan := trees.Plan(namespaces)
	scope, err := hierarchy.NewScope(hierarchy.ScopeOptions{IncludedNamespaceRegex: ".*"})
	require.NoError(t, err)
	var all []hierarchy.Object
	roles := propagate.NewObjects(rbacv1.SchemeGroupVersion.WithKind("Role"), propagate.Options{})
	add := func(namespace, name, origin string) {
		u := &unstructured.Unstructured{Object: map[string]any{}}
		u.SetGroupVersionKind(rbacv1.SchemeGroupVersion.WithKind("Role"))
		u.SetNamespace(namespace)
		u.SetName(name)
		if origin != "" {
			u.SetLabels(map[string]string{api.LabelInheritedFrom: origin})
		}
		roles.Set(propagate.Observe(u))
	}
	origin := map[string]string{}
	for _, n := range plan {
		namespace := foresttest.MakeNamespace(n.Name)
		if n.Parent == "" {
			origin[n.Name] = n.Name
			add(n.Name, "team-00", "")
		} else {
			origin[n.Name] = origin[n.Parent]
			namespace.SubnamespaceOf(n.Parent)
			all = append(all, foresttest.MakeAnchor(n.Parent, n.Name).Finalizer().State(api.Ok).Obj())
			add(n.Name, "team-00", origin[n.Name])
		}
		all = append(all, namespace.Obj())
	}
	var places []place
	lines := plan.Lines()
	for _, line := range lines[:min(len(lines), mostPlaces)] {
		grandparent, inner, leaf, root := line[0].Name, line[1].Name, line[2].Name, plan.Root(line[2]).Name
		p := place{
			root:        foresttest.MakeNamespace(root).Obj(),
			inner:       foresttest.MakeNamespace(inner).SubnamespaceOf(grandparent).Obj(),
			leaf:        foresttest.MakeNamespace(leaf).SubnamespaceOf(inner).Obj(),
			mover:       foresttest.MakeNamespace("mover-of-" + root).Obj(),
			innerAnchor: foresttest.MakeAnchor(grandparent, inner).Obj(),
			leafAnchor:  foresttest.MakeAnchor(inner, leaf).Obj(),
			source:      &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: root, Name: "team-00"}},
		}
		add(p.mover.Name, ownRole, "")
		all = append(all, p.mover, configuration(p.mover.Name, root))
		places = append(places, p)
	}
	active := propagate.Active{
		Type: propagate.Type{GVK: rbacv1.SchemeGroupVersion.WithKind("Role"), Mode: api.Propagate}, Resource: "roles", Plural: "roles",
	}
	g := grown{forest: foresttest.CreateIn(scope, "", all...), tracked: []propagate.Tracked{{Active: active, Objects: roles, Awake: true}}, places: places}
	for _, object := range all {
		copied := object.DeepCopyObject().(client.Object)
		copied.SetResourceVersion("")
		g.objects = append(g.objects, copied)
	}
	return g
}

func (g grown) handler(t testing.TB) *http.ServeMux {
	scheme := runtime.NewScheme()
	require.NoError(t, clientgoscheme.AddToScheme(scheme))
	require.NoError(t, api.AddToScheme(scheme))
	server := fake.NewClientBuilder().WithScheme(scheme).WithObjects(g.objects...).Build()
	reviews := interceptor.NewClient(server, interceptor.Funcs{
		Create: func(_ context.Context, _ client.WithWatch, object client.Object, _ ...client.CreateOption) error {
			review := object.(*authorizationv1.SubjectAccessReview)
			review.Status.Allowed = review.Spec.User == permitted
			return nil
		},
	})
	mux := http.NewServeMux()
	webhook.Register(registrar{mux}, webhook.Options{
		Scheme: scheme, Forest: g, Self: "banyan", Reviews: reviews, Reader: server, SelfCheck: &webhook.SelfCheck{},
		Moves: webhook.NewMoves(kubefake.NewClientset().CoreV1().ConfigMaps("hnc-system"), g, server),
		Catalog: func(context.Context) (propagate.Lookup, error) {
			return func(_, resource string) (propagate.Resource, error) {
				if resource == "nosuch" {
					return propagate.Resource{}, propagate.ErrNoResource
				}
				return propagate.Resource{GVK: rbacv1.SchemeGroupVersion.WithKind("Secret"), Plural: "secrets", Namespaced: true}, nil
			}, nil
		},
	})
	return mux
}

type registrar struct{ *http.ServeMux }

func (r registrar) Register(path string, hook http.Handler) { r.Handle(path, hook) }

// TestAsks: every request gets the answer that the bench expects, from a forest in
// memory.
func TestAsks(t *testing.T) {
	g := grow(t, 1000)
	handler := g.handler(t)
	asks, err := newAsks(g.places)
	require.NoError(t, err)
	for _, a := range asks {
		t.Run(strings.TrimPrefix(a.path, "/")+" "+a.what, func(t *testing.T) {
			for _, body := range a.bodies {
				answer := httptest.NewRecorder()
				handler.ServeHTTP(answer, newPost(a.path, body))
				_, err := judgeAnswer(answer.Code, answer.Body.Bytes(), a.code)
				require.NoError(t, err)
			}
		})
	}
}

func newPost(path string, body []byte) *http.Request {
	post := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
	post.Header.Set("Content-Type", "application/json")
	return post
}

// BenchmarkAsk is what each request of the bench costs a processor, without network,
// TLS and API server, in the same forest. Those about the largest tree come first in
// turn.
func BenchmarkAsk(b *testing.B) {
	g := grow(b, 10000)
	handler := g.handler(b)
	asks, err := newAsks(g.places)
	require.NoError(b, err)
	for _, a := range asks {
		b.Run(a.path+"/"+a.what, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				handler.ServeHTTP(httptest.NewRecorder(), newPost(a.path, a.bodies[i%len(a.bodies)]))
			}
		})
	}
}
