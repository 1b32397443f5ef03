// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package shardtest

import (
	"container/heap"
	"time"

	"github.com/banyan-hns/banyan/shard"
)

// event is something that will happen, to a member or to the world.
type event struct {
	when   shard.Instant
	order  int
	member *Member
	run    func()
}

// events is a heap by time, then by order of scheduling.
type events []*event

func (q events) Len() int { return len(q) }
func (q events) Less(i, j int) bool {
	return q[i].when < q[j].when || q[i].when == q[j].when && q[i].order < q[j].order
}
func (q events) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *events) Push(e any)   { *q = append(*q, e.(*event)) }
func (q *events) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

func (w *World) at(delay time.Duration, m *Member, run func()) { w.schedule(w.now+delay, m, run) }

func (w *World) schedule(when shard.Instant, m *Member, run func()) {
	w.order++
	heap.Push(&w.queue, &event{when: max(when, w.now), order: w.order, member: m, run: run})
}
