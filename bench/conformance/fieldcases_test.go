// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/system"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// fieldCases are reports of people who ran HNC or something like it, by project
// and number: HNC is kubernetes-sigs/hierarchical-namespaces, MT its former home
// multi-tenancy, ACC cybozu-go/accurate, KOR cloudfoundry/korifi.
//
// Others are shown elsewhere: hnc-23 by 13.3 and cmd/banyan TestUninstall; hnc-53
// by 13.2.16; hnc-72 by 13.9.21; hnc-104 and hnc-140 by 13.10.8; hnc-210 by 13.7.7;
// hnc-228 by TestLateSourcesDeleteNothing and, in hierarchy/controller,
// TestCopyOutlivesWhatTheCacheMissed; hnc-241 by 13.10.7; hnc-351 by 13.9.4 to 9;
// hnc-11 by hierarchy TestExcludedInTheMiddle; kor-243 by hierarchy/propagate
// TestAssigned; the memory of copies by TestSizeOfACopy; mt-973 by bench/scale.
// What is not done about some stands at the end of docs/differences.md.
var fieldCases = scenarios{
	"acc-33":   serviceAccountLosesTokens,
	"acc-84":   oneFieldManager,
	"hnc-143":  overriddenLabel,
	"hnc-200":  stuckNamespace,
	"hnc-215":  seededInEveryNamespace,
	"hnc-270":  lastChildLeaves,
	"hnc-353":  trackingIsNotCopied,
	"hnc-399":  usersObjectAfterOptIn,
	"kor-538":  readyMeansArrived,
	"mt-1154":  bindingBeforeItsRole,
	"big":      largeSecret,
	"identity": identityStays,
}

// serviceAccountLosesTokens: the Secrets that a ServiceAccount lists are those of
// its own namespace.
func serviceAccountLosesTokens(s *scene) {
	k := kind{schema.GroupVersionKind{Version: "v1", Kind: "ServiceAccount"}, "serviceaccounts", "imagePullSecrets", []any{map[string]any{"name": "registry"}}}
	s.setMode(k, api.AllowPropagate)
	s.active(k, api.AllowPropagate)
	s.tree("parent", "parent/child")
	s.midway()
	s.put(k, "parent", "robot", annotated(api.AnnotationAllSelector, "true"), with("secrets", []any{map[string]any{"name": "robot-token"}}))
	s.arrives(k, "parent", "robot", "child")
	require.NotContains(s, s.read(k, "child", "robot").Object, "secrets")
}

// oneFieldManager: everything that is written is owned under one name.
func oneFieldManager(s *scene) {
	s.tree("parent", "parent/child")
	s.midway()
	s.put(roles, "parent", "role")
	s.arrives(roles, "parent", "role", "child")
	s.alter(roles, "parent", "role", granting("list"))
	s.arrives(roles, "parent", "role", "child")
	for _, entry := range s.read(roles, "child", "role").GetManagedFields() {
		require.Equal(s, "banyan", entry.Manager)
	}
}

// overriddenLabel: an ancestor's value prevails, and whoever asked for another
// one is told.
func overriddenLabel(s *scene) {
	s.tree("parent", "parent/child")
	s.configure("parent", func(spec *api.HierarchyConfigurationSpec) { spec.Labels = pairs(legal, "of-parent") })
	s.midway()
	s.configure("child", func(spec *api.HierarchyConfigurationSpec) { spec.Labels = pairs(legal, "of-child") })
	s.troubled("child", api.ReasonOverriddenManagedLabel)
	s.carries(managedLabels, "of-parent", "child")
	s.configure("parent", func(spec *api.HierarchyConfigurationSpec) { spec.Labels = nil })
	s.troubled("child")
	s.carries(managedLabels, "of-child", "child")
}

