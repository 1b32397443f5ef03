// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controlplane

import (
	"fmt"
	"io"
	"sync"
)

// lines writes whole lines, from any goroutine.
type lines struct {
	mu sync.Mutex
	to io.Writer
}

func newLines(to io.Writer) *lines {
	if to == nil {
		to = io.Discard
	}
	return &lines{to: to}
}

// printf leaves out the error: a rig whose reader has gone away still has work to do.
func (l *lines) printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = fmt.Fprintf(l.to, format+"\n", args...)
}
