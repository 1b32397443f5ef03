// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package admission

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/system"
	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// world is what the rules are asked about:
//
//	acme            other     ext (managed elsewhere)     lost <- orphan (lost is gone)
//	├── full        └── ours
//	└── [s] team
//	    └── [s] svc
//
// Roles, RoleBindings and Secrets are propagated. acme has the Secret "token" and
// the Role "reader"; svc has a Secret "taken" of its own, and so has ours; acme and
// svc each have a ConfigMap "clash".
type world struct{ *system.System }

func newWorld(t *testing.T) world {
	w := world{system.Start(t, system.Options{Scope: hierarchy.ScopeOptions{
		ManagedNamespaceLabels: []string{"team"}, ManagedNamespaceAnnotations: []string{"contact"},
	}})}
	w.Create(rights()...)
	w.configure("secrets", api.Propagate)
	w.configure("configmaps", api.Remove)
	for _, name := range []string{"acme", "other", "lost", "orphan", "full", "ours", "single"} {
		w.Create(system.Namespace(name))
	}
	external := system.Namespace("ext")
	external.Annotations = map[string]string{api.AnnotationManagedBy: "elsewhere"}
	external.Labels = map[string]string{"reserved" + api.LabelTreeDepthSuffix: "1"}
	w.Create(external)
	for child, parent := range map[string]string{"full": "acme", "ours": "other", "orphan": "lost"} {
		w.become(child, parent)
	}
	w.Admit(system.Anchor("acme", "team"))
	w.Eventually("team exists", w.Exists(&corev1.Namespace{}, "", "team"))
	w.Admit(system.Anchor("team", "svc"))
	w.Eventually("svc exists", w.Exists(&corev1.Namespace{}, "", "svc"))
	w.annotate("acme", "all")
	w.annotate("ours", "ours")
	w.Admit(system.Role("acme", "reader"), secret("acme", "token"), secret("svc", "taken"), secret("ours", "taken"))
	w.Admit(configMap("acme", "clash"), configMap("svc", "clash"))
	w.Remove(system.Namespace("lost"))
	for _, namespace := range []string{"team", "svc", "full"} {
		w.Eventually("the Secret arrives in "+namespace, w.Exists(&corev1.Secret{}, namespace, "token"))
		w.Eventually("the Role arrives in "+namespace, w.Exists(&rbacv1.Role{}, namespace, "reader"))
	}
	w.Eventually("orphan is halted", func() error {
		c := &api.HierarchyConfiguration{}
		if err := w.Exists(c, "orphan", api.HierarchyConfigurationName)(); err != nil {
			return err
		}
		if len(c.Status.Conditions) == 0 {
			return errors.New("it has no condition")
		}
		return nil
	})
	return w
}

// become moves a namespace, once both are known.
func (w world) become(child, parent string) {
	w.Helper()
	c := system.Configuration(child)
	w.Edit(c, true, func() { c.Spec.Parent = parent })
	w.Eventually(child+" is below "+parent, func() error {
		ns := &corev1.Namespace{}
		if err := w.Exists(ns, "", child)(); err != nil {
			return err
		}
		if _, below := ns.Labels[parent+api.LabelTreeDepthSuffix]; !below {
			return fmt.Errorf("its labels are %v", ns.Labels)
		}
		return nil
	})
}

// annotate gives a namespace and all below it a managed annotation.
func (w world) annotate(namespace, contact string) {
	w.Helper()
	c := system.Configuration(namespace)
	w.Edit(c, true, func() { c.Spec.Annotations = []api.MetaKVP{{Key: "contact", Value: contact}} })
}

func (w world) configure(resource string, mode api.SynchronizationMode) {
	w.Helper()
	c := &api.HNCConfiguration{ObjectMeta: metav1.ObjectMeta{Name: api.HNCConfigurationName}}
	w.Edit(c, true, func() { c.Spec.Resources = append(c.Spec.Resources, api.ResourceSpec{Resource: resource, Mode: mode}) })
}

// rights of Banyan to copy Secrets and ConfigMaps, and a role for users.
func rights() []client.Object {
	objects := []client.Object{
		&rbacv1.ClusterRole{
			ObjectMeta: metav1.ObjectMeta{Name: "more-for-banyan", Labels: map[string]string{"hnc.x-k8s.io/aggregate-to-banyan": "true"}},
			Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"secrets", "configmaps"},
				Verbs: []string{"get", "list", "watch", "create", "update", "patch", "delete"}}},
		},
		&rbacv1.ClusterRole{
			ObjectMeta: metav1.ObjectMeta{Name: "admin-of-hierarchy"},
			Rules:      []rbacv1.PolicyRule{{APIGroups: []string{api.Group}, Resources: []string{"*"}, Verbs: []string{"*"}}},
		},
	}
	return objects
}

// grant makes somebody an administrator of the hierarchy in some namespaces.
func (w world) grant(user string, namespaces ...string) {
	w.Helper()
	for _, namespace := range namespaces {
		b := system.RoleBinding(namespace, "admin-of-hierarchy-"+user, "")
		b.RoleRef = rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "admin-of-hierarchy"}
		b.Subjects[0].Name = user
		b.Annotations = map[string]string{api.AnnotationNoneSelector: "true"} // here, and not below
		w.Admit(b)
	}
}

func secret(namespace, name string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string][]byte{"k": []byte("v")}}
}
