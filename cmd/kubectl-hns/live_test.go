// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/controlplane"
	"github.com/banyan-hns/banyan/config"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// live is a real API server that has the CRDs, and no controller: what one
// would report, the tests write.
type live struct {
	client.Client
	kubeconfig string
}

func (l live) hns(t *testing.T, args ...string) outcome {
	t.Helper()
	return hns(t.Context(), append(args, "--kubeconfig", l.kubeconfig)...)
}

func (l live) create(t *testing.T, objects ...client.Object) {
	t.Helper()
	for _, object := range objects {
		require.NoError(t, l.Create(t.Context(), object), object.GetName())
	}
}

func (l live) createPlaces(t *testing.T, families map[string]family) {
	t.Helper()
	for name, f := range families {
		p := f.place(name)
		l.create(t, &p.namespace, &p.hierarchy)
	}
}

func startLive(t *testing.T) live {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cp, err := controlplane.Start(ctx, controlplane.Options{Dir: t.TempDir(), Out: t.Output()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, cp.Stop()) })

	scheme, err := newScheme()
	require.NoError(t, err)
	require.NoError(t, apiextensionsv1.AddToScheme(scheme))
	require.NoError(t, rbacv1.AddToScheme(scheme))
	c, err := client.New(cp.Config(), client.Options{Scheme: scheme})
	require.NoError(t, err)
	l := live{Client: c, kubeconfig: cp.Kubeconfig()}

	crds, err := config.CRDs()
	require.NoError(t, err)
	for _, crd := range crds {
		l.create(t, crd)
	}
	require.Eventually(t, func() bool {
		return c.List(ctx, &api.HierarchyConfigurationList{}) == nil && c.List(ctx, &api.SubnamespaceAnchorList{}) == nil
	}, time.Minute, 100*time.Millisecond, "the CRDs must be served")
	l.create(t, namespaceOf("acme", nil), namespaceOf("hnc-system", nil))
	return l
}

// TestLive runs the whole program against a real API server. Its parts share
// one, since each takes some ten seconds to start.
func TestLive(t *testing.T) {
	l := startLive(t)
	t.Run("create", func(t *testing.T) { testCreate(t, l) })
	t.Run("set", func(t *testing.T) { testSet(t, l) })
	t.Run("tree", func(t *testing.T) { testTree(t, l) })
	t.Run("tree with rights in one tree", func(t *testing.T) { testTreeOfLimitedUser(t, l) })
	t.Run("describe", func(t *testing.T) { testDescribe(t, l) })
	t.Run("shards", func(t *testing.T) { testShards(t, l) })
}

func testCreate(t *testing.T, l live) {
	require.Equal(t, outcome{out: "Successfully created \"team-a\" subnamespace anchor in \"acme\" namespace\n"},
		l.hns(t, "create", "team-a", "-n", "acme"))
	require.NoError(t, l.Get(t.Context(), client.ObjectKey{Namespace: "acme", Name: "team-a"}, &api.SubnamespaceAnchor{}))

	require.Equal(t, outcome{code: 1, out: "Could not create subnamespace anchor.\n" +
		"Reason: subnamespaceanchors.hnc.x-k8s.io \"team-a\" already exists\n"},
		l.hns(t, "create", "team-a", "-n", "acme"))
}

func testSet(t *testing.T, l live) {
	l.create(t, namespaceOf("set-x", nil))
	spec := func() api.HierarchyConfigurationSpec {
		hierarchy := &api.HierarchyConfiguration{}
		require.NoError(t, l.Get(t.Context(), client.ObjectKey{Namespace: "set-x", Name: "hierarchy"}, hierarchy))
		return hierarchy.Spec
	}

	require.Equal(t, outcome{out: "Setting the parent of set-x to acme\nAllowing cascading deletion on set-x\n" +
		"Succesfully updated 2 properties of the hierarchical configuration of set-x\n"}, //nolint:misspell // as in HNC
		l.hns(t, "set", "set-x", "-p", "acme", "-a"))
	require.Equal(t, api.HierarchyConfigurationSpec{Parent: "acme", AllowCascadingDeletion: true}, spec())

	require.Equal(t, outcome{out: "Unsetting the parent of set-x, which was acme\n" +
		"Succesfully updated 1 property of the hierarchical configuration of set-x\n"}, //nolint:misspell // as in HNC
		l.hns(t, "set", "set-x", "--root"))
	require.Equal(t, api.HierarchyConfigurationSpec{AllowCascadingDeletion: true}, spec())

	require.Equal(t, outcome{out: "set-x has no parent; unchanged\nNo changes made\n"}, l.hns(t, "set", "set-x", "--root"))

	require.Equal(t, outcome{code: 1, out: "Setting the parent of nowhere to acme\n" +
		"\nCould not update the hierarchical configuration of nowhere.\nReason: namespaces \"nowhere\" not found\n"},
		l.hns(t, "set", "nowhere", "-p", "acme"))
}

func testTree(t *testing.T, l live) {
	l.createPlaces(t, map[string]family{
		"tree-r":  {children: []string{"tree-a", "tree-b"}},
		"tree-a":  {parent: "tree-r", sub: true, children: []string{"tree-a1"}},
		"tree-a1": {parent: "tree-a"},
		"tree-b":  {parent: "tree-r"},
	})
	const drawn = `tree-r
├── [s] tree-a
│   └── tree-a1
└── tree-b
`
	const legend = "\n[s] indicates subnamespaces\n"
	require.Equal(t, outcome{out: drawn + legend}, l.hns(t, "tree", "tree-r"))

	all := l.hns(t, "tree", "--all-namespaces")
	require.Equal(t, 0, all.code)
	require.Equal(t, "acme\ndefault\nhnc-system\nkube-node-lease\nkube-public\nkube-system\nset-x\n"+drawn+legend, all.out)

	require.Contains(t, l.hns(t, "tree", "tree-b", "-A").out, "\ntree-a\n└── tree-a1\n",
		"with both, every namespace is drawn as a root")
	require.Equal(t, outcome{code: 1, out: "Error: reading namespace \"nowhere\": namespaces \"nowhere\" not found\n"},
		l.hns(t, "tree", "nowhere"))
}

