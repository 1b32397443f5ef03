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

// goal that is stated beside every result: it is what a webhook may add to a request
// of a user without being felt.
const goal = 10 * time.Millisecond

// result is all that was measured.
type result struct {
	facts   rig.Facts
	command string

	namespaces, trees, copies int
	rate                      int
	duration                  time.Duration

	hooks  []hook
	gets   []time.Duration
	resync resync
	wrong  []error
}

// hook is one webhook, by its path.
type hook struct {
	path    string
	denied  int
	times   []time.Duration // as the client saw them
	handler histogram       // as the replica did
}

// judge returns everything that makes the figures worthless, and what the goal is
// about.
func (r result) judge(limit time.Duration) error {
	var broken []error
	if len(r.wrong) > 0 {
		broken = append(broken, fmt.Errorf("%d requests had no answer or a wrong one, the first: %w", len(r.wrong), r.wrong[0]))
	}
	if r.resync.most == 0 {
		broken = append(broken, errors.New("the replica had nothing to read again while it was asked; take a longer duration"))
	}
	for _, h := range r.hooks {
		if p99 := h.handler.quantile(0.99); limit > 0 && p99 > limit {
			broken = append(broken, fmt.Errorf("%s: p99 is %v; the goal is %v", h.path, p99, limit))
		}
	}
	return errors.Join(broken...)
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()*1000) }

func ratio(d, to time.Duration) string {
	if to == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", d.Seconds()/to.Seconds())
}

// table of all webhooks.
func (r result) table() *table.Table {
	t := &table.Table{Head: []string{
		"webhook", "requests", "denied", "p50, ms", "p99, ms", "p50, in GETs", "p99, in GETs", "client's p50, ms", "client's p99, ms",
	}}
	get50, get99 := rig.Quantile(r.gets, 0.5), rig.Quantile(r.gets, 0.99)
	for _, h := range r.hooks {
		p50, p99 := h.handler.quantile(0.5), h.handler.quantile(0.99)
		t.Add(h.path, fmt.Sprint(len(h.times)), fmt.Sprint(h.denied), milliseconds(p50), milliseconds(p99),
			ratio(p50, get50), ratio(p99, get99), milliseconds(rig.Quantile(h.times, 0.5)), milliseconds(rig.Quantile(h.times, 0.99)))
	}
	t.Add("GET of a namespace", fmt.Sprint(len(r.gets)), "", "", "", "", "", milliseconds(get50), milliseconds(get99))
	return t
}

// summary is what the goal is about.
func (r result) summary() string {
	slow := 0
	for _, h := range r.hooks {
		if h.handler.quantile(0.99) > goal {
			slow++
		}
	}
	return fmt.Sprintf(`- webhooks whose p99 in the replica was more than %v: %d of %d (goal: none)
- requests without an answer, or with a wrong one: %d of %d
- the replica was reading namespaces of acquired shards again for %.0f s of the %.0f; at most %d of them waited
`, goal, slow, len(r.hooks), len(r.wrong), r.sent(), r.resync.lasts.Seconds(), r.duration.Seconds(), r.resync.most)
}

func (r result) sent() int {
	sum := len(r.wrong)
	for _, h := range r.hooks {
		sum += len(h.times)
	}
	return sum
}

// text is the result for a terminal.
func (r result) text() string {
	return r.facts.String() + "\n\n" + r.table().Text() + "\n" + r.summary()
}

// markdown is the result for a page.
func (r result) markdown() string {
	return fmt.Sprintf(`# How long admission takes

%s.

    %s

The forest has %d namespaces in %d trees, and %d copies. One replica is asked %d times a second, straight at its webhook
port, over TLS connections that are kept; nothing waits for an answer before it sends the next request. Meanwhile another
replica is killed and comes back, so that the one that is asked takes over shards and reads all of their namespaces
again. Each webhook gets requests that are allowed and such that are denied, for different trees in turn; a change of
parent includes the questions to the API server about the rights of the user, and a change of types what it serves.

p50 and p99 are those of the replica's handler, read from the native histogram of controller-runtime: the upper end of a
bucket, which is 9%% wide. The client's are from the moment when the request was due, on the same machine as everything
else. GETs are of the API server itself, in the same minutes, %d a second, by a client that nothing slows down; a ratio
is that of p50 to p50 and of p99 to p99.

%s
%s`, r.facts, r.command, r.namespaces, r.trees, r.copies, r.rate, getRate, r.table().Markdown(), r.summary())
}
