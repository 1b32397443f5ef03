// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/bench/table"
)

// result is all that was measured.
type result struct {
	facts   rig.Facts
	command string
	every   time.Duration

	took    time.Duration
	done    map[string]int // disturbances by kind
	served  served
	outages []outage
	hooks   []hook
}

// hook is one webhook, and what became of the requests that it was asked about.
type hook struct {
	webhook  string
	answered int
	slowest  time.Duration
	failures []failure
}

// judge returns every failure that should not have been, each webhook's first in full,
// and whatever makes the figures worthless.
func (r result) judge() error {
	var broken []error
	for _, h := range r.hooks {
		if h.answered == 0 {
			broken = append(broken, fmt.Errorf("%s: no request was answered", h.webhook))
		}
		if _, rest := sortOut(r.outages, h.failures); len(rest) > 0 {
			broken = append(broken, fmt.Errorf("%s: %d requests failed, though no replica that they could have met was down, the first after %v: %w",
				h.webhook, len(rest), rest[0].ended.Sub(rest[0].began).Round(time.Millisecond), rest[0].err))
		}
	}
	return errors.Join(broken...)
}

// byWebhook is the table of webhooks.
func (r result) byWebhook() *table.Table {
	t := &table.Table{Head: []string{"webhook", "requests", "answered", "slowest, ms", "met a dead or stopped replica", "failed"}}
	for _, h := range r.hooks {
		_, rest := sortOut(r.outages, h.failures)
		t.Add(h.webhook, fmt.Sprint(h.answered+len(h.failures)), fmt.Sprint(h.answered), fmt.Sprintf("%.0f", h.slowest.Seconds()*1000),
			fmt.Sprint(len(h.failures)-len(rest)), fmt.Sprint(len(rest)))
	}
	return t
}

// byKind is the table of disturbances.
func (r result) byKind() *table.Table {
	t := &table.Table{Head: []string{"disturbance", "times", "requests that met it", "noticed after, s", "last connection after, s"}}
	var failures []failure
	for _, h := range r.hooks {
		failures = append(failures, h.failures...)
	}
	met, _ := sortOut(r.outages, failures)
	for _, kind := range []string{kill, stop, roll} {
		count, noticed, until := 0, time.Duration(0), time.Duration(0)
		for i, o := range r.outages {
			if o.kind == kind {
				count += met[i]
				noticed, until = max(noticed, o.noticed.Sub(o.from)), max(until, o.until.Sub(o.from))
			}
		}
		t.Add(kind, fmt.Sprint(r.done[kind]), fmt.Sprint(count), seconds(noticed), seconds(until))
	}
	return t
}

// seconds leaves the cell empty where there is nothing to notice.
func seconds(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", d.Seconds())
}

// failed counts what should not have been.
func (r result) failed() int {
	sum := 0
	for _, h := range r.hooks {
		_, rest := sortOut(r.outages, h.failures)
		sum += len(rest)
	}
	return sum
}

// requests of all webhooks.
func (r result) requests() int {
	sum := 0
	for _, h := range r.hooks {
		sum += h.answered + len(h.failures)
	}
	return sum
}

func (r result) summary() string {
	times := 0
	for _, n := range r.done {
		times += n
	}
	return fmt.Sprintf(`- requests that failed though they reached a ready replica: %d of %d (promised: none)
- disturbances: %d in %v; rotations of the certificate meanwhile: %d, with %d authorities
`, r.failed(), r.requests(), times, r.took.Round(time.Second), r.served.rotations(), len(r.served.authorities))
}

// text is the result for a terminal.
func (r result) text() string {
	return r.facts.String() + "\n\n" + r.byWebhook().Text() + "\n" + r.byKind().Text() + "\n" + r.summary()
}

// markdown is the result for a page.
func (r result) markdown() string {
	return fmt.Sprintf(`# Admission while replicas die

%s.

    %s

Every webhook is asked each %v, by a dry run of the API server, which reaches the replicas through a balancer that asks
each for its readiness twice a second. Replicas are killed (SIGKILL), stopped (SIGSTOP, later SIGCONT) and rolled
(SIGTERM, then a new pod) in turn, one at a time. Some webhooks are passed over if they do not answer; a request counts
as failed if it shows that its webhook was.

A request that failed met a dead or stopped replica if, while it was under way, the replica was down and the balancer
still sent new connections there, or the API server kept an old one. A Service has such failures, too: nobody can notice
at once. Everything else that failed should not have. The times are the longest.

%s
%s
%s`, r.facts, r.command, r.every, r.byWebhook().Markdown(), r.byKind().Markdown(), r.summary())
}
