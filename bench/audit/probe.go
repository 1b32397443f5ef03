// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// defaultProbeLimit is that of a Probe which names none.
const defaultProbeLimit = time.Second

// Probe names sources that users write to see how fresh changes fare, while the
// replicas are busy. No two of them have the same kind and name, and each is left
// alone until its copies are there.
type Probe struct {
	Name string `json:"name"`
	Span
	// Prefix is what the names of the sources begin with.
	Prefix string `json:"prefix"`
	// Copies is how many namespaces get one. 0 means at least one.
	Copies int `json:"copies,omitempty"`
	// Limit of the 99th percentile, in seconds. Default 1.
	Limit float64 `json:"limit,omitempty"`
}

func (p Probe) limit() time.Duration {
	if p.Limit == 0 {
		return defaultProbeLimit
	}
	return time.Duration(p.Limit * float64(time.Second))
}

// Fresh is what C9 found of a probe.
type Fresh struct {
	Name string
	// Latency is from the answer to the user to the answer to the last copy.
	Latency Distribution
	// Lost is how many changes did not reach all copies.
	Lost int
}

// source is what a copy has in common with its source.
type source struct{ group, resource, name string }

// flight is one change on its way.
type flight struct {
	probe   int
	from    string // namespace of the source
	began   time.Time
	last    time.Time
	arrived map[string]bool // by namespace
}

// judgeProbes is C9: changes of users arrive in time.
func (c *check) judgeProbes(events []*event) {
	probes := c.world.cfg.Marks.Probes
	if len(probes) == 0 {
		return
	}
	latencies := make([][]time.Duration, len(probes))
	for _, p := range probes {
		c.report.Probes = append(c.report.Probes, Fresh{Name: p.Name})
	}
	for _, f := range c.world.flights(events) {
		c.judged[RuleFresh]++
		if len(f.arrived) < max(probes[f.probe].Copies, 1) {
			c.report.Probes[f.probe].Lost++
			continue
		}
		latencies[f.probe] = append(latencies[f.probe], max(0, f.last.Sub(f.began)))
	}
	for i, p := range probes {
		fresh := &c.report.Probes[i]
		fresh.Latency = distribute(latencies[i])
		fault := func(format string, args ...any) { c.fault(RuleFresh, p.To, p.Name+": "+fmt.Sprintf(format, args...)) }
		if fresh.Lost > 0 {
			fault("%d changes did not reach all copies", fresh.Lost)
		}
		if fresh.Latency.P99 > p.limit() {
			fault("99 of 100 changes took up to %v; the limit is %v", fresh.Latency.P99, p.limit())
		}
		if fresh.Lost+fresh.Latency.Count == 0 {
			fault("no user wrote an object whose name begins with %q", p.Prefix)
		}
	}
}

// flights finds the changes of all probes and their copies. A copy may be answered
// before the change of the source is; it cannot be before that was received.
func (w *world) flights(events []*event) []*flight {
	start := func(e *event) time.Time {
		if w.isReplica(e.writer) {
			return e.answered
		}
		return e.received
	}
	ordered := slices.SortedStableFunc(slices.Values(events), func(a, b *event) int { return start(a).Compare(start(b)) })
	var all []*flight
	open := map[source]*flight{}
	for _, e := range ordered {
		probe := w.probeOf(e)
		if probe < 0 {
			continue
		}
		what := source{e.ref.group, e.ref.resource, e.ref.name}
		switch f := open[what]; {
		case !w.isReplica(e.writer):
			if w.cfg.Marks.Probes[probe].place(e.received, e.revision) == 0 {
				open[what] = &flight{probe: probe, from: e.ref.namespace, began: e.answered, arrived: map[string]bool{}}
				all = append(all, open[what])
			}
		case f != nil && e.ref.namespace != f.from && !f.complete(w.cfg.Marks.Probes[probe].Copies):
			f.arrived[e.ref.namespace], f.last = true, e.answered
		}
	}
	return all
}

func (f *flight) complete(copies int) bool { return copies > 0 && len(f.arrived) >= copies }

// probeOf returns the number of the probe that an event belongs to, or -1.
func (w *world) probeOf(e *event) int {
	if e.outcome != done || e.ref.name == "" || e.ref.namespace == "" {
		return -1
	}
	return slices.IndexFunc(w.cfg.Marks.Probes, func(p Probe) bool { return strings.HasPrefix(e.ref.name, p.Prefix) })
}
