// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

//go:build stopgate

package gate

import (
	"bytes"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
)

// armed is the point at which this process is to stop itself, once.
var armed atomic.Value

// Binaries that are built with this tag stop themselves (SIGSTOP) at a point of
// their next write when they are told to: SIGUSR1 says that the point is named by
// the file of this replica in a directory. No signal from outside hits these points.
func init() {
	dir := os.Getenv("BANYAN_STOP_DIR")
	if dir == "" {
		return
	}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGUSR1)
	go func() {
		for range told {
			if name, err := os.ReadFile(filepath.Join(dir, os.Getenv("POD_NAME"))); err == nil {
				armed.Store(point(bytes.TrimSpace(name)))
			}
		}
	}()
}

func pass(p point) {
	if armed.CompareAndSwap(p, point("")) {
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	}
}
