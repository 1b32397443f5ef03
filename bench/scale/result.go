// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"
	"time"

	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/bench/table"
)

// result is all that was measured.
type result struct {
	facts   rig.Facts
	command string
	sizes   []size
}

// size is what was measured with one number of namespaces.
type size struct {
	facts                     rig.Facts
	namespaces, trees, copies int
	grew, fannedOut           time.Duration
	idle                      time.Duration
	replicas                  []use
	restart                   restart
}

// use of one replica. Processor times are in seconds.
type use struct {
	name                        string
	growCPU, fanOutCPU, idleCPU float64
	memory                      memory
}

// memory in bytes.
type memory struct{ resident, heap float64 }

// restart of one replica, from its start until it was ready.
type restart struct {
	took   time.Duration
	cpu    float64
	memory memory
}

const mebibyte = 1 << 20

// largest of something among the replicas.
func (s size) largest(of func(use) float64) float64 {
	largest := 0.0
	for _, u := range s.replicas {
		largest = max(largest, of(u))
	}
	return largest
}

// sum of something over the replicas.
func (s size) sum(of func(use) float64) float64 {
	sum := 0.0
	for _, u := range s.replicas {
		sum += of(u)
	}
	return sum
}

// measures are the rows of the table. Each gets a number out of a size.
var measures = []struct {
	title  string
	format string
	of     func(size) float64
}{
	{"namespaces", "%.0f", func(s size) float64 { return float64(s.namespaces) }},
	{"trees", "%.0f", func(s size) float64 { return float64(s.trees) }},
	{"copies", "%.0f", func(s size) float64 { return float64(s.copies) }},
	{"time to grow, s", "%.1f", func(s size) float64 { return s.grew.Seconds() }},
	{"time to fan out, s", "%.1f", func(s size) float64 { return s.fannedOut.Seconds() }},
	{"copies a second", "%.0f", func(s size) float64 { return float64(s.copies) / s.fannedOut.Seconds() }},
	{"memory of the largest replica, MiB", "%.0f", func(s size) float64 {
		return s.largest(func(u use) float64 { return u.memory.resident / mebibyte })
	}},
	{"heap of the largest replica, MiB", "%.0f", func(s size) float64 {
		return s.largest(func(u use) float64 { return u.memory.heap / mebibyte })
	}},
	{"CPU of all replicas to grow, s", "%.1f", func(s size) float64 {
		return s.sum(func(u use) float64 { return u.growCPU })
	}},
	{"CPU of all replicas to fan out, s", "%.1f", func(s size) float64 {
		return s.sum(func(u use) float64 { return u.fanOutCPU })
	}},
	{"CPU of all replicas while idle, % of a core", "%.1f", func(s size) float64 {
		return 100 * s.sum(func(u use) float64 { return u.idleCPU }) / s.idle.Seconds()
	}},
	{"restart until ready, s", "%.2f", func(s size) float64 { return s.restart.took.Seconds() }},
	{"CPU of a restart, s", "%.1f", func(s size) float64 { return s.restart.cpu }},
	{"memory right after a restart, MiB", "%.0f", func(s size) float64 { return s.restart.memory.resident / mebibyte }},
}

// growth of each measure, from the first size to the last.
func (r result) growth() *table.Table {
	t := &table.Table{Head: []string{"with so many namespaces"}}
	for _, s := range r.sizes {
		t.Head = append(t.Head, fmt.Sprint(s.namespaces))
	}
	t.Head = append(t.Head, "growth")
	for _, m := range measures {
		row := []string{m.title}
		for _, s := range r.sizes {
			row = append(row, fmt.Sprintf(m.format, m.of(s)))
		}
		t.Add(append(row, factor(m.of(r.sizes[0]), m.of(r.sizes[len(r.sizes)-1])))...)
	}
	return t
}

// factor leaves the cell empty where there is none.
func factor(first, last float64) string {
	if first == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f x", last/first)
}

// each replica by itself.
func (r result) each() *table.Table {
	t := &table.Table{Head: []string{"replica", "namespaces", "memory, MiB", "heap, MiB", "CPU to grow, s", "to fan out, s", "while idle, s"}}
	for _, s := range r.sizes {
		for _, u := range s.replicas {
			t.Add(u.name, fmt.Sprint(s.namespaces),
				fmt.Sprintf("%.0f", u.memory.resident/mebibyte), fmt.Sprintf("%.0f", u.memory.heap/mebibyte),
				fmt.Sprintf("%.1f", u.growCPU), fmt.Sprintf("%.1f", u.fanOutCPU), fmt.Sprintf("%.2f", u.idleCPU))
		}
	}
	return t
}

// text is the result for a terminal.
func (r result) text() string {
	return r.facts.String() + "\n\n" + r.growth().Text() + "\n" + r.each().Text()
}

// markdown is the result for a page.
func (r result) markdown() string {
	return fmt.Sprintf(`# What replicas need, and how it grows

%s.

    %s

Trees are of very unequal size: the second has half as many namespaces as the first, the third a third, and so on. All
namespaces but the roots are subnamespaces, each with its anchor. Every namespace has the same number of objects, half
Roles and half RoleBindings; in all but the roots they are copies. Memory is what the system counts as resident, heap
what Go has in use; both after a garbage collection that followed the last write. A restart is that of one replica while
the others run, from its start until it says that it is ready.

%s
%s`, r.facts, r.command, r.growth().Markdown(), r.each().Markdown())
}