func testTreeOfLimitedUser(t *testing.T, l live) {
	for _, namespace := range []string{"tree-a", "tree-a1"} {
		meta := metav1.ObjectMeta{Namespace: namespace, Name: "look"}
		l.create(t, &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"get"}},
			{APIGroups: []string{api.Group}, Resources: []string{"hierarchyconfigurations"}, Verbs: []string{"get"}},
		}}, &rbacv1.RoleBinding{
			ObjectMeta: meta,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "look"},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "alice"}},
		})
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.Equal(c, outcome{out: "tree-a\n└── tree-a1\n"}, l.hns(t, "tree", "tree-a", "--as", "alice"))
	}, time.Minute, 100*time.Millisecond, "the API server must learn of the roles")

	refused := l.hns(t, "tree", "tree-r", "--as", "alice")
	require.Equal(t, 1, refused.code)
	require.Contains(t, refused.out, `Error: reading namespace "tree-r": namespaces "tree-r" is forbidden`)
}

func testDescribe(t *testing.T, l live) {
	l.createPlaces(t, map[string]family{
		"desc-x": {parent: "acme", children: []string{"desc-a", "desc-b"}, conditions: []metav1.Condition{{
			Type: "ActivitiesHalted", Reason: "ParentMissing", Message: "no parent",
			Status: metav1.ConditionTrue, LastTransitionTime: metav1.Now(),
		}}},
	})
	for name, state := range map[string]api.AnchorState{"desc-b": api.Ok, "desc-c": api.Conflict} {
		a := anchor(name, state)
		a.Namespace = "desc-x"
		l.create(t, &a)
	}
	for name, component := range map[string]string{"ours": eventSource, "theirs": "kubelet"} {
		l.create(t, &corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{Namespace: "desc-x", Name: name},
			Source:         corev1.EventSource{Component: component},
			InvolvedObject: corev1.ObjectReference{Kind: "Role", Namespace: "desc-x", Name: "admin"},
			Reason:         "CannotPropagateObject", Message: name,
			LastTimestamp: metav1.NewTime(time.Now().Add(-90 * time.Minute)),
		})
	}

	require.Equal(t, outcome{out: `Hierarchy configuration for namespace desc-x
  Parent: acme
  Children:
  - desc-a
  - desc-b (subnamespace)
  - desc-c (Conflict subnamespace)
  Allows Cascading Deletion: false
  Conditions:
  - ActivitiesHalted (ParentMissing): no parent

Events from the objects in namespace desc-x
Last Seen Reason                Object            Message
90m       CannotPropagateObject Role:desc-x/admin ours
`}, l.hns(t, "describe", "desc-x"))

	events, err := fetchEvents(t.Context(), l, "desc-x")
	require.NoError(t, err)
	require.Len(t, events, 1, "the API server must select the events")

	require.Equal(t, outcome{code: 1, out: "Error: reading namespace \"nowhere\": namespaces \"nowhere\" not found\n"},
		l.hns(t, "describe", "nowhere"))
}

func testShards(t *testing.T, l live) {
	require.Equal(t, outcome{out: "MEMBER   STATE   SHARDS   RING\n0 shards, 0 owned, 0 unowned\n"}, l.hns(t, "shards"))
	require.Equal(t, outcome{code: 1, out: "Error: no shards in namespace \"hnc-system\"; give the namespace of Banyan by --controller-namespace\n"},
		l.hns(t, "shards", "acme"))

	for _, lease := range []coordinationv1.Lease{
		memberLease("banyan-0", "banyan-0/u/i", "active", "9c41"),
		memberLease("banyan-1", "", "fenced", "9c41"),
		shardLease(0, 2, "banyan-0/u/i"), shardLease(1, 2, "banyan-1/u/i"),
	} {
		lease.ResourceVersion = ""
		l.create(t, &lease)
	}
	require.Equal(t, outcome{out: `MEMBER     STATE    SHARDS   RING
banyan-0   active   1 (0)    9c41
banyan-1   fenced   0        9c41
unowned 1: held by banyan-1, which is fenced
2 shards, 1 owned, 1 unowned
`}, l.hns(t, "shards"))
	require.Contains(t, l.hns(t, "shards", "-o", "json").out, "\n  \"summary\": {\n    \"owned\": 1,\n    \"unowned\": 1\n  },\n")

	got := l.hns(t, "shards", "tree-a1")
	require.Equal(t, 0, got.code)
	require.Regexp(t, `^Namespace: tree-a1\nKey:       tree-r\nShard:     [01] of 2\nOwner:     (banyan-0|nobody .*)\n$`, got.out)

	require.Equal(t, outcome{code: 1, out: "Error: namespace \"nowhere\" does not exist\n"}, l.hns(t, "shards", "nowhere"))
	require.Equal(t, outcome{out: "MEMBER   STATE   SHARDS   RING\n0 shards, 0 owned, 0 unowned\n"},
		l.hns(t, "shards", "--controller-namespace", "acme"))
}
