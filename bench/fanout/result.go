// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"slices"
	"time"

	"github.com/banyan-hns/banyan/bench/audit"
	"github.com/banyan-hns/banyan/bench/requests"
	"github.com/banyan-hns/banyan/bench/rig"
)

// Names of phases, in their order.
const (
	grow   = "grow"
	fanOut = "fan out"
	update = "update"
	remove = "delete"
)

var phaseNames = []string{grow, fanOut, update, remove}

// phase is one measured stretch of time.
type phase struct {
	name  string
	bare  bool
	round int

	objects int
	took    time.Duration
	// from before the first request until it was quiet again.
	from, to time.Time
	// all writes that the API server answered meanwhile, and those of them that the
	// bench did itself.
	all, own requests.Counts
	// banyan is what the replicas did, by the audit log. It has only what was not
	// refused.
	banyan requests.Counts
}

func (p phase) title() string {
	if p.bare {
		return "plain client, " + p.name
	}
	return "Banyan, " + p.name
}

// others is what was written, but not by the bench.
func (p phase) others() requests.Counts { return p.all.Minus(p.own) }

// result is all that was measured.
type result struct {
	plan
	facts      rig.Facts
	command    string
	phases     []phase
	violations []audit.Violation
}

// of returns the phases of a name, in the order of rounds.
func (r result) of(name string, bare bool) []phase {
	var found []phase
	for _, p := range r.phases {
		if p.name == name && p.bare == bare {
			found = append(found, p)
		}
	}
	return found
}

// ratios of Banyan to the plain client, round by round.
func (r result) ratios(name string) []float64 {
	bare, banyan := r.of(name, true), r.of(name, false)
	var ratios []float64
	for i := range min(len(bare), len(banyan)) {
		ratios = append(ratios, banyan[i].took.Seconds()/bare[i].took.Seconds())
	}
	return ratios
}

// median, that of an even number being between the two in the middle. There must be
// one number.
func median(numbers []float64) float64 {
	sorted := slices.Sorted(slices.Values(numbers))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
