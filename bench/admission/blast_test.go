// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package admission

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/replicas"
	"github.com/banyan-hns/banyan/bench/system"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// quick is what a request may take that no webhook is asked about.
const quick = 10 * time.Second

// TestBlastRadius: with every replica dead, the cluster goes on and what is
// protected stays so; with the replicas back, all is as before.
func TestBlastRadius(t *testing.T) {
	w := newWorld(t)
	w.Admit(secret("acme", "parting"))
	w.Eventually("it arrives", w.Exists(&corev1.Secret{}, "full", "parting"))
	w.doom("doomed")
	for _, name := range system.Names {
		require.NoError(t, w.Set.Kill(name))
	}
	w.Eventually("nobody answers", func() error {
		if ready := w.Set.Ready(); len(ready) > 0 {
			return fmt.Errorf("%v are ready", ready)
		}
		return nil
	})

	t.Run("goes on", func(t *testing.T) { w.each(t, goesOn, allowed) })
	t.Run("is refused", func(t *testing.T) {
		w.each(t, refused, func(t *testing.T, err error) {
			require.True(t, apierrors.IsForbidden(err), "%v", err)
			require.NotContains(t, err.Error(), "failed calling webhook")
		})
	})
	t.Run("has to wait", func(t *testing.T) {
		w.each(t, waits, func(t *testing.T, err error) { require.ErrorContains(t, err, "failed calling webhook") })
	})

	for _, name := range system.Names {
		require.NoError(t, w.Set.StartReplica(w.Context(), name))
	}
	w.Ready()
	t.Run("is mended", func(t *testing.T) {
		w := world{w.With(t)}
		w.Eventually("the namespace made meanwhile is managed", func() error {
			ns := &corev1.Namespace{}
			if err := w.Exists(ns, "", "meanwhile")(); err != nil {
				return err
			}
			if ns.Labels[api.LabelIncludedNamespace] != "true" || ns.Labels["meanwhile"+api.LabelTreeDepthSuffix] != "0" {
				return fmt.Errorf("its labels are %v", ns.Labels)
			}
			return nil
		})
		w.Eventually("the source that was deleted meanwhile takes its copies along", w.Gone(&corev1.Secret{}, "full", "parting"))
		w.Eventually("anchors are admitted again", func() error { return create(system.Anchor("acme", "again"))(w.Context(), w.Client) })
	})
}

// doom makes a child of acme that is going away and waits for one object in it.
func (w world) doom(name string) {
	w.Helper()
	w.Create(system.Namespace(name))
	w.become(name, "acme")
	w.Eventually("a copy arrives", w.Exists(&corev1.Secret{}, name, "token"))
	held := configMap(name, "held")
	held.Finalizers = []string{"example.com/held"}
	w.Create(held)
	w.Remove(system.Namespace(name))
}

func allowed(t *testing.T, err error) {
	t.Helper()
	require.NoError(t, err)
}

func (w world) each(t *testing.T, requests map[string]request, judge func(*testing.T, error)) {
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(w.Context(), quick)
			defer cancel()
			judge(t, requests[name](ctx, w.Client))
		})
	}
}

func pod(namespace, name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: corev1.PodSpec{
			AutomountServiceAccountToken: ptr.To(false),
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: ptr.To(true), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{Name: "c", Image: "example.com/c", SecurityContext: &corev1.SecurityContext{
				AllowPrivilegeEscalation: ptr.To(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			}}},
		},
	}
}

// life of an object: it is created, changed, and deleted.
func life[O client.Object](o O) request {
	return func(ctx context.Context, c client.Client) error {
		for _, step := range []request{
			create(o),
			change(o, func(o O) { o.SetAnnotations(label("color", "red")) }),
			remove(o),
		} {
			if err := step(ctx, c); err != nil {
				return err
			}
		}
		return nil
	}
}

func status[O client.Object](o O, edit func(O)) request {
	return func(ctx context.Context, c client.Client) error {
		for {
			if err := c.Get(ctx, client.ObjectKeyFromObject(o), o); err != nil {
				return err
			}
			edit(o)
			if err := c.Status().Update(ctx, o); !apierrors.IsConflict(err) {
				return err
			}
		}
	}
}

func inOrder(steps ...request) request {
	return func(ctx context.Context, c client.Client) error {
		for i, step := range steps {
			if err := step(ctx, c); err != nil {
				return fmt.Errorf("step %d: %w", i+1, err)
			}
		}
		return nil
	}
}

func lease(namespace string) *coordinationv1.Lease {
	return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "blast"}}
}

func event(namespace string) *corev1.Event {
	return &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: namespace, Name: "blast"},
		InvolvedObject: corev1.ObjectReference{Namespace: namespace, Kind: "Pod", Name: "p"},
	}
}

func node() *corev1.Node { return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "blast"}} }

func statefulSet(namespace, name string) *appsv1.StatefulSet {
	labels := label("app", name)
	return &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: appsv1.StatefulSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod("", "").Spec},
		},
	}
}

