// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/banyan-hns/banyan/shard"
)

// Report is what /shards answers: who owns what, as one replica sees it. Two
// replicas that answer differently are a finding.
type Report struct {
	Self    ReportSelf    `json:"self"`
	Ring    ReportRing    `json:"ring"`
	Summary Summary       `json:"summary"`
	Shards  []ReportShard `json:"shards"`
}

// ReportSelf is the replica that answers.
type ReportSelf struct {
	Member                string  `json:"member"`
	Incarnation           string  `json:"incarnation"`
	State                 string  `json:"state"`
	LeaseRemainingSeconds float64 `json:"leaseRemainingSeconds"`
	LeaseSeconds          float64 `json:"leaseSeconds"` // what a silent member is believed for
}

// ReportRing is the membership.
type ReportRing struct {
	Shards    int            `json:"activeP"`
	Hash      string         `json:"hash"`
	Agreement bool           `json:"agreement"`
	Members   []ReportMember `json:"members"`
}

// ReportMember is one member.
type ReportMember struct {
	Name            string  `json:"name"`
	State           string  `json:"state"`
	RingHash        string  `json:"ringHash"`
	LastSeenSeconds float64 `json:"lastSeenSeconds"`
	Owned           int     `json:"owned"`
	Desired         int     `json:"desired"`
	ShunnedSeconds  float64 `json:"shunnedSeconds"` // until Self gives it shards again: it did not take one
}

// ReportShard is one shard.
type ReportShard struct {
	ID             shard.ID `json:"id"`
	Lease          string   `json:"lease"`
	Holder         string   `json:"holder"`
	Desired        string   `json:"desired"`
	Epoch          int64    `json:"epoch"`
	State          string   `json:"state"`
	SinceSeconds   float64  `json:"sinceSeconds"`
	UnownedSeconds float64  `json:"unownedSeconds"`
	LastTransition string   `json:"lastTransition"` // why Holder has it: free, handover or takeover

	Roots      int          `json:"roots"`
	Namespaces int          `json:"namespaces"`
	Resync     ReportResync `json:"resync"`
}

// ReportResync is what waits in a shard to be read again since it was acquired.
type ReportResync struct {
	Pending       int     `json:"pending"`
	OldestSeconds float64 `json:"oldestSeconds"`
}

// Summary counts.
type Summary struct {
	Owned                int     `json:"owned"`
	Desired              int     `json:"desired"`
	Unowned              int     `json:"unowned"`
	Misplaced            int     `json:"misplaced"`
	Moving               int     `json:"handover"`
	OldestUnownedSeconds float64 `json:"oldestUnownedSeconds"`
	ResyncPending        int     `json:"resyncPending"`
	Namespaces           int     `json:"namespaces"`
	HotKeyShare          float64 `json:"hotKeyShare"`
	HotKeyShard          int     `json:"hotKeyShard"`
}

// Summarize counts the shards of a status.
func Summarize(status shard.Status) Summary {
	var sum Summary
	self := status.Self.Member()
	for _, s := range status.Shards {
		if s.State == shard.Owned && status.Remain > 0 {
			sum.Owned++
		}
		if s.Expected == self {
			sum.Desired++
		}
		if s.State != shard.Owned && s.State != shard.Idle && s.State != shard.Suspended {
			sum.Moving++
		}
		switch {
		case s.Holder == "":
			sum.Unowned++
			sum.OldestUnownedSeconds = max(sum.OldestUnownedSeconds, s.Vacant.Seconds())
		case s.Holder != s.Expected:
			sum.Misplaced++
		}
	}
	return sum
}

// NewReport puts a status into the words of /shards.
func NewReport(status shard.Status) Report {
	report := Report{
		Self: ReportSelf{
			Member: status.Self.Member(), Incarnation: string(status.Self),
			State: status.State.String(), LeaseRemainingSeconds: status.Remain.Seconds(),
		},
		Ring:    ReportRing{Shards: len(status.Shards), Hash: status.RingKey, Agreement: status.Agreed},
		Summary: Summarize(status),
	}
	for _, m := range status.Members {
		report.Ring.Members = append(report.Ring.Members, ReportMember{
			Name: m.Name, State: m.State.String(), RingHash: m.RingKey,
			LastSeenSeconds: m.Silent.Seconds(), Owned: m.Owned, Desired: m.Expected,
			ShunnedSeconds: m.Shunned.Seconds(),
		})
	}
	for _, s := range status.Shards {
		report.Shards = append(report.Shards, ReportShard{
			ID: s.ID, Lease: ShardName(s.ID, len(status.Shards)), Holder: s.Holder, Desired: s.Expected, Epoch: s.Epoch,
			State: s.State.String(), SinceSeconds: s.Since.Seconds(), UnownedSeconds: s.Vacant.Seconds(), LastTransition: string(s.Reason),
		})
	}
	return report
}

// fill adds what is in the shards.
func (r *Report) fill(census Census) {
	share, hot := census.hottest(func(shard.ID) bool { return true })
	r.Summary.HotKeyShare, r.Summary.HotKeyShard = share, int(hot)
	for i := range r.Shards {
		s := &r.Shards[i]
		in := census.Shards[s.ID]
		s.Roots, s.Namespaces = in.Roots, in.Namespaces
		s.Resync = ReportResync{Pending: in.Pending, OldestSeconds: in.Oldest.Seconds()}
		r.Summary.Namespaces += in.Namespaces
		r.Summary.ResyncPending += in.Pending
	}
}

// WriteText prints the report as tables.
func (r Report) WriteText(out io.Writer) {
	fmt.Fprintf(out, "%s (%s), %d shards: %d owned here, %d unowned, %d misplaced; ring %s, agreement %t\n\n",
		r.Self.Member, r.Self.State, r.Ring.Shards, r.Summary.Owned, r.Summary.Unowned, r.Summary.Misplaced, r.Ring.Hash, r.Ring.Agreement)
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "MEMBER\tSTATE\tOWNED\tDESIRED\tLAST SEEN\tSHARDS")
	for _, m := range r.Ring.Members {
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%.1fs\t%s\n", m.Name, m.State, m.Owned, m.Desired, m.LastSeenSeconds, r.ranges(m.Name))
	}
	if r.Summary.Unowned > 0 {
		fmt.Fprintf(table, "(nobody)\t\t%d\t\t\t%s\n", r.Summary.Unowned, r.ranges(""))
	}
	_ = table.Flush() // fails only as out fails, and then nobody reads
	for _, m := range r.Ring.Members {
		if m.ShunnedSeconds > 0 {
			fmt.Fprintf(out, "\n%s\n", m.shunned())
		}
	}
}

// shunned says why a shard may stay where it is, though the ring wants it moved.
func (m ReportMember) shunned() string {
	return fmt.Sprintf("%s did not take a shard that it was given, and gets none for another %.0f s", m.Name, m.ShunnedSeconds)
}

func (r Report) ranges(holder string) string {
	var ids []int
	for _, s := range r.Shards {
		if s.Holder == holder {
			ids = append(ids, int(s.ID))
		}
	}
	return Ranges(ids)
}

// Ranges writes numbers compactly: 0-3,7,9-10. None is "-".
func Ranges(ids []int) string {
	slices.Sort(ids)
	text := ""
	for i := 0; i < len(ids); {
		j := i
		for j+1 < len(ids) && ids[j+1] == ids[j]+1 {
			j++
		}
		if text != "" {
			text += ","
		}
		text += fmt.Sprint(ids[i])
		if j > i {
			text += fmt.Sprintf("-%d", ids[j])
		}
		i = j + 1
	}
	if text == "" {
		return "-"
	}
	return text
}
