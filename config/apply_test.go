// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package config_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/banyan-hns/banyan/bench/controlplane"
	"github.com/banyan-hns/banyan/config"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// patience bounds every wait for the control plane.
const patience = time.Minute

// applier is the field manager of the person who applies the manifests.
const applier = client.FieldOwner("an-admin")

// apply applies a copy of the object, as "kubectl apply --server-side" does:
// a conflict with another field manager is an error.
func apply(ctx context.Context, c client.Client, object *unstructured.Unstructured, options ...client.ApplyOption) error {
	return c.Apply(ctx, client.ApplyConfigurationFromUnstructured(object.DeepCopy()), append(options, applier)...)
}

// start brings up a control plane and a client for its administrator.
func start(t *testing.T) client.Client {
	t.Helper()
	cp, err := controlplane.Start(t.Context(), controlplane.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, cp.Stop()) })
	c, err := client.New(cp.Config(), client.Options{Scheme: scheme(t)})
	require.NoError(t, err)
	return c
}

// installCRDs applies the CRDs and waits until their kinds are served.
func installCRDs(t *testing.T, c client.Client) {
	t.Helper()
	for _, object := range objects(t, "crd") {
		require.NoError(t, apply(t.Context(), c, object), id(object))
	}
	crds, err := config.CRDs()
	require.NoError(t, err)
	for _, crd := range crds {
		require.Eventually(t, func() bool {
			err := c.Get(t.Context(), client.ObjectKeyFromObject(crd), crd)
			return err == nil && established(crd)
		}, patience, 50*time.Millisecond, crd.Name)
	}
}

func established(crd *apiextensionsv1.CustomResourceDefinition) bool {
	for _, c := range crd.Status.Conditions {
		if c.Type == apiextensionsv1.Established {
			return c.Status == apiextensionsv1.ConditionTrue
		}
	}
	return false
}

// TestApply takes a real API server through the life of an installation: try it
// without effect, install, install again, and lose all replicas.
func TestApply(t *testing.T) {
	c := start(t)
	installCRDs(t, c)
	require.NoError(t, apply(t.Context(), c, objects(t, "manager")[0]))
	for _, name := range []string{"shop", "shop-dev"} {
		require.NoError(t, c.Create(t.Context(), ns(name)))
	}

	t.Run("a dry run of everything succeeds", func(t *testing.T) {
		for _, object := range kustomize(t, "default") {
			require.NoError(t, apply(t.Context(), c, object, client.DryRunAll), id(object))
		}
		for _, sample := range samples(t) {
			object := &unstructured.Unstructured{}
			require.NoError(t, yaml.Unmarshal(sample, &object.Object))
			require.NoError(t, apply(t.Context(), c, object, client.DryRunAll), id(object))
		}
	})
	t.Run("applying again changes nothing", func(t *testing.T) { testReapply(t, c) })
	t.Run("with no replica the cluster goes on", func(t *testing.T) { testWithoutReplicas(t, c) })
}

// testReapply lets others fill in what is theirs, and applies once more.
func testReapply(t *testing.T, c client.Client) {
	ctx := t.Context()
	for _, object := range objects(t) {
		require.NoError(t, apply(ctx, c, object), id(object))
	}

	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "banyan"}}
	base := find[rbacv1.ClusterRole](t, "ClusterRole", "banyan-base")
	require.Eventually(t, func() bool {
		return c.Get(ctx, client.ObjectKeyFromObject(role), role) == nil && len(role.Rules) == len(base.Rules)
	}, patience, 50*time.Millisecond, "the rules of banyan-base must arrive in banyan")

	certificate := selfSigned(t)
	hooks := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	require.NoError(t, c.Get(ctx, client.ObjectKey{Name: "hnc-validating-webhook-configuration"}, hooks))
	for i := range hooks.Webhooks {
		hooks.Webhooks[i].ClientConfig.CABundle = certificate
	}
	require.NoError(t, c.Update(ctx, hooks, client.FieldOwner("an-issuer")))

	want := map[string]*unstructured.Unstructured{}
	for _, object := range objects(t) {
		want[id(object)] = stored(t, c, object)
	}
	for _, object := range objects(t) {
		require.NoError(t, apply(ctx, c, object), id(object))
		got := stored(t, c, object)
		if diff := cmp.Diff(want[id(object)].Object, got.Object); diff != "" {
			t.Errorf("applying %s again (-before +after):\n%s", id(object), diff)
		}
	}
}

// stored reads an object without what the control plane updates by itself.
func stored(t *testing.T, c client.Client, object *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	got := &unstructured.Unstructured{}
	got.SetGroupVersionKind(object.GroupVersionKind())
	require.NoError(t, c.Get(t.Context(), client.ObjectKeyFromObject(object), got))
	got.SetManagedFields(nil)
	got.SetResourceVersion("")
	unstructured.RemoveNestedField(got.Object, "status")
	return got
}

// testWithoutReplicas runs after everything is installed: the webhooks are
// configured and nobody serves them.
func testWithoutReplicas(t *testing.T, c client.Client) {
	ctx := t.Context()
	refused := func(err error) { t.Helper(); require.ErrorContains(t, err, "failed calling webhook") }

	// The API server learns of the configurations and policies through watches;
	// from the first refusal on they are in force.
	require.Eventually(t, func() bool { return c.Create(ctx, hierarchy("shop"), client.DryRunAll) != nil },
		patience, 50*time.Millisecond)

	require.NoError(t, c.Create(ctx, ns("new"), client.DryRunAll), "tenants come in")

	shop := &corev1.Namespace{}
	require.NoError(t, c.Get(ctx, client.ObjectKey{Name: "shop"}, shop))
	update := func(labels ...string) error {
		changed := shop.DeepCopy()
		for i := 0; i < len(labels); i += 2 {
			changed.Labels[labels[i]] = labels[i+1]
		}
		return c.Update(ctx, changed, client.DryRunAll)
	}
	require.NoError(t, update("team", "a"), "labels of users are free")
	require.Eventually(t, func() bool { return apierrors.IsForbidden(update("shop"+api.LabelTreeDepthSuffix, "1")) },
		patience, 50*time.Millisecond, "a policy refuses it")
	require.NoError(t, c.Delete(ctx, shop, client.DryRunAll), "what is in no tree can be deleted")
	require.NoError(t, update(api.LabelIncludedNamespace, "true"))
	annotated := shop.DeepCopy()
	annotate(annotated, api.AnnotationManagedBy, "others.example")
	refused(c.Update(ctx, annotated, client.DryRunAll))

	refused(c.Create(ctx, hierarchy("shop"), client.DryRunAll))
	refused(c.Create(ctx, anchor(""), client.DryRunAll))
	require.NoError(t, c.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "work"}}))

	for _, name := range []string{"kube-system", "hnc-system"} {
		system := &corev1.Namespace{}
		require.NoError(t, c.Get(ctx, client.ObjectKey{Name: name}, system))
		system.Labels[api.LabelIncludedNamespace] = "true"
		require.NoError(t, c.Update(ctx, system, client.DryRunAll), name)
	}
}

// selfSigned makes a certificate that nobody holds the key of.
func selfSigned(t *testing.T) []byte {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
