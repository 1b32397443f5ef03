// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Marks say what a rig did, and when, so that rules about the course of things know
// what to expect. Times are compared with those that the API server wrote down, so
// both should come from one host.
type Marks struct {
	// Outages are the times in which the API server answered nobody. If there are
	// none, they are what the log shows as such.
	Outages []Span `json:"outages,omitempty"`
	// Down are the times from when all replicas were killed at once to when all were ready
	// again.
	Down []Span `json:"down,omitempty"`
	// Scenarios are judged by C5.
	Scenarios []Scenario `json:"scenarios,omitempty"`
	// Steady are the times in which nothing happens; C6 judges them.
	Steady []Steady `json:"steady,omitempty"`
	// Probes are judged by C9.
	Probes []Probe `json:"probes,omitempty"`
	// Limits are the longest times that a shard may be without an owner, in seconds
	// by cause. C4 judges those causes that have one. For CauseColdStart, the time in
	// which replicas were down comes on top: who does not run takes nothing over.
	Limits map[Cause]float64 `json:"limits,omitempty"`
}

// Span is a time. Where both ends have revisions, those decide, else the times.
type Span struct {
	From         time.Time `json:"from"`
	To           time.Time `json:"to"`
	FromRevision uint64    `json:"fromRevision,omitempty"`
	ToRevision   uint64    `json:"toRevision,omitempty"`
}

// Duration of the span.
func (s Span) Duration() time.Duration { return s.To.Sub(s.From) }

// place of a moment: -1 before the span, 0 in it, 1 after it.
func (s Span) place(at time.Time, revision uint64) int {
	before, after := at.Before(s.From), !at.Before(s.To)
	if s.FromRevision != 0 && s.ToRevision != 0 && revision != 0 {
		before, after = revision <= s.FromRevision, revision > s.ToRevision
	}
	switch {
	case before:
		return -1
	case after:
		return 1
	}
	return 0
}

func (s Span) overlaps(from, to time.Time) bool { return s.From.Before(to) && from.Before(s.To) }

// shared is how much of a time is in any of the spans, which do not overlap.
func shared(spans []Span, from, to time.Time) (sum time.Duration) {
	for _, s := range spans {
		if s.overlaps(from, to) {
			sum += min(s.To.Sub(from), s.To.Sub(s.From), to.Sub(s.From), to.Sub(from))
		}
	}
	return sum
}

// ReadMarks reads them as JSON.
func ReadMarks(r io.Reader) (Marks, error) {
	var m Marks
	decoder := json.NewDecoder(r)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		return Marks{}, fmt.Errorf("reading marks: %w", err)
	}
	return m, m.Validate()
}

// Validate returns all faults, joined.
func (m Marks) Validate() error {
	var faults []error
	span := func(what string, i int, s Span) {
		if s.FromRevision == 0 && s.ToRevision == 0 && !s.From.Before(s.To) {
			faults = append(faults, fmt.Errorf("%s[%d]: ends at %v, but begins at %v; give it a time", what, i, s.To, s.From))
		}
	}
	for i, o := range m.Outages {
		span("outages", i, o)
	}
	for i, s := range m.Down {
		span("down", i, s)
	}
	for i, s := range m.Scenarios {
		span("scenarios", i, s.Span)
		if len(s.Before) == 0 || len(s.After) == 0 {
			faults = append(faults, fmt.Errorf("scenarios[%d]: has no members before or after; name them", i))
		}
	}
	for i, s := range m.Steady {
		span("steady", i, s.Span)
		if !s.From.Before(s.To) || s.Members < 1 || s.Renew <= 0 {
			faults = append(faults, fmt.Errorf("steady[%d]: needs times, members (is %d) and renew (is %v)", i, s.Members, s.Renew))
		}
	}
	for i, p := range m.Probes {
		span("probes", i, p.Span)
		if p.Prefix == "" {
			faults = append(faults, fmt.Errorf("probes[%d].prefix: is empty; name what the probes' names begin with", i))
		}
	}
	return errors.Join(faults...)
}
