// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// kill one replica while namespaces are made, and watch the others take over.
func (s *stage) kill(ctx context.Context) error {
	victim := names[1]
	prober := startProber(ctx, s.Client)
	defer prober.stop()
	late := make([]string, 0, 10)
	for i := range 10 {
		late = append(late, fmt.Sprintf("team-%d", i))
	}
	s.Say("making %d more subnamespaces; in the middle, %s is killed (SIGKILL)", len(late)*len(roots), victim)
	for i, suffix := range late {
		if i == len(late)/2 {
			if err := s.Set.Kill(victim); err != nil {
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
	s.Say("nothing was lost: all %d subnamespaces exist and have what they inherit", len(late)*len(roots))
	prober.stop()
	return s.judgeAdmission(prober)
}

// anchors makes one subnamespace in each tree. A request that met the replica that
// was just killed is repeated, as any client would.
func (s *stage) anchors(ctx context.Context, suffix string) error {
	for _, root := range roots {
		anchor := &api.SubnamespaceAnchor{ObjectMeta: metav1.ObjectMeta{Namespace: root, Name: root + "-" + suffix}}
		err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, 5*time.Second, true, func(ctx context.Context) (bool, error) {
			err := s.Client.Create(ctx, anchor.DeepCopy())
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
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := wait.PollUntilContextCancel(ctx, 10*time.Millisecond, true, func(context.Context) (bool, error) {
		return !slices.Contains(s.Set.Ready(), victim), nil
	}); err != nil {
		return fmt.Errorf("waiting for the balancer to notice: %w", err)
	}
	s.unready = time.Now()
	if err := s.Set.WaitSettled(ctx, survivors...); err != nil {
		return err
	}
	s.settled = time.Now()
	s.Say("%s hold every shard again, %.1fs after the kill:", strings.Join(survivors, " and "), s.settled.Sub(s.killed).Seconds())
	report, err := s.Set.Shards(ctx, survivors[0])
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
	s.Say("admission: %d requests answered, the slowest in %v; %d met the killed replica before the balancer knew",
		p.answered, p.slowest.Round(time.Millisecond), explained)
	if len(unexplained) > 0 {
		return fmt.Errorf("%d admission requests failed without a reason, the first: %w", len(unexplained), unexplained[0].err)
	}
	if p.answered == 0 {
		return fmt.Errorf("no admission request was answered, so nothing was shown")
	}
	return nil
}
