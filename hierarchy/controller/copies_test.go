// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

var roles = enforcedKinds[0].GVK

func role(namespace, inheritedFrom string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"rules": []any{}}}
	u.SetGroupVersionKind(roles)
	u.SetNamespace(namespace)
	u.SetName("reader")
	u.SetUID("uid-of-the-copy")
	u.SetResourceVersion("7")
	if inheritedFrom != "" {
		u.SetLabels(map[string]string{api.LabelInheritedFrom: inheritedFrom, api.LabelManagedByApps: api.Group})
	}
	return u
}

// awake folds a layout, and awakens the enforced kinds.
func awake(live *Live, layout string) *Live {
	begun, _ := live.adopt(propagate.Resolution{Active: enforcedKinds})
	for _, k := range begun {
		live.awaken(k)
	}
	for _, o := range foresttest.Objects(layout) {
		switch o := o.(type) {
		case *corev1.Namespace:
			live.SetNamespace(o)
		case *api.HierarchyConfiguration:
			live.SetConfiguration(o)
		case *api.SubnamespaceAnchor:
			live.SetAnchor(o)
		}
	}
	return live
}

// server is what the API server has, past the cache: the definitions, the
// namespaces a and b, b below a, and whatever a test adds.
func server(t *testing.T, fail func(client.Object) error, vanishing bool, objects ...client.Object) client.WithWatch {
	scheme := runtime.NewScheme()
	require.NoError(t, clientgoscheme.AddToScheme(scheme))
	require.NoError(t, api.AddToScheme(scheme))
	require.NoError(t, apiextensionsv1.AddToScheme(scheme))
	for _, name := range definitions {
		crd := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if vanishing {
			now := metav1.Now()
			crd.DeletionTimestamp, crd.Finalizers = &now, []string{"customresourcecleanup.apiextensions.k8s.io"}
		}
		objects = append(objects, crd)
	}
	for _, name := range []string{"a", "b"} {
		objects = append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, opts ...client.GetOption) error {
			if err := fail(object); err != nil {
				return err
			}
			return c.Get(ctx, key, object, opts...)
		},
	}).Build()
}

// TestCopyOutlivesWhatTheCacheMissed: the cache shows a copy and no source. It goes
// only if the API server itself has no source either, and nothing else explains
// the absence.
func TestCopyOutlivesWhatTheCacheMissed(t *testing.T) {
	never := func(client.Object) error { return nil }
	for name, tc := range map[string]struct {
		present   []client.Object // on the server, unknown to the cache
		vanishing bool
		fail      func(client.Object) error
		wantErr   bool
		wantGone  bool
	}{
		"the source is gone": {wantGone: true},
		"the source is there, but the cache has not shown it yet": {
			present: []client.Object{role("a", "")},
		},
		"the namespace has another parent by now, which has a source": {
			present: []client.Object{
				role("c", ""), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "c"}},
				&api.HierarchyConfiguration{
					ObjectMeta: metav1.ObjectMeta{Namespace: "b", Name: api.HierarchyConfigurationName},
					Spec:       api.HierarchyConfigurationSpec{Parent: "c"},
				},
			},
		},
		"the definitions of the API group are being deleted": {vanishing: true},
		"the modes of types have changed, and the cache has not shown it yet": {
			present: []client.Object{&api.HNCConfiguration{ObjectMeta: metav1.ObjectMeta{Name: api.HNCConfigurationName}}},
			wantErr: true,
		},
		"the API server does not answer": {
			fail: func(o client.Object) error {
				if _, source := o.(*unstructured.Unstructured); source {
					return errors.New("timed out")
				}
				return nil
			},
			wantErr: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			fail := tc.fail
			if fail == nil {
				fail = never
			}
			reader := server(t, fail, tc.vanishing, tc.present...)
			gone, err := lonelyCopy(t, func(live *Live) confirms { return NewConfirmer(live, reader) })
			require.Equal(t, tc.wantErr, err != nil, "%v", err)
			require.Equal(t, tc.wantGone, gone)

			// Negative control: what saves the copy is the look at the API server.
			gone, err = lonelyCopy(t, func(*Live) confirms { return blind{} })
			require.NoError(t, err)
			require.True(t, gone, "without it, the copy goes")
		})
	}
}

// blind confirms everything.
type blind struct{}

func (blind) copyMayGo(context.Context, ObjectKey) error { return nil }

// lonelyCopy looks at a copy in b whose source in a the cache does not show, and
// reports whether it was deleted.
func lonelyCopy(t *testing.T, confirm func(*Live) confirms) (gone bool, err error) {
	live := awake(NewLive(hierarchy.Scope{}, propagate.Options{}, Home{}), "-a")
	live.SetObject(role("b", "a"))
	writes := interceptor.NewClient(server(t, func(client.Object) error { return nil }, false), interceptor.Funcs{
		Update: func(context.Context, client.WithWatch, client.Object, ...client.UpdateOption) error { return nil },
		Delete: func(_ context.Context, _ client.WithWatch, _ client.Object, opts ...client.DeleteOption) error {
			options := &client.DeleteOptions{}
			options.ApplyOptions(opts)
			require.NotNil(t, options.Preconditions)
			require.EqualValues(t, "uid-of-the-copy", *options.Preconditions.UID)
			require.Equal(t, "7", *options.Preconditions.ResourceVersion)
			gone = true
			return nil
		},
	})
	copies := &Copies{Live: live, Client: writes, Confirm: confirm(live)}
	copies.reporter = newReporter(live, writes, "test")
	_, err = copies.Reconcile(t.Context(), ObjectKey{GroupVersionKind: roles, Namespace: "b", Name: "reader"})
	return gone, err
}

func TestImmutable(t *testing.T) {
	for text, want := range map[string]bool{
		`RoleBinding "x" is invalid: roleRef: Invalid value: cannot change roleRef`: true,
		`Secret "x" is invalid: data: Forbidden: field is immutable when set`:       true,
		`RoleBinding "x" is invalid: subjects[0].name: Required value`:              false,
	} {
		err := &invalid{text}
		require.Equal(t, want, immutable(err), text)
	}
	require.False(t, immutable(errors.New("the word immutable, of somebody else")))
	require.False(t, immutable(nil))
}

// invalid is an error of the API server's validation.
type invalid struct{ text string }

func (e *invalid) Error() string { return e.text }

func (e *invalid) Status() metav1.Status {
	return metav1.Status{Reason: metav1.StatusReasonInvalid, Message: e.text}
}
