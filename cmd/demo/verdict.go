// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/banyan-hns/banyan/bench/audit"
	"github.com/banyan-hns/banyan/bench/replicas"
	"github.com/banyan-hns/banyan/shard"
)

// askTheLog checks the promises against what the API server itself wrote down.
func (s *stage) askTheLog(context.Context) error {
	report, err := s.audited()
	if err != nil {
		return err
	}
	s.Say("what the API server's audit log says:")
	s.show(report.String())
	return errors.Join(s.judgeWrites(report), s.judgeTakeover(report), s.judgeSilence(report))
}

func (s *stage) audited() (report audit.Report, err error) {
	file, err := os.Open(s.Plane.AuditLog())
	if err != nil {
		return report, fmt.Errorf("opening the audit log: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	log, err := audit.Read(file)
	if err != nil {
		return report, err
	}
	return log.Check(audit.Config{
		ServiceAccount: replicas.User, Namespace: replicas.Namespace, Shards: shard.DefaultShards,
	}), nil
}

// judgeWrites: every write was done by the holder of the shard.
func (s *stage) judgeWrites(report audit.Report) error {
	if len(report.Violations) > 0 {
		return fmt.Errorf("%d writes broke a rule, the first: %v", len(report.Violations), report.Violations[0])
	}
	s.Say("each of %d writes was done by the replica that held the shard", report.Counts.Judged)
	return nil
}

// judgeTakeover: after the kill, the shards of the dead changed hands in time, and
// nobody else's did.
func (s *stage) judgeTakeover(report audit.Report) error {
	const limit = leaseDuration + time.Second
	victim := names[1]
	taken, longest := 0, time.Duration(0)
	heirs := map[string][]time.Duration{}
	for _, gap := range report.Gaps {
		if gap.To.Before(s.killed) || gap.To.After(s.settled) {
			continue
		}
		if gap.Before.Member() != victim {
			return fmt.Errorf("%s lost shard %d to %s, though it lived", gap.Before.Member(), gap.Shard, gap.After.Member())
		}
		taken++
		longest = max(longest, gap.To.Sub(s.killed))
		heirs[gap.After.Member()] = append(heirs[gap.After.Member()], gap.To.Sub(s.killed))
	}
	for _, heir := range slices.Sorted(maps.Keys(heirs)) {
		s.Say("%s took %d shards of %s, each %.2fs to %.2fs after the kill",
			heir, len(heirs[heir]), victim, slices.Min(heirs[heir]).Seconds(), slices.Max(heirs[heir]).Seconds())
	}
	if taken == 0 {
		return fmt.Errorf("no shard of %s changed hands, so nothing was shown", victim)
	}
	if longest > limit {
		return fmt.Errorf("a shard of %s had no owner for %v after the kill; the limit is %v", victim, longest, limit)
	}
	s.Say("the %d shards of %s had new owners within %.1fs of the kill (limit %v); the others lost none",
		taken, victim, longest.Seconds(), limit)
	return nil
}

// judgeSilence: the restart of all replicas wrote nothing but Leases.
func (s *stage) judgeSilence(report audit.Report) error {
	leases := 0
	for _, tally := range report.Writes(s.restarted, s.silent) {
		if tally.Resource != "leases" {
			return fmt.Errorf("after a restart with nothing changed, %s did %d × %s %s", tally.Replica, tally.Count, tally.Verb, tally.Resource)
		}
		leases += tally.Count
	}
	s.Say("the restart of all replicas wrote %d Leases, and nothing else", leases)
	return nil
}
