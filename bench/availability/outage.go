// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"errors"
	"strings"
	"sync"
	"time"
)

// outage of one replica: as long as a request may meet it though it does not answer.
type outage struct {
	kind    string
	replica string
	// from the moment before it was killed or stopped, until the API server had no
	// connection to it any more and got no new one, or until it was ready again.
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

// slack is the time between two looks at the balancer, and more.
const slack = 50 * time.Millisecond

// explains says whether a request may have met the replica.
func (o outage) explains(f failure) bool {
	return !f.ended.Before(o.from) && !f.began.After(o.until.Add(slack))
}

// unanswered: the API server did not get an answer from a webhook. All other errors
// are answers, or come from the API server itself.
func unanswered(err error) bool {
	return errors.Is(err, errUnchanged) || strings.Contains(err.Error(), "failed calling webhook")
}

// sort failures into those that met a dead or stopped replica, by the number of the
// outage, and all others.
func sortOut(all []outage, failures []failure) (met map[int]int, rest []failure) {
	met = map[int]int{}
	for _, f := range failures {
		explained := false
		for i, o := range all {
			if unanswered(f.err) && o.explains(f) {
				met[i]++
				explained = true
				break
			}
		}
		if !explained {
			rest = append(rest, f)
		}
	}
	return met, rest
}
