// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"time"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/shard"
)

// Config says who is checked.
type Config struct {
	// ServiceAccount is the user name of the replicas, as the audit log has it:
	// "system:serviceaccount:NAMESPACE:NAME".
	ServiceAccount string
	// Namespace of the replicas and their Leases.
	Namespace string
	// Shards is P, the number of shards.
	Shards int
	// Scope is what the replicas were told to manage. The zero Scope is all.
	Scope hierarchy.Scope
	// Marks say what the rig did. The zero Marks leave C4 without limits, and C5, C6
	// and C9 without anything to judge.
	Marks Marks
	// Require names rules that must judge something, or else that is a violation. A
	// rule that Marks give something to judge is one of them in any case.
	Require []string
}

// Rules, as violations name them.
const (
	// RuleEvidence: there is something to check.
	RuleEvidence = "evidence"
	// RuleOwner: whoever writes holds the shard.
	RuleOwner = "C1 owner"
	// RuleStamp: in a namespace that is moving between shards, nothing is written but
	// the end of the move.
	RuleStamp = "S1 stamp"
	// RuleTransfer: shards change hands in legal ways only.
	RuleTransfer = "C2 transfer"
	// RuleFence: nothing is written by a life that has ended, and nobody ends that of
	// another before it was silent for a whole lease.
	RuleFence = "C3 fence"
	// RuleGap: no shard is long without an owner.
	RuleGap = "C4 gap"
	// RuleMoves: each shard moves as often as the ring demands, and no more.
	RuleMoves = "C5 moves"
	// RuleCost: a steady cluster writes heartbeats, and no more.
	RuleCost = "C6 cost"
	// RuleFresh: changes of users arrive in time, whatever else is to be done.
	RuleFresh = "C9 fresh"
	// RuleEpoch: within an epoch, one process writes in a namespace.
	RuleEpoch = "C10 epoch"
	// RuleConditional: no write is unconditional.
	RuleConditional = "C8 conditional"
)

// Report is what a log shows.
type Report struct {
	Violations []Violation
	// Meddling lists who else wrote Leases of the replicas. It is no violation of
	// theirs, but it explains much.
	Meddling []Meddling
	Counts   Counts
	// Gaps are the times without a valid holder, in order of their beginning.
	Gaps []Gap
	// Fences are the lives that others ended.
	Fences []Fence
	// Rules say of each rule how much it judged, in the order of Rules.
	Rules []Judged
	// Lines are how many lines of each sort there were, most of them first.
	Lines []Lines
	// Outages are the times in which the API server answered nobody.
	Outages []Span
	// Scenarios, Costs and Probes are what was found of those in the Marks, in
	// their order.
	Scenarios []Moved
	Costs     []Cost
	Probes    []Fresh

	writes  []write
	changes []change
}

// Violation is a write that must not be.
type Violation struct {
	Rule string
	// Time at which the API server answered.
	Time time.Time
	// Revision is 0 if the log does not tell.
	Revision uint64
	// Replica is the life that wrote: Pod, its UID and its process.
	Replica     string
	Object      string
	Explanation string
}

// Meddling is a write of a Lease by somebody who is no replica.
type Meddling struct {
	Time   time.Time
	User   string
	Verb   string
	Object string
}

// Counts say how much a report rests on.
type Counts struct {
	// Events in the log, and lines that are none.
	Events, Unreadable int
	// Writes of replicas that succeeded, and those of them that are judged:
	// into namespaces of others, or to what belongs to no namespace.
	Writes, Judged int
	// Unordered is how many of the judged have no revision of their own.
	Unordered int
	// Moving counts writes that were allowed only because the namespace had just
	// changed trees without a stamp.
	Moving int
	// Late counts writes that were allowed only because the move had just got its
	// stamp, of which the owner could not know yet.
	Late int
	// Stamped and Unstamped count changes between shards that users made: those
	// with a stamp, and those without.
	Stamped, Unstamped int
	// Handed counts the moves with a stamp that ended with another holder than they
	// began.
	Handed int
	// Meddled counts writes that were allowed only because somebody had just
	// changed a Lease by hand.
	Meddled int
	// Unclear counts writes while the log does not tell who held the shard.
	Unclear int
	// Unseen counts Lease writes that are missing in the log, and Recovered
	// those of them that a request without an answer explains.
	Unseen, Recovered int
	// Watched counts versions that only the record has, and Lost how often the record
	// has a hole.
	Watched, Lost int
	// Unowned is how many shards that once had a holder have none when the log ends.
	Unowned int
	// Opaque counts writes whose bodies were not logged, so that C8 says nothing
	// about them.
	Opaque int
}

// Cause says how a gap came about.
type Cause string

const (
	// CauseTakeover: the holder before was fenced. The gap begins with its last
	// good heartbeat.
	CauseTakeover Cause = "takeover"
	// CauseHandover: the holder before gave the shard back.
	CauseHandover Cause = "handover"
	// CauseRestart: the same member got the shard again in a new life.
	CauseRestart Cause = "restart"
	// CauseOutage: while it lasted, the API server was down for a time.
	CauseOutage Cause = "outage"
	// CauseHand: somebody deleted or emptied the Lease of the shard, or the
	// heartbeat of its holder, by hand. The gap begins there.
	CauseHand Cause = "hand"
	// CauseColdStart: while it lasted, all replicas were down at once, as Marks tell.
	CauseColdStart Cause = "cold start"
)

// Causes are all of them.
var Causes = []Cause{CauseTakeover, CauseHandover, CauseRestart, CauseOutage, CauseHand, CauseColdStart}

// Gap is a time in which a shard had no valid holder, though it once had one.
type Gap struct {
	Shard         shard.ID
	Cause         Cause
	From, To      time.Time
	Before, After shard.Identity
}

// Duration of the gap.
func (g Gap) Duration() time.Duration { return g.To.Sub(g.From) }

// Fence is the end that others made to a life.
type Fence struct {
	Time time.Time
	Life shard.Identity
	By   string
	// Wrote says whether the life ever wrote anything but Leases; if so, Slack is
	// the time from the answer to its last write to the answer to the fence.
	Wrote bool
	Slack time.Duration
}

// Tally is how often a replica did one thing.
type Tally struct {
	Replica, Verb, Resource string
	Count                   int
}
