// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"cmp"
	"slices"
	"time"
)

// write is one that a replica did.
type write struct {
	at    time.Time
	tally Tally
}

// Writes counts what each replica did from one time on and before another, by
// verb and resource. Writes that changed nothing count, too.
func (r Report) Writes(from, to time.Time) []Tally {
	counts := map[Tally]int{}
	for _, w := range r.writes {
		if !w.at.Before(from) && w.at.Before(to) {
			counts[w.tally]++
		}
	}
	tallies := make([]Tally, 0, len(counts))
	for tally, count := range counts {
		tally.Count = count
		tallies = append(tallies, tally)
	}
	slices.SortFunc(tallies, func(a, b Tally) int {
		return cmp.Or(cmp.Compare(a.Replica, b.Replica), cmp.Compare(a.Verb, b.Verb), cmp.Compare(a.Resource, b.Resource))
	})
	return tallies
}