// stuckNamespace: what keeps a namespace from ending does not keep its anchor,
// and the parent can go. Both say what is in the way.
func stuckNamespace(s *scene) {
	s.namespaces("parent")
	s.subnamespaces("parent", "child")
	s.put(secrets, "child", "stuck", finalized)
	s.midway()
	s.Remove(system.Anchor(s.name("parent"), s.name("child")))
	anchor := &api.SubnamespaceAnchor{}
	s.Eventually("the anchor says what is left", func() error {
		if err := s.Exists(anchor, s.name("parent"), s.name("child"))(); err != nil {
			return err
		}
		ready := meta.FindStatusCondition(anchor.Status.Conditions, api.ConditionReady)
		if ready == nil || ready.Reason != api.ReasonTerminating || !strings.Contains(ready.Message, conformanceGroup+"/finalizer") {
			return fmt.Errorf("it says %+v", ready)
		}
		return nil
	})
	s.Within(3*time.Minute, "the anchor is let go", s.Gone(&api.SubnamespaceAnchor{}, s.name("parent"), s.name("child")))
	anchors := kind{GroupVersionKind: api.GroupVersion.WithKind("SubnamespaceAnchor")}
	require.Positive(s, s.eventsOn(anchors, "parent", s.name("child"), api.ReasonSubnamespaceStuck))
	s.deleteNamespace("parent")
	s.alter(secrets, "child", "stuck", unfinalized)
	s.namespaceGone("child")
}

// seededInEveryNamespace: objects that another controller puts into every
// namespace, by names that the flags say, are left alone on both sides.
func seededInEveryNamespace(s *scene) {
	s.tree("parent", "child")
	s.put(roles, "parent", seeded, granting("get"))
	s.put(roles, "child", seeded, granting("list"))
	before := s.read(roles, "child", seeded)
	s.midway()
	s.setParent("child", "parent")
	s.sentinel(roles, "parent", "child")
	require.Equal(s, before.GetResourceVersion(), s.read(roles, "child", seeded).GetResourceVersion())
	require.Zero(s, s.eventsOn(roles, "child", seeded, "ObjectReplaced"))
}

// lastChildLeaves: the parent can be a namespace like any other again.
func lastChildLeaves(s *scene) {
	s.namespaces("parent")
	s.subnamespaces("parent", "child")
	s.configured("parent", "it is kept while there are anchors", func(hc *api.HierarchyConfiguration) bool {
		return slices.Contains(hc.Finalizers, api.FinalizerHasSubnamespace)
	})
	s.midway()
	s.deleteAnchor("parent", "child")
	s.children("parent")
	s.configured("parent", "nothing keeps it", func(hc *api.HierarchyConfiguration) bool { return len(hc.Finalizers) == 0 })
	require.NoError(s, s.Delete(s.Context(), system.Configuration(s.name("parent"))))
	s.subnamespaces("parent", "sentinel")
}

// trackingIsNotCopied: Argo CD and others know what they applied by labels and
// annotations. A copy is none of theirs.
func trackingIsNotCopied(s *scene) {
	s.tree("parent", "parent/child")
	s.midway()
	s.put(roles, "parent", "role",
		withLabel("app.kubernetes.io/instance", "app"), withLabel("mine", "1"),
		annotated("argocd.argoproj.io/tracking-id", "app:role"), annotated("note", "1"))
	s.arrives(roles, "parent", "role", "child")
	copied := s.read(roles, "child", "role")
	require.Equal(s, map[string]string{
		"mine": "1", api.LabelInheritedFrom: s.name("parent"), api.LabelManagedByApps: api.Group,
	}, copied.GetLabels())
	require.Equal(s, map[string]string{"note": "1"}, copied.GetAnnotations())
}

