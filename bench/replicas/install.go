// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package replicas

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/config"
)

// Namespace and ServiceAccount are those of the shipped manifests.
const (
	Namespace      = "hnc-system"
	ServiceAccount = "banyan"
	// User is the name under which the API server knows every replica.
	User = "system:serviceaccount:" + Namespace + ":" + ServiceAccount
)

// leftOut of the manifests: what a kubelet would have to run.
var leftOut = []string{"StatefulSet", "PodDisruptionBudget"}

// install applies the shipped manifests. The webhooks are called at the balancer
// instead of a Service.
func install(ctx context.Context, c client.Client, webhookURL string, caBundle []byte) error {
	objects, err := config.Objects()
	if err != nil {
		return fmt.Errorf("reading the manifests: %w", err)
	}
	for _, object := range objects {
		if slices.Contains(leftOut, object.GetKind()) {
			continue
		}
		if err := redirect(object, webhookURL, caBundle); err != nil {
			return fmt.Errorf("redirecting %s %s: %w", object.GetKind(), object.GetName(), err)
		}
		if err := c.Create(ctx, object); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("installing %s %s: %w", object.GetKind(), object.GetName(), err)
		}
		if object.GetKind() == "CustomResourceDefinition" {
			if err := established(ctx, c, object); err != nil {
				return err
			}
		}
	}
	return nil
}

// redirect the webhooks of a configuration.
func redirect(object *unstructured.Unstructured, url string, caBundle []byte) error {
	hooks, found, err := unstructured.NestedSlice(object.Object, "webhooks")
	if err != nil || !found {
		return err
	}
	for _, hook := range hooks {
		fields := hook.(map[string]any)
		path, _, err := unstructured.NestedString(fields, "clientConfig", "service", "path")
		if err != nil {
			return err
		}
		way := map[string]any{"url": url + path}
		if len(caBundle) > 0 {
			way["caBundle"] = base64.StdEncoding.EncodeToString(caBundle)
		}
		fields["clientConfig"] = way
	}
	return unstructured.SetNestedSlice(object.Object, hooks, "webhooks")
}

// established waits until the API server serves a definition.
func established(ctx context.Context, c client.Client, crd *unstructured.Unstructured) error {
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		served := &apiextensionsv1.CustomResourceDefinition{}
		if err := c.Get(ctx, client.ObjectKeyFromObject(crd), served); err != nil {
			return false, err
		}
		return slices.ContainsFunc(served.Status.Conditions, func(condition apiextensionsv1.CustomResourceDefinitionCondition) bool {
			return condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue
		}), nil
	})
	if err != nil {
		return fmt.Errorf("waiting for %s to be served: %w", crd.GetName(), err)
	}
	return nil
}
