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
	// Lives of what the replicas issue; 0 if they do not.
	certLife, authorityLife time.Duration

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

func (h hook) requests() int { return h.answered + len(h.failures) }

// enough of the requests that were to be sent, for the figures to be worth something.
const enough = 0.95

// judge returns every failure that should not have been, each webhook's first in full,
// and whatever makes the figures worthless.
func (r result) judge() error {
	var faults []error
	for _, h := range r.hooks {
		s := sortOut(r.outages, h.failures)
		if len(s.broken) > 0 {
			faults = append(faults, fmt.Errorf("%s: %d requests failed, though no replica that they could have met was down, the first after %v: %w",
				h.webhook, len(s.broken), s.broken[0].took(), s.broken[0].err))
		}
		if len(s.unserved) > 0 {
			faults = append(faults, fmt.Errorf("%s: the API server did not answer %d requests, the first after %v: %w; it has too much to do: take a quieter machine, or a longer -every",
				h.webhook, len(s.unserved), s.unserved[0].took(), s.unserved[0].err))
		}
		if wanted := float64(r.took / r.every); float64(h.requests()) < enough*wanted {
			faults = append(faults, fmt.Errorf("%s: only %d of %.0f requests could be sent; take a quieter machine, or a longer -every", h.webhook, h.requests(), wanted))
		}
		if h.answered == 0 {
			faults = append(faults, fmt.Errorf("%s: no request was answered", h.webhook))
		}
	}
	return errors.Join(append(faults, r.rotated())...)
}

// rotated: a run that is longer than something lives must have seen the next one.
func (r result) rotated() error {
	var faults []error
	if r.certLife > 0 && r.took > r.certLife && len(r.served.certificates) < 2 {
		faults = append(faults, fmt.Errorf("the certificate was not rotated, though it lives for %v and all took %v", r.certLife, r.took))
	}
	if r.authorityLife > 0 && r.took > r.authorityLife && len(r.served.authorities) < 2 {
		faults = append(faults, fmt.Errorf("the authority was not rotated, though it lives for %v and all took %v", r.authorityLife, r.took))
	}
	return errors.Join(faults...)
}

// byWebhook is the table of webhooks.
func (r result) byWebhook() *table.Table {
	t := &table.Table{Head: []string{
		"webhook", "requests", "answered", "slowest, ms", "met a dead or frozen replica", "API server gave no answer", "failed",
	}}
	for _, h := range r.hooks {
		s := sortOut(r.outages, h.failures)
		t.Add(h.webhook, fmt.Sprint(h.requests()), fmt.Sprint(h.answered), fmt.Sprintf("%.0f", h.slowest.Seconds()*1000),
			fmt.Sprint(s.excused()), fmt.Sprint(len(s.unserved)), fmt.Sprint(len(s.broken)))
	}
	return t
}

// all failures, of whichever webhook.
func (r result) failures() (all []failure) {
	for _, h := range r.hooks {
		all = append(all, h.failures...)
	}
	return all
}

// byKind is the table of disturbances.
func (r result) byKind() *table.Table {
	t := &table.Table{Head: []string{"disturbance", "times", "requests that met it", "noticed after, s", "last connection after, s"}}
	met := sortOut(r.outages, r.failures()).met
	for _, kind := range []string{kill, stop, freeze, roll} {
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

// tally is one line of what became of all requests.
func (r result) tally() string {
	requests := 0
	for _, h := range r.hooks {
		requests += h.requests()
	}
	s := sortOut(r.outages, r.failures())
	return fmt.Sprintf("%d requests: %d met a dead or frozen replica, %d got no answer of the API server, %d failed",
		requests, s.excused(), len(s.unserved), len(s.broken))
}

func (r result) summary() string {
	times := 0
	for _, n := range r.done {
		times += n
	}
	return fmt.Sprintf(`- %s (promised: no request that reached a ready replica fails)
- disturbances: %d in %v; certificates seen meanwhile: %d, of %d authorities
`, r.tally(), times, r.took.Round(time.Second), len(r.served.certificates), len(r.served.authorities))
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
each for its readiness twice a second, and believes the second failure. In turn, the replica that has most connections is killed (SIGKILL), stopped
(SIGTERM) and frozen (SIGSTOP, later SIGCONT), and all replicas are rolled (SIGTERM, then a new pod, one after the other).
Some webhooks are passed over if they do not answer; a request counts as failed if it shows that its webhook was.

What failed is one of three.

- It met a dead or frozen replica: the API server says that its connection to a webhook broke (after a kill), or that it
  got no answer in time (of a frozen one), or passed it over, which another webhook may be the one to say; and while the
  request was under way, such a replica was down, and still was ready for the balancer, or the API server had a
  connection to it. Nobody can notice at once: a Service has such failures, too. Replicas that are told to end are no
  excuse.
- The API server itself gave no answer. Then it had too much to do, and the figures are worthless.
- All else failed: it reached a ready replica, or none though some were ready, or it got a wrong answer, or the
  certificate was not trusted.

The times are the longest.

%s
%s
%s`, r.facts, r.command, r.every, r.byWebhook().Markdown(), r.byKind().Markdown(), r.summary())
}
