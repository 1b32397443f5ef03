// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package replicas

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/lease"
)

// Shards asks one replica who owns what.
func (s *Set) Shards(ctx context.Context, name string) (lease.Report, error) {
	var report lease.Report
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.MetricsURL(name)+"/shards", http.NoBody)
	if err != nil {
		return report, err
	}
	response, err := statusClient.Do(request)
	if err != nil {
		return report, fmt.Errorf("asking %s for its shards: %w", name, err)
	}
	defer func() { _ = response.Body.Close() }()
	if err := json.NewDecoder(response.Body).Decode(&report); err != nil {
		return report, fmt.Errorf("reading the shards of %s: %w", name, err)
	}
	return report, nil
}

// WaitSettled waits until the named replicas, sorted, are the members of the ring,
// agree, and hold together every shard, each by the member that the ring names.
func (s *Set) WaitSettled(ctx context.Context, names ...string) error {
	var last error
	err := wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		last = s.settled(ctx, names)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for every shard to have its owner: %w (last: %w)", err, last)
	}
	return nil
}

func (s *Set) settled(ctx context.Context, names []string) error {
	owned, shards := 0, 0
	for _, name := range names {
		report, err := s.Shards(ctx, name)
		if err != nil {
			return err
		}
		if sum := report.Summary; sum.Unowned > 0 || sum.Misplaced > 0 || sum.Moving > 0 || !report.Ring.Agreement {
			return fmt.Errorf("%s sees %d unowned, %d misplaced, %d moving; agreement %t; shunned: %v",
				name, sum.Unowned, sum.Misplaced, sum.Moving, report.Ring.Agreement, shunned(report))
		}
		if active := activeMembers(report); !slices.Equal(active, names) {
			return fmt.Errorf("%s sees %v in the ring", name, active)
		}
		owned, shards = owned+report.Summary.Owned, report.Ring.Shards
	}
	if owned != shards {
		return fmt.Errorf("%d of %d shards are open", owned, shards)
	}
	return nil
}

// shunned are the members that the replica gives nothing for now, and for how long.
func shunned(report lease.Report) map[string]string {
	all := map[string]string{}
	for _, member := range report.Ring.Members {
		if member.ShunnedSeconds > 0 {
			all[member.Name] = fmt.Sprintf("%.0f s", member.ShunnedSeconds)
		}
	}
	return all
}

func activeMembers(report lease.Report) []string {
	var active []string
	for _, member := range report.Ring.Members {
		if member.State == shard.MemberActive.String() {
			active = append(active, member.Name)
		}
	}
	return active
}
