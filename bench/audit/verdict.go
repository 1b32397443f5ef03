// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

// verdict on one write by one rule, from worst to best. A write that can have
// happened at several moments gets the best verdict of them all.
type verdict int

const (
	// violates: it must not be.
	violates verdict = iota
	// unclear: the log does not tell who held the shard.
	unclear
	// meddled: somebody changed a Lease by hand, and replicas had no time to see it.
	meddled
	// moving: the namespace changed trees without a stamp, and replicas had no time to see it.
	moving
	// late: the namespace began to change trees, and its owner had no time to see it.
	late
	// allowed without a reservation.
	allowed
)

// finding is a verdict, and in words why it is not better.
type finding struct {
	verdict verdict
	why     string
	// idle: the rule has nothing to say of such a write.
	idle bool
}

func (f finding) best(other finding) finding {
	if other.verdict > f.verdict {
		f.verdict, f.why = other.verdict, other.why
	}
	f.idle = f.idle && other.idle
	return f
}

// judge is a rule about single writes. It looks at the world as it was right
// before the write.
type judge struct {
	rule  string
	judge func(*world, *event) finding
}

var judges = []judge{
	{RuleOwner, owner},
	{RuleStamp, settled},
	{RuleFence, fenced},
	{RuleEpoch, single},
}
