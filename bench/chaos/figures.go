// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/banyan-hns/banyan/bench/audit"
	"github.com/banyan-hns/banyan/bench/table"
	"github.com/banyan-hns/banyan/shard"
)

// figures are what a run measured besides its verdict.
func (r *result) figures() table.Table {
	t := table.Table{Head: []string{"figure", "goal", ""}}
	calm := r.gaps(func(g audit.Gap) bool { return g.Cause == audit.CauseHandover && r.inScenario(g, string(Scale)) })
	addGaps(&t, "hand-over when the number of replicas changes, and nothing is wrong", "1.00", calm)
	addGaps(&t, "hand-over in the time of faults", "", r.gaps(func(g audit.Gap) bool { return g.Cause == audit.CauseHandover }))
	limit := seconds(shard.DefaultLeaseDuration + time.Second)
	t.Add("take-over after SIGKILL, from the last heartbeat, longest, s", limit, longest(r.gaps(r.afterKill(false))))
	t.Add("  with no other replica in trouble, longest, s", limit, longest(r.gaps(r.afterKill(true))))
	for _, cause := range audit.Causes {
		lengths := r.gaps(func(g audit.Gap) bool { return g.Cause == cause })
		t.Add(fmt.Sprintf("shards without an owner by %s, times", cause), "", fmt.Sprint(len(lengths)))
		if len(lengths) > 0 {
			t.Add("  all together, s", "", seconds(sum(lengths)))
			t.Add("  longest, s", "", longest(lengths))
		}
	}
	if moves, times := r.moves(string(Roll)); times > 0 {
		t.Add("moves of a shard in a rolling update, on average", "1.00", fmt.Sprintf("%.2f", float64(moves)/float64(times*shard.DefaultShards)))
	}
	if moves, times := r.moves("api-server 30s"); times > 0 {
		t.Add("shards moved by 30 s without API server", "0", fmt.Sprint(moves))
	}
	for _, cost := range r.report.Costs {
		goal := ""
		if strings.HasPrefix(cost.Name, fmt.Sprint(few)) {
			goal = "2.0"
		}
		t.Add("heartbeats a second, "+cost.Name, goal, fmt.Sprintf("%.1f", float64(cost.Puts)/cost.Time.Seconds()))
	}
	for _, fresh := range r.report.Probes {
		t.Add(fresh.Name+": p99, s", "1.00", seconds(fresh.Latency.P99))
	}
	t.Add("moves between trees that ended with another replica", "", fmt.Sprint(r.report.Counts.Handed))
	return t
}

func addGaps(t *table.Table, what, goal string, lengths []time.Duration) {
	t.Add(what+", times", "", fmt.Sprint(len(lengths)))
	if len(lengths) > 0 {
		t.Add("  p50, s", "", seconds(quantile(lengths, 50)))
		t.Add("  p99, s", goal, seconds(quantile(lengths, 99)))
	}
}

// gaps of a sort in the time of faults and after it, shortest first.
func (r *result) gaps(of func(audit.Gap) bool) []time.Duration {
	var lengths []time.Duration
	for _, g := range r.report.Gaps {
		if g.To.After(r.began) && of(g) {
			lengths = append(lengths, g.Duration())
		}
	}
	slices.Sort(lengths)
	return lengths
}

// inScenario reports whether a gap was in one whose name begins so.
func (r *result) inScenario(g audit.Gap, name string) bool {
	return slices.ContainsFunc(r.scenarios, func(s audit.Scenario) bool {
		return strings.HasPrefix(s.Name, name) && !g.From.Before(s.From) && g.To.Before(s.To)
	})
}

// afterKill picks the take-overs from a replica that was killed and did not come back
// before its lease was over; alone says that no other had a fault at that time.
func (r *result) afterKill(alone bool) func(audit.Gap) bool {
	return func(g audit.Gap) bool {
		if g.Cause != audit.CauseTakeover {
			return false
		}
		return slices.ContainsFunc(r.deeds, func(d deed) bool {
			if d.Kind != Kill || d.Lasts <= shard.DefaultLeaseDuration || r.names[max(0, d.Replica)] != g.Before.Member() {
				return false
			}
			return g.To.After(d.From) && g.To.Before(d.To) && !(alone && r.inTrouble(d))
		})
	}
}

// afterwards belongs to a fault, too: what it set off is not over with it.
const afterwards = 15 * time.Second

// inTrouble reports whether another fault touched the time of this one.
func (r *result) inTrouble(d deed) bool {
	return slices.ContainsFunc(r.deeds, func(other deed) bool {
		return other.At != d.At && other.From.Before(d.To) && other.To.Add(afterwards).After(d.From)
	})
}

// moves in the scenarios of a name, all together, and how many of these there were.
func (r *result) moves(name string) (moves, times int) {
	for _, m := range r.report.Scenarios {
		if m.Name == name {
			moves, times = moves+m.Moves, times+1
		}
	}
	return moves, times
}

func sum(lengths []time.Duration) (total time.Duration) {
	for _, d := range lengths {
		total += d
	}
	return total
}

// longest of lengths that are sorted.
func longest(sorted []time.Duration) string {
	if len(sorted) == 0 {
		return "-"
	}
	return seconds(sorted[len(sorted)-1])
}

// quantile is the smallest that so many percent do not exceed.
func quantile(sorted []time.Duration, percent int) time.Duration {
	return sorted[max(0, (len(sorted)*percent+99)/100-1)]
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()) }
