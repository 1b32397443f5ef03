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
	s.say("done: everything came out as promised")
	return nil
}

// share: each replica becomes the leader of its shards.
func (s *stage) share(ctx context.Context) error {
	if err := s.settle(ctx); err != nil {
		return err
	}
	report, err := s.set.Shards(ctx, names[0])
	if err != nil {
		return err
	}
	s.say("every shard has its owner:")
	var text strings.Builder
	report.WriteText(&text)
	s.show(text.String())
	return nil
}

func (s *stage) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := s.set.WaitReady(ctx, names...); err != nil {
		return err
	}
	return s.set.WaitSettled(ctx, names...)
}

// grow a forest of subnamespaces, with Roles and RoleBindings at the roots.
func (s *stage) grow(ctx context.Context) error {
	s.say("making %d trees; each root has a Role and a RoleBinding", len(roots))
	for _, root := range roots {
		for _, object := range seeds(root) {
			if err := s.client.Create(ctx, object); err != nil {
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
	s.say("all subnamespaces exist, and have what they inherit:")
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
	meta := metav1.ObjectMeta{Namespace: root, Name: "reader"}
	return []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: root}},
		&rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get", "list"}}}},
		&rbacv1.RoleBinding{
			ObjectMeta: meta,
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

// arrived waits until each namespace is there and has its copies.
func (s *stage) arrived(ctx context.Context, namespaces []string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
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
	key := client.ObjectKey{Namespace: namespace, Name: "reader"}
	return s.client.Get(ctx, client.ObjectKey{Name: namespace}, &corev1.Namespace{}) == nil &&
		s.client.Get(ctx, key, &rbacv1.Role{}) == nil &&
		s.client.Get(ctx, key, &rbacv1.RoleBinding{}) == nil
}

// kill one replica while namespaces are made, and watch the others take over.
func (s *stage) kill(ctx context.Context) error {
	victim := names[1]
	prober := startProber(ctx, s.client)
	defer prober.stop()
	late := make([]string, 0, 10)
	for i := range 10 {
		late = append(late, fmt.Sprintf("team-%d", i))
	}
	s.say("making %d more subnamespaces; in the middle, %s is killed (SIGKILL)", len(late)*len(roots), victim)
	for i, suffix := range late {
		if i == len(late)/2 {
			if err := s.set.Kill(victim); err != nil {
				return err
			}
			s.killed = time.Now()
		}
		if err := s.anchors(ctx, suffix); err != nil {
			return err
		}
	}
	if err := s.awaitTakeover(ctx, victim); err != nil {
		return err
	}
	if err := s.arrived(ctx, everywhere(late)); err != nil {
		return err
	}
	s.say("nothing was lost: all %d subnamespaces exist and have what they inherit", len(late)*len(roots))
	prober.stop()
	return s.judgeAdmission(prober)
}

// anchors makes one subnamespace in each tree. A request that met the replica that
// was just killed is repeated, as any client would.
func (s *stage) anchors(ctx context.Context, suffix string) error {
	for _, root := range roots {
		anchor := &api.SubnamespaceAnchor{ObjectMeta: metav1.ObjectMeta{Namespace: root, Name: root + "-" + suffix}}
		err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, 5*time.Second, true, func(ctx context.Context) (bool, error) {
			err := s.client.Create(ctx, anchor.DeepCopy())
			if err != nil && strings.Contains(err.Error(), "failed calling webhook") {
				return false, nil
			}
			return err == nil, err
		})
		if err != nil {
			return fmt.Errorf("making the subnamespace %s: %w", anchor.Name, err)
		}
	}
	return nil
}

func (s *stage) awaitTakeover(ctx context.Context, victim string) error {
	survivors := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == victim })
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := wait.PollUntilContextCancel(ctx, 10*time.Millisecond, true, func(context.Context) (bool, error) {
		return !slices.Contains(s.set.Ready(), victim), nil
	}); err != nil {
		return fmt.Errorf("waiting for the balancer to notice: %w", err)
	}
	s.unready = time.Now()
	if err := s.set.WaitSettled(ctx, survivors...); err != nil {
		return err
	}
	s.settled = time.Now()
	s.say("%s hold every shard again, %.1fs after the kill:", strings.Join(survivors, " and "), s.settled.Sub(s.killed).Seconds())
	report, err := s.set.Shards(ctx, survivors[0])
	if err != nil {
		return err
	}
	var text strings.Builder
	report.WriteText(&text)
	s.show(text.String())
	return nil
}

func (s *stage) judgeAdmission(p *prober) error {
	explained, unexplained := p.judge(s.killed, s.unready)
	s.say("admission: %d requests answered, the slowest in %v; %d met the killed replica before the balancer knew",
		p.answered, p.slowest.Round(time.Millisecond), explained)
	if len(unexplained) > 0 {
		return fmt.Errorf("%d admission requests failed without a reason, the first: %w", len(unexplained), unexplained[0].err)
	}
	if p.answered == 0 {
		return fmt.Errorf("no admission request was answered, so nothing was shown")
	}
	return nil
}

// comeBack: the killed replica is started again, and is given its shards.
func (s *stage) comeBack(ctx context.Context) error {
	began := time.Now()
	if err := s.set.StartReplica(ctx, names[1]); err != nil {
		return err
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	s.say("%s is back and has its shards, %.1fs after its start", names[1], time.Since(began).Seconds())
	return nil
}

// restartSilently ends all replicas and starts them again: since nothing changed,
// they have nothing to write but Leases.
func (s *stage) restartSilently(ctx context.Context) error {
	s.say("restarting all three replicas, with nothing changed")
	s.restarted = time.Now()
	for _, name := range names {
		if err := s.set.Terminate(name); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := s.set.StartReplica(ctx, name); err != nil {
			return err
		}
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	if err := s.swept(ctx); err != nil {
		return err
	}
	s.silent = time.Now()
	s.say("all shards have their owners again, and every namespace was read again")
	return nil
}

// swept waits until no replica has anything left to look at.
func (s *stage) swept(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err := wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		for _, name := range names {
			pending, err := s.set.Metric(ctx, name, "banyan_resync_pending")
			if err != nil || pending > 0 {
				return false, nil
			}
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the sweeps to end: %w", err)
	}
	return nil
}
