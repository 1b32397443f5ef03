// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"cmp"
	"slices"
	"strconv"

	coordinationv1 "k8s.io/api/coordination/v1"
)

// unseenVerb is that of a step that stands for a Lease write that the log does not have: a later write
// names a version that nobody is seen to have made.
const unseenVerb = "unseen"

// withUnseen returns the events and, for each unknown version that a Lease write in
// the namespace was made for, a step that made it. It says how many there are, and how many of
// them it knows the content of.
func withUnseen(events []*event, namespace string) (all []*event, unseen, recovered int) {
	all = events
	for ref, steps := range leaseSteps(events, namespace) {
		for i := 1; i < len(steps); i++ {
			before, after := steps[i-1], steps[i]
			named := revisionOf(after.request.version)
			if after.verb == "create" || named <= before.revision {
				continue
			}
			step := explain(events, ref, before, named)
			if step.object != nil {
				recovered++
			}
			unseen++
			all = append(slices.Clip(all), step)
		}
	}
	return all, unseen, recovered
}

func leaseSteps(events []*event, namespace string) map[reference][]*event {
	leases := map[reference][]*event{}
	for _, e := range events {
		if e.ref.group == coordinationv1.GroupName && e.ref.namespace == namespace && e.outcome == done && e.ownsRevision() {
			leases[e.ref] = append(leases[e.ref], e)
		}
	}
	for _, steps := range leases {
		slices.SortFunc(steps, func(a, b *event) int { return cmp.Compare(a.revision, b.revision) })
	}
	return leases
}

// explain makes the unseen step that followed another. It has a writer if exactly one
// asked for such a write and got no answer, and then, if it is of a Lease, what was
// asked for: a Lease is always written whole.
func explain(events []*event, ref reference, before *event, revision uint64) *event {
	step := &event{verb: unseenVerb, ref: ref, revision: revision, hidden: true, received: before.received, answered: before.answered}
	var found *event
	for _, e := range events {
		if e.outcome != unanswered || e.ref != ref || e.verb == "delete" || revisionOf(e.request.version) != before.revision {
			continue
		}
		if found != nil && found.writer != e.writer {
			return step
		}
		found = e
	}
	if found == nil {
		return step
	}
	step.writer, step.verb, step.request = found.writer, found.verb, found.request
	step.received, step.answered = found.received, found.answered
	if lease, asked := found.object.(*coordinationv1.Lease); asked {
		lease = lease.DeepCopy()
		lease.ResourceVersion = strconv.FormatUint(revision, 10)
		step.object = lease
	}
	return step
}
