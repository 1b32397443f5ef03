// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package gate

import "sync"

// flight is the writes into one shard that have begun and not ended.
type flight struct {
	mu      sync.Mutex
	begun   uint64 // how many have, ever
	writes  map[uint64]struct{}
	waiters map[chan struct{}]uint64 // for the end of all that had begun by then
}

func (f *flight) begin() (write uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begun++
	f.writes[f.begun] = struct{}{}
	return f.begun
}

func (f *flight) end(write uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.writes, write)
	for waiter, last := range f.waiters {
		if !f.under(last) {
			close(waiter)
			delete(f.waiters, waiter)
		}
	}
}

// under reports whether a write is under way that began no later than this one.
func (f *flight) under(last uint64) bool {
	for write := range f.writes {
		if write <= last {
			return true
		}
	}
	return false
}

// ended returns a channel that is closed when all that have begun have ended.
func (f *flight) ended() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	waiter := make(chan struct{})
	if f.under(f.begun) {
		f.waiters[waiter] = f.begun
	} else {
		close(waiter)
	}
	return waiter
}
