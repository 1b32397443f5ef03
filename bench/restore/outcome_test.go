// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package restore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/system"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// outcome of a restore, in words that do not depend on the names of a tree.
type outcome struct {
	// Depths are the tree labels of each namespace.
	Depths map[string]string
	// Parents, children and conditions of each namespace, by its HierarchyConfiguration.
	Parents    map[string]string
	Children   map[string]string
	Conditions map[string]string
	Anchor     string
	// Roles of each namespace: where they come from, and what they allow.
	Roles map[string]string
}

// want is what every order leads to.
var want = outcome{
	Depths:   map[string]string{"root": "root=0", "child": "child=0 root=1", "sub": "root=1 sub=0"},
	Parents:  map[string]string{"root": "", "child": "root", "sub": "root"},
	Children: map[string]string{"root": "child sub", "child": "", "sub": ""},
	Anchor:   "Ok, ready",
	Roles:    map[string]string{"root": "own: get", "child": "from root: get", "sub": "from root: get"},

	Conditions: map[string]string{"root": "", "child": "", "sub": ""},
}

// cluster is everything that trees are judged by, by namespace.
type cluster struct {
	namespaces     map[string]*corev1.Namespace
	configurations map[string]*api.HierarchyConfiguration
	anchors        map[string]*api.SubnamespaceAnchor
	roles          map[string]*rbacv1.Role
}

// observe reads all at once: there are too many trees to ask about each.
func observe(s *system.System) (c cluster, err error) {
	c.namespaces, err = list(s, &corev1.NamespaceList{}, func(l *corev1.NamespaceList) []corev1.Namespace { return l.Items },
		func(o *corev1.Namespace) string { return o.Name })
	if err != nil {
		return c, err
	}
	c.configurations, err = list(s, &api.HierarchyConfigurationList{}, func(l *api.HierarchyConfigurationList) []api.HierarchyConfiguration { return l.Items },
		func(o *api.HierarchyConfiguration) string { return o.Namespace })
	if err != nil {
		return c, err
	}
	c.anchors, err = list(s, &api.SubnamespaceAnchorList{}, func(l *api.SubnamespaceAnchorList) []api.SubnamespaceAnchor { return l.Items },
		func(o *api.SubnamespaceAnchor) string { return o.Namespace })
	if err != nil {
		return c, err
	}
	c.roles, err = list(s, &rbacv1.RoleList{}, func(l *rbacv1.RoleList) []rbacv1.Role { return l.Items },
		func(o *rbacv1.Role) string { return o.Namespace })
	return c, err
}

func list[L client.ObjectList, O any](s *system.System, l L, items func(L) []O, key func(*O) string) (map[string]*O, error) {
	if err := s.List(s.Context(), l); err != nil {
		return nil, fmt.Errorf("listing: %w", err)
	}
	found := map[string]*O{}
	for i, all := 0, items(l); i < len(all); i++ {
		found[key(&all[i])] = &all[i]
	}
	return found, nil
}

// judge returns how a tree differs from what it should be, or nothing.
func (t *tree) judge(c cluster) string {
	if difference := cmp.Diff(want, t.outcome(c)); difference != "" {
		return fmt.Sprintf("%s, in the order %v (-want +got)\n%s", t.name, t.order, difference)
	}
	if difference := cmp.Diff(t.identities(), t.survivors(c)); difference != "" {
		return fmt.Sprintf("%s, in the order %v: not all that was restored is still there (-restored +now)\n%s", t.name, t.order, difference)
	}
	return ""
}

func (t *tree) outcome(c cluster) outcome {
	o := outcome{Depths: map[string]string{}, Parents: map[string]string{}, Children: map[string]string{}, Conditions: map[string]string{}, Roles: map[string]string{}}
	for short, name := range map[string]string{"root": t.name, "child": t.childName(), "sub": t.subName()} {
		if ns := c.namespaces[name]; ns != nil {
			o.Depths[short] = t.depths(ns)
		}
		if hc := c.configurations[name]; hc != nil {
			o.Parents[short] = t.short(hc.Spec.Parent)
			o.Children[short] = t.shorts(hc.Status.Children)
			o.Conditions[short] = reasons(hc)
		}
		if r := c.roles[name]; r != nil {
			o.Roles[short] = t.describe(r)
		}
	}
	if a := c.anchors[t.name]; a != nil {
		o.Anchor = string(a.Status.State)
		if meta.IsStatusConditionTrue(a.Status.Conditions, api.ConditionReady) {
			o.Anchor += ", ready"
		}
	}
	return o
}

// survivors are those restored objects that are there, with the identity of now.
func (t *tree) survivors(c cluster) map[piece]types.UID {
	now := map[piece]types.UID{}
	see := func(p piece, there bool, object func() client.Object) {
		if _, restored := t.identities()[p]; restored && there {
			now[p] = object().GetUID()
		}
	}
	for p, name := range map[piece]string{root: t.name, child: t.childName(), sub: t.subName()} {
		ns := c.namespaces[name]
		see(p, ns != nil && ns.DeletionTimestamp == nil, func() client.Object { return ns })
	}
	hc, a, r := c.configurations[t.childName()], c.anchors[t.name], c.roles[t.name]
	see(configuration, hc != nil, func() client.Object { return hc })
	see(anchor, a != nil && a.DeletionTimestamp == nil, func() client.Object { return a })
	see(source, r != nil, func() client.Object { return r })
	return now
}

func (t *tree) depths(ns *corev1.Namespace) string {
	var all []string
	for key, depth := range ns.Labels {
		if ancestor, isTree := strings.CutSuffix(key, api.LabelTreeDepthSuffix); isTree {
			all = append(all, t.short(ancestor)+"="+depth)
		}
	}
	return sorted(all)
}

// describe a Role: its source, and what it allows.
func (t *tree) describe(r *rbacv1.Role) string {
	from := "own"
	if origin := r.Labels[api.LabelInheritedFrom]; origin != "" {
		from = "from " + t.short(origin)
	}
	var verbs []string
	for _, rule := range r.Rules {
		verbs = append(verbs, rule.Verbs...)
	}
	return from + ": " + sorted(verbs)
}

func (t *tree) short(name string) string {
	if rest, own := strings.CutPrefix(name, t.name); own {
		if rest == "" {
			return "root"
		}
		return strings.TrimPrefix(rest, "-")
	}
	return name
}

func (t *tree) shorts(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, t.short(name))
	}
	return sorted(all)
}

func reasons(hc *api.HierarchyConfiguration) string {
	var all []string
	for _, condition := range hc.Status.Conditions {
		all = append(all, condition.Reason)
	}
	return sorted(all)
}

func sorted(words []string) string {
	slices.Sort(words)
	return strings.Join(words, " ")
}