// usersObjectAfterOptIn: in mode AllowPropagate, a user's object that takes the
// place of a copy which is about to go is neither deleted nor replaced.
func usersObjectAfterOptIn(s *scene) {
	k := s.things()
	s.define(k)
	s.setMode(k, api.AllowPropagate)
	s.active(k, api.AllowPropagate)
	s.tree("parent", "parent/child")
	s.put(k, "parent", "thing", annotated(api.AnnotationAllSelector, "true"))
	s.arrives(k, "parent", "thing", "child")
	s.midway()
	own := k.object(s.name("child"), "thing")
	own.Object["spec"] = map[string]any{"foo": "mine"}
	s.alter(k, "parent", "thing", unannotated)
	s.Eventually("a user takes the place in the moment that it is free", func() error { return s.Client.Create(s.Context(), own) })
	s.alter(k, "parent", "thing", annotated(api.AnnotationAllSelector, "true"))
	s.told(k, "child", "thing", "ObjectInTheWay")
	s.sentinel(k, "parent", "child")
	now := s.read(k, "child", "thing")
	require.Equal(s, own.GetUID(), now.GetUID())
	require.Equal(s, own.Object["spec"], now.Object["spec"])
	require.NotContains(s, now.GetLabels(), api.LabelInheritedFrom)
}

// readyMeansArrived: whoever waits for the condition need not wait for anything
// else.
func readyMeansArrived(s *scene) {
	s.namespaces("org")
	const objects, rounds = 5, 10
	for i := range objects {
		s.put(roles, "org", fmt.Sprintf("role-%d", i))
		s.put(roleBindings, "org", fmt.Sprintf("binding-%d", i))
	}
	for round := range rounds {
		if round == rounds/2 {
			s.midway()
		}
		space := fmt.Sprintf("space-%d", round)
		s.anchor("org", space)
		s.Eventually(space+" is ready", func() error {
			anchor := &api.SubnamespaceAnchor{}
			if err := s.Exists(anchor, s.name("org"), s.name(space))(); err != nil {
				return err
			}
			if !meta.IsStatusConditionTrue(anchor.Status.Conditions, api.ConditionReady) {
				return fmt.Errorf("its conditions are %+v", anchor.Status.Conditions)
			}
			return nil
		})
		require.NoError(s, s.Exists(&corev1.Namespace{}, "", s.name(space))())
		for i := range objects {
			s.read(roles, space, fmt.Sprintf("role-%d", i))
			s.read(roleBindings, space, fmt.Sprintf("binding-%d", i))
		}
	}
}

// bindingBeforeItsRole: a RoleBinding need not wait for its Role.
func bindingBeforeItsRole(s *scene) {
	s.tree("parent", "parent/child")
	ofRole := with("roleRef", map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "late"})
	s.put(roleBindings, "parent", "binding", ofRole)
	s.arrives(roleBindings, "parent", "binding", "child")
	s.midway()
	s.put(roles, "parent", "late")
	s.arrives(roles, "parent", "late", "child")
}

// largeSecret: an object may be as large as the API server allows.
func largeSecret(s *scene) {
	s.tree("parent", "parent/child")
	s.midway()
	big := strings.Repeat("QUJD", 250_000)
	s.put(secrets, "parent", "large", with("data", map[string]any{"a": big}))
	s.arrives(secrets, "parent", "large", "child")
	s.alter(secrets, "parent", "large", with("data", map[string]any{"b": big}))
	s.arrives(secrets, "parent", "large", "child")
}

// identityStays: what ties an object to its own namespace is not copied.
func identityStays(s *scene) {
	s.tree("parent", "parent/child")
	s.put(configMaps, "parent", "owner")
	owner := s.read(configMaps, "parent", "owner")
	s.midway()
	s.put(roles, "parent", "role", func(u *unstructured.Unstructured) {
		u.SetName("")
		u.SetGenerateName("generated-")
		u.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: owner.GetUID()}})
	})
	list := roles.list()
	require.NoError(s, s.List(s.Context(), list, client.InNamespace(s.name("parent"))))
	require.Len(s, list.Items, 1)
	name := list.Items[0].GetName()
	s.arrives(roles, "parent", name, "child")
	copied := s.read(roles, "child", name)
	require.Empty(s, copied.GetOwnerReferences())
	require.Empty(s, copied.GetGenerateName())
	require.NotEqual(s, list.Items[0].GetUID(), copied.GetUID())
}
