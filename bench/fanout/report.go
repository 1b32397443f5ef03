// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/banyan-hns/banyan/bench/requests"
	"github.com/banyan-hns/banyan/bench/table"
)

// text is the result for a terminal.
func (r result) text() string {
	return r.facts.String() + "\n\n" + r.times().Text() + "\n" + r.writes().Text() + "\n" + r.summary()
}

// markdown is the result for a page.
func (r result) markdown() string {
	return fmt.Sprintf(`# Fan-out, as ratios to a plain client

%s.

    %s

The plain client has %d requests open at a time and no throttle. It and Banyan take turns, round by round, on one API
server; both are timed from the first request until a watch has shown the last object. Banyan's replicas run all the
time, with default flags and webhooks. Ratios are taken within a round; the one shown is their median.

%s
Writes by the API server's own metrics, without those of the client, in all rounds together. Beside Banyan's, there are
those of Kubernetes' own controllers, for each new namespace. The last two columns are from the audit log: what Banyan
did of it (nothing that was refused), and that for each object.

%s
%s`, r.facts, r.command, r.workers, r.times().Markdown(), r.writes().Markdown(), r.summary())
}

// times of every phase.
func (r result) times() *table.Table {
	t := &table.Table{Head: []string{"phase", "objects", "plain client, s", "Banyan, s", "Banyan's per s", "ratio"}}
	for _, name := range phaseNames {
		bare, banyan := r.of(name, true), r.of(name, false)
		objects, seconds := 0, 0.0
		for _, p := range banyan {
			objects, seconds = objects+p.objects, seconds+p.took.Seconds()
		}
		t.Add(name, fmt.Sprint(banyan[0].objects), took(bare), took(banyan),
			fmt.Sprintf("%.0f", float64(objects)/seconds), fmt.Sprintf("%.2f", median(r.ratios(name))))
	}
	return t
}

func took(phases []phase) string {
	var all []string
	for _, p := range phases {
		all = append(all, fmt.Sprintf("%.2f", p.took.Seconds()))
	}
	return strings.Join(all, " ")
}

// writes of Banyan's phases, by resource and verb.
func (r result) writes() *table.Table {
	verbs := r.verbs()
	t := &table.Table{Head: append(append([]string{"phase, resource"}, verbs...), "refused", "by Banyan", "per object")}
	for _, name := range phaseNames {
		others, banyan, objects := r.totals(name)
		for _, resource := range others.Resources() {
			row := []string{name + ", " + resource}
			for _, verb := range verbs {
				row = append(row, number(others.Done(verb, resource)))
			}
			// The audit report does not tell subresources: theirs are found with the resource.
			wrote, per := 0, ""
			if !strings.Contains(resource, "/") {
				wrote = banyan.Of(resource)
			}
			if wrote > 0 && resource != "leases" {
				per = fmt.Sprintf("%.2f", float64(wrote)/float64(objects))
			}
			t.Add(append(row, number(others.Refused(resource)), number(wrote), per)...)
		}
	}
	return t
}

// totals of one of Banyan's phases, over all rounds.
func (r result) totals(name string) (others, banyan requests.Counts, objects int) {
	for _, p := range r.of(name, false) {
		others, banyan, objects = others.Plus(p.others()), banyan.Plus(p.banyan), objects+p.objects
	}
	return others, banyan, objects
}

// verbs that occur.
func (r result) verbs() []string {
	var all requests.Counts
	for _, name := range phaseNames {
		others, _, _ := r.totals(name)
		all = all.Plus(others)
	}
	return slices.DeleteFunc(slices.Clone(requests.Verbs), func(verb string) bool {
		return !slices.ContainsFunc(all.Resources(), func(resource string) bool { return all.Done(verb, resource) > 0 })
	})
}

// number leaves the cells empty that would be 0: most are.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// summary is what the promises are about.
func (r result) summary() string {
	var b strings.Builder
	copies, wrote := 0, 0
	for _, name := range []string{fanOut, update, remove} {
		others, _, objects := r.totals(name)
		copies, wrote = copies+objects, wrote+others.Of(copied...)
	}
	_, growth, subnamespaces := r.totals(grow)
	writes := growth.Except(notForSubnamespaces...)
	fmt.Fprintf(&b, "- write requests for each copy that was made, changed or deleted: %.4f (promised: 1)\n", float64(wrote)/float64(copies))
	fmt.Fprintf(&b, "- Banyan's writes for each new subnamespace, without copies and Leases: %.2f (promised: at most %d)\n", float64(writes)/float64(subnamespaces), writesPerSubnamespace)
	fmt.Fprintf(&b, "- writes that were not allowed to the replica that did them: %d (promised: none)\n", len(r.violations))
	fmt.Fprintf(&b, "- time of the fan-out, in times of the bare creates: %.2f, by round %.2f\n", median(r.ratios(fanOut)), r.ratios(fanOut))
	return b.String()
}
