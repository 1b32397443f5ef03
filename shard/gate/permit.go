// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package gate

import (
	"net/http"
	"sync"
	"time"

	"github.com/banyan-hns/banyan/shard"
)

type (
	permitKey      struct{}
	acknowledgeKey struct{}
)

// permit is what Transport looks for in the context of a request. It remembers what
// became of the requests that were sent with it.
type permit struct {
	id    shard.ID
	epoch int64

	mu   sync.Mutex
	open int       // requests that were sent and have no answer that decides
	last time.Time // when the latest of these was sent
}

// sent notes that a request leaves.
func (p *permit) sent() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open++
	p.last = time.Now()
}

// answered notes an answer that says what became of a request.
func (p *permit) answered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
}

// undecided is how long the API server may still carry out what was sent, 0 if it has
// said what became of everything.
//
// Invariant: that is counted from the moment when the last such request left, and not
// from the moment when we gave it up. Reason: the API server gives up timeout after it
// received the request, whatever we do. A connection that broke, or a context that was
// canceled, says nothing of what it does.
func (p *permit) undecided(timeout time.Duration, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == 0 {
		return 0
	}
	return max(0, p.last.Add(timeout+shard.GuardSlack).Sub(now))
}

// decides reports whether an answer says what became of the write. An error of the
// server does not: etcd may commit what it has said to have timed out.
func decides(response *http.Response, err error) bool {
	return err == nil && response.StatusCode < http.StatusInternalServerError
}
