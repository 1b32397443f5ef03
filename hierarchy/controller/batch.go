// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"sync"
)

// batches lets those who ask for the same reading at the same time share one.
//
// Invariant: a reading that serves a caller began after the caller asked. Reason:
// one that began before may have missed just what the caller wants confirmed.
type batches struct {
	mu sync.Mutex
	of map[string]*batch
}

// batch is one reading that is under way, and the one that those wait for who came
// too late for it.
type batch struct{ running, next *reading }

type reading struct {
	done chan struct{}
	err  error
}

// join reads, or waits for a reading of the same thing that has not begun.
func (b *batches) join(ctx context.Context, what string, read func() error) error {
	mine, before, leads := b.enter(what)
	if leads {
		if before != nil {
			<-before.done
		}
		mine.err = read()
		b.leave(what)
		close(mine.done)
		return mine.err
	}
	select {
	case <-mine.done:
		return mine.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enter returns the reading to wait for, the one that must end before it, and
// whether the caller is the one to do it.
func (b *batches) enter(what string) (mine, before *reading, leads bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of == nil {
		b.of = map[string]*batch{}
	}
	current := b.of[what]
	if current == nil {
		current = &batch{running: &reading{done: make(chan struct{})}}
		b.of[what] = current
		return current.running, nil, true
	}
	if current.next == nil {
		current.next = &reading{done: make(chan struct{})}
		return current.next, current.running, true
	}
	return current.next, nil, false
}

func (b *batches) leave(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	current := b.of[what]
	current.running, current.next = current.next, nil
	if current.running == nil {
		delete(b.of, what)
	}
}
