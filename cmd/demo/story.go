// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// roots of the trees, and the teams below each.
var (
	roots = []string{"acme", "globex", "initech", "umbrella", "hooli", "stark"}
	teams = []string{"dev", "ops"}
)

// tell the story, act by act. Any act that does not come out as promised ends it.
func (s *stage) tell(ctx context.Context) error {
	for _, act := range []func(context.Context) error{
		s.share, s.grow, s.kill, s.comeBack, s.restartSilently, s.askTheLog,
	} {
		if err := act(ctx); err != nil {
			return err
		}
	}
	s.Say("done: everything came out as promised")
	return nil
}

// share: each replica becomes the leader of its shards.
func (s *stage) share(ctx context.Context) error {
	if err := s.settle(ctx); err != nil {
		return err
	}
	report, err := s.Set.Shards(ctx, names[0])
	if err != nil {
		return err
	}
	s.Say("every shard has its owner:")
	var text strings.Builder
	report.WriteText(&text)
	s.show(text.String())
	return nil
}

// patience is the bound of everything that the story waits for.
const patience = time.Minute

func (s *stage) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return s.Settle(ctx)
}

// grow a forest of subnamespaces, with Roles and RoleBindings at the roots.
func (s *stage) grow(ctx context.Context) error {
	s.Say("making %d trees; each root has a Role and a RoleBinding", len(roots))
	for _, root := range roots {
		for _, object := range seeds(root) {
			if err := s.Client.Create(ctx, object); err != nil {
				return fmt.Errorf("making the tree %s: %w", root, err)
			}
		}
		for _, team := range teams {
			if _, err := s.hns(ctx, "create", root+"-"+team, "-n", root); err != nil {
				return err
			}
		}
	}
	if err := s.arrived(ctx, everywhere(teams)); err != nil {
		return err
	}
	s.Say("all subnamespaces exist, and have what they inherit:")
	tree, err := s.hns(ctx, "tree", roots[0], roots[1])
	if err != nil {
		return err
	}
	s.show(tree)
	description, err := s.hns(ctx, "describe", roots[0])
	if err != nil {
		return err
	}
	s.show(description)
	return nil
}

func seeds(root string) []client.Object {
	reader := metav1.ObjectMeta{Namespace: root, Name: "reader"}
	return []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: root}},
		&rbacv1.Role{ObjectMeta: reader, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get", "list"}}}},
		&rbacv1.RoleBinding{
			ObjectMeta: reader,
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: root}},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "reader"},
		},
	}
}

// everywhere lists root-suffix for all roots.
func everywhere(suffixes []string) []string {
	var all []string
	for _, root := range roots {
		for _, suffix := range suffixes {
			all = append(all, root+"-"+suffix)
		}
	}
	return all
}

// arrived waits until each namespace is there and has its copies, and its anchor
// says so.
func (s *stage) arrived(ctx context.Context, namespaces []string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	missing := slices.Clone(namespaces)
	err := wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		missing = slices.DeleteFunc(missing, func(namespace string) bool { return s.complete(ctx, namespace) })
		return len(missing) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for what %d namespaces inherit, %v among them: %w", len(missing), missing[0], err)
	}
	return nil
}

func (s *stage) complete(ctx context.Context, namespace string) bool {
	root, _, _ := strings.Cut(namespace, "-")
	anchor, key := &api.SubnamespaceAnchor{}, client.ObjectKey{Namespace: namespace, Name: "reader"}
	return s.Client.Get(ctx, client.ObjectKey{Namespace: root, Name: namespace}, anchor) == nil &&
		meta.IsStatusConditionTrue(anchor.Status.Conditions, api.ConditionReady) &&
		s.Client.Get(ctx, key, &rbacv1.Role{}) == nil &&
		s.Client.Get(ctx, key, &rbacv1.RoleBinding{}) == nil
}
