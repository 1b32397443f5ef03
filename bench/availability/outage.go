// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"slices"
	"sync"
	"time"
)

// outage of one replica: as long as a request may meet it though it does not answer.
type outage struct {
	kind    string
	replica string
	// from the moment before it was killed or frozen, until it had said that it is not
	// ready, or nothing, to the balancer, and the API server had no connection to it any
	// more; or until it was ready again.
	from, until time.Time
	// noticed is when the balancer began to send new connections elsewhere.
	noticed time.Time
}

// outages that were until now.
type outages struct {
	mu  sync.Mutex
	all []outage
}

func (o *outages) add(next outage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, next)
}

func (o *outages) list() []outage {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.all)
}

// slack is the time between two looks at the balancer, and more.
const slack = 50 * time.Millisecond

// shows has the faults by which a request may have met a replica, by what was done to
// it. One that is told to end has none: it answers to the last.
var shows = map[string][]fault{
	kill:   {cutOff, passedOver},
	freeze: {silence, passedOver},
}

// explains says whether a request may have met the replica, and failed by it.
func (o outage) explains(f failure) bool {
	return slices.Contains(shows[o.kind], faultOf(f.err)) && !f.ended.Before(o.from) && !f.began.After(o.until.Add(slack))
}

// sorted are the failures of requests by what they say of Banyan.
type sorted struct {
	met      map[int]int // a replica that was down, by the number of the outage
	unserved []failure   // nothing: the API server itself gave no answer
	broken   []failure   // they reached a ready replica, or none though some were ready
}

// excused is how many met a replica that was down.
func (s sorted) excused() int {
	sum := 0
	for _, n := range s.met {
		sum += n
	}
	return sum
}

// sortOut gives the benefit of the doubt to nobody: what cannot be explained by an
// outage at that moment, of a kind that shows in this way, should not have failed.
func sortOut(all []outage, failures []failure) sorted {
	s := sorted{met: map[int]int{}}
	for _, f := range failures {
		i := slices.IndexFunc(all, func(o outage) bool { return o.explains(f) })
		switch {
		case i >= 0:
			s.met[i]++
		case faultOf(f.err) == unserved:
			s.unserved = append(s.unserved, f)
		default:
			s.broken = append(s.broken, f)
		}
	}
	return s
}
