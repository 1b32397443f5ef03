// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Namespaces that requests are about: a tree of two, one that is to join it, and one
// that another system manages, which reserves a name.
const (
	root     = "root"
	leaf     = "leaf"
	joiner   = "joiner"
	foreign  = "foreign"
	reserved = "reserved"
)

// probe is a request that one webhook is asked about, without effect. It succeeds only
// if that webhook answered; others may have been asked, too.
type probe struct {
	webhook string
	ask     func(ctx context.Context, c client.Client, name string) error
}

var probes = []probe{
	{"namespaces", func(ctx context.Context, c client.Client, _ string) error {
		return c.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: joiner}}, client.DryRunAll)
	}},
	{"newnamespaces", func(ctx context.Context, c client.Client, _ string) error {
		// It is passed over if it does not answer, so that only a refusal tells that it did.
		taken := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: reserved, Labels: map[string]string{api.LabelIncludedNamespace: "true"}}}
		err := c.Create(ctx, taken, client.DryRunAll)
		switch {
		case err == nil:
			return errUnchanged
		case apierrors.IsConflict(err):
			return nil
		}
		return err
	}},
	{"namespacelabel", func(ctx context.Context, c client.Client, name string) error {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if err := c.Create(ctx, ns, client.DryRunAll); err != nil {
			return err
		}
		if ns.Labels[api.LabelIncludedNamespace] != "true" {
			return errUnchanged
		}
		return nil
	}},
	{"hierarchyconfigurations", func(ctx context.Context, c client.Client, _ string) error {
		body := []byte(`{"spec":{"allowCascadingDeletion":true}}`)
		return c.Patch(ctx, configuration(leaf, root), client.RawPatch(types.MergePatchType, body), client.DryRunAll)
	}},
	{"hierarchyconfigurationstamp", func(ctx context.Context, c client.Client, _ string) error {
		move := configuration(joiner, root)
		if err := c.Create(ctx, move, client.DryRunAll); err != nil {
			return err
		}
		if move.Annotations[api.AnnotationPreviousKey] != joiner {
			return errUnchanged
		}
		return nil
	}},
	{"subnamespaceanchors", func(ctx context.Context, c client.Client, name string) error {
		return c.Create(ctx, anchor(root, name, api.FinalizerAnchor), client.DryRunAll)
	}},
	{"subnamespaceanchorfinalizer", func(ctx context.Context, c client.Client, name string) error {
		a := anchor(root, name)
		if err := c.Create(ctx, a, client.DryRunAll); err != nil {
			return err
		}
		if !slices.Contains(a.Finalizers, api.FinalizerAnchor) {
			return errUnchanged
		}
		return nil
	}},
	{"hncconfigurations", func(ctx context.Context, c client.Client, _ string) error {
		body := []byte(`{"spec":{"resources":[{"resource":"secrets","mode":"AllowPropagate"}]}}`)
		configuration := &api.HNCConfiguration{ObjectMeta: metav1.ObjectMeta{Name: api.HNCConfigurationName}}
		return c.Patch(ctx, configuration, client.RawPatch(types.MergePatchType, body), client.DryRunAll)
	}},
	{"objects", func(ctx context.Context, c client.Client, name string) error {
		// Banyan registers it by itself, so that only a refusal tells that it is there.
		err := c.Create(ctx, unreadable(name), client.DryRunAll)
		switch {
		case err == nil:
			return errUnchanged
		case apierrors.IsBadRequest(err) && strings.Contains(err.Error(), "denied the request"):
			return nil
		}
		return err
	}},
}

// scene makes what the requests are about.
func (m *measurement) scene(ctx context.Context) error {
	for _, ns := range []*corev1.Namespace{
		{ObjectMeta: metav1.ObjectMeta{Name: root}}, {ObjectMeta: metav1.ObjectMeta{Name: leaf}}, {ObjectMeta: metav1.ObjectMeta{Name: joiner}},
		{ObjectMeta: metav1.ObjectMeta{
			Name: foreign, Annotations: map[string]string{api.AnnotationManagedBy: "others"},
			Labels: map[string]string{reserved + api.LabelTreeDepthSuffix: "1"},
		}},
	} {
		if err := m.Client.Create(ctx, ns); err != nil {
			return fmt.Errorf("making the namespace %s: %w", ns.Name, err)
		}
	}
	if err := m.until(ctx, "the namespaces are a tree", func(ctx context.Context) error {
		return m.Client.Create(ctx, configuration(leaf, root))
	}); err != nil {
		return err
	}
	return m.until(ctx, "every webhook answers", func(ctx context.Context) error {
		for _, p := range probes {
			if err := p.ask(ctx, m.Client, "rehearsal"); err != nil {
				return fmt.Errorf("%s: %w", p.webhook, err)
			}
		}
		return nil
	})
}

// unreadable is a Role with a selector that is none.
func unreadable(name string) *rbacv1.Role {
	return &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{
		Namespace: root, Name: name, Annotations: map[string]string{api.AnnotationSelector: "!!"},
	}}
}

func configuration(namespace, parent string) *api.HierarchyConfiguration {
	return &api.HierarchyConfiguration{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: api.HierarchyConfigurationName},
		Spec:       api.HierarchyConfigurationSpec{Parent: parent},
	}
}

func anchor(namespace, name string, finalizers ...string) *api.SubnamespaceAnchor {
	return &api.SubnamespaceAnchor{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Finalizers: finalizers}}
}