func until(what request, good func(error) bool) request {
	return func(ctx context.Context, c client.Client) error {
		for {
			err := what(ctx, c)
			if good(err) {
				return nil
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("in the end: %w (%w)", err, ctx.Err())
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
}

func get(o client.Object) request {
	return func(ctx context.Context, c client.Client) error {
		return c.Get(ctx, client.ObjectKeyFromObject(o), o.DeepCopyObject().(client.Object))
	}
}

// goesOn is what needs no replica.
var goesOn = map[string]request{
	"pods in a managed namespace": life(pod("acme", "blast")),
	"the status of pods": inOrder(create(pod("full", "status")),
		status(pod("full", "status"), func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning })),
	"scheduling": inOrder(create(node()), create(pod("full", "bound")), func(ctx context.Context, c client.Client) error {
		binding := &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: "blast"}}
		return c.SubResource("binding").Create(ctx, pod("full", "bound"), binding)
	}),
	"the heartbeats of nodes": inOrder(life(lease("kube-node-lease")),
		create(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "beating"}}),
		status(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "beating"}}, func(n *corev1.Node) {
			n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		})),
	"Leases in kube-system":                        life(lease("kube-system")),
	"Leases in managed namespaces":                 life(lease("acme")),
	"Events in managed namespaces":                 life(event("acme")),
	"objects of types that are not propagated":     inOrder(life(configMap("acme", "blast")), life(statefulSet("acme", "blast"))),
	"anything in kube-system":                      inOrder(life(secret("kube-system", "blast")), life(system.Role("kube-system", "blast"))),
	"a namespace is created":                       create(system.Namespace("meanwhile")),
	"a namespace gets a label that nobody manages": change(system.Namespace("acme"), func(ns *corev1.Namespace) { ns.Labels["color"] = "red" }),
	"an excluded namespace is edited":              change(system.Namespace("kube-public"), func(ns *corev1.Namespace) { ns.Annotations = label("color", "red") }),
	"a namespace without a tree is deleted":        inOrder(create(system.Namespace("brief")), remove(system.Namespace("brief"))),
	"a namespace that is going away goes, with its copies": inOrder(
		change(configMap("doomed", "held"), func(o *corev1.ConfigMap) { o.Finalizers = nil }),
		until(get(system.Namespace("doomed")), apierrors.IsNotFound)),
	"a source is deleted":               remove(secret("acme", "parting")),
	"the content of a source is edited": editSecret("acme", "token", func(s *corev1.Secret) { s.Data["k"] = []byte("new") }),
	"the status of a hierarchy":         change(system.Configuration("full"), func(c *api.HierarchyConfiguration) { c.Status.Children = []string{} }),
	"an anchor is let go of by hand":    change(system.Anchor("team", "svc"), func(a *api.SubnamespaceAnchor) { a.Annotations = label("color", "red") }),
	"Banyan's StatefulSet":              life(statefulSet(replicas.Namespace, "banyan")),
	"Banyan's certificate":              life(secret(replicas.Namespace, "hnc-webhook-server-cert")),
	"Banyan's pods":                     life(pod(replicas.Namespace, "banyan-9")),
	"the trust in Banyan": change(&admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "hnc-validating-webhook-configuration"},
	}, func(c *admissionregistrationv1.ValidatingWebhookConfiguration) { c.Labels = label("color", "red") }),
	"the control plane publishes what each namespace needs": until(get(configMap("meanwhile", "kube-root-ca.crt")), func(err error) bool { return err == nil }),
}

// refused is what the API server refuses by itself.
var refused = map[string]request{
	"a copy is edited":                       editSecret("full", "token", func(s *corev1.Secret) { s.Data["k"] = []byte("w") }),
	"a copy is deleted":                      remove(secret("full", "token")),
	"all copies are deleted":                 removeAll("full"),
	"a copy is made":                         create(copied(secret("full", "fresh"), "acme")),
	"a copy says that it is none":            editSecret("full", "token", func(s *corev1.Secret) { delete(s.Labels, api.LabelInheritedFrom) }),
	"a source says that it is a copy":        editSecret("acme", "token", func(s *corev1.Secret) { copied(s, "other") }),
	"a tree label is forged":                 change(system.Namespace("full"), func(ns *corev1.Namespace) { ns.Labels["other"+api.LabelTreeDepthSuffix] = "1" }),
	"a namespace is said not to be included": change(system.Namespace("full"), func(ns *corev1.Namespace) { delete(ns.Labels, api.LabelIncludedNamespace) }),
}

// waits is what only a forest can judge.
var waits = map[string]request{
	"a namespace moves":                    reparent("full", "other"),
	"a subnamespace is created":            create(system.Anchor("acme", "fresh")),
	"a subnamespace is deleted":            remove(system.Anchor("team", "svc")),
	"a managed namespace is deleted":       remove(system.Namespace("single")),
	"a new object of a propagated type":    create(secret("acme", "fresh")),
	"the types that are propagated change": setMode("configmaps", api.Propagate),
}
