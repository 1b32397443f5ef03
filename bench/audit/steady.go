// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/banyan-hns/banyan/shard/lease"
)

// Steady is a time in which a given number of replicas has nothing to do. It needs
// times; revisions are not looked at.
type Steady struct {
	Name string `json:"name"`
	Span
	// Members is how many replicas are alive.
	Members int `json:"members"`
	// Renew is their renew period, in seconds.
	Renew float64 `json:"renew"`
}

// touch is how often the holder of a shard writes its record, though nothing
// changed.
const touch = 600 * time.Second

// Cost is what C6 found of a steady time.
type Cost struct {
	Name string
	Time time.Duration
	// Puts of Leases by replicas, those of them that changed a holder, a state or
	// a ring, and how many puts there may be.
	Puts, Changes, Allowed int
	// Gets and lists of Leases by replicas.
	Gets int
}

// costs observes the writes of Leases in steady times.
type costs struct {
	spans []Cost
	last  map[reference]string // what each Lease said
}

func newCosts(marks Marks) *costs {
	c := &costs{last: map[reference]string{}}
	for _, s := range marks.Steady {
		c.spans = append(c.spans, Cost{Name: s.Name, Time: s.Duration()})
	}
	return c
}

// observe a Lease write right before it is folded.
func (c *costs) observe(w *world, e *event) {
	object, known := e.object.(*coordinationv1.Lease)
	if _, _, isMember, isShard := w.ours(e.ref); !known || !isMember && !isShard || !w.isReplica(e.writer) {
		return
	}
	said := gist(object)
	changed := said != c.last[e.ref]
	c.last[e.ref] = said
	for i, s := range w.cfg.Marks.Steady {
		if s.place(e.answered, 0) != 0 {
			continue
		}
		c.spans[i].Puts++
		if changed {
			c.spans[i].Changes++
		}
	}
}

// gist is what a Lease says, but for the time.
func gist(l *coordinationv1.Lease) string {
	epoch := int32(0)
	if l.Spec.LeaseTransitions != nil {
		epoch = *l.Spec.LeaseTransitions
	}
	return fmt.Sprint(holderOf(l), epoch, l.Annotations[lease.AnnotationState], l.Annotations[lease.AnnotationRingHash])
}

// judgeCosts is C6: a heartbeat each period, a touch of each shard now and then, a
// write for each change, and a tenth more; at its borders, one more of each
// replica. Nobody reads Leases: watches tell.
func (c *check) judgeCosts(reads []read) {
	for i, s := range c.world.cfg.Marks.Steady {
		cost := &c.costs.spans[i]
		seconds := cost.Time.Seconds()
		needed := float64(s.Members)*seconds/s.Renew + float64(c.world.cfg.Shards)*seconds/touch.Seconds() + float64(cost.Changes)
		cost.Allowed = int(1.1*needed) + s.Members
		for _, r := range reads {
			if c.world.isReplica(r.writer) && s.place(r.at, 0) == 0 {
				cost.Gets++
			}
		}
		c.judged[RuleCost] += cost.Puts
		fault := func(format string, args ...any) { c.fault(RuleCost, s.To, s.Name+": "+fmt.Sprintf(format, args...)) }
		if cost.Puts > cost.Allowed {
			fault("%d Lease writes in %v, of which %d changed anything; %d are allowed", cost.Puts, cost.Time, cost.Changes, cost.Allowed)
		}
		if cost.Gets > 0 {
			fault("replicas read Leases %d times", cost.Gets)
		}
		if len(reads) == 0 {
			fault("the log has no reads of Leases at all, so it says nothing of those of replicas; let its policy log get and list of leases")
		}
	}
	c.report.Costs = c.costs.spans
}
