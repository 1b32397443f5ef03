// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package rig

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// Facts describe what was measured, where and when, for the head of a result. They
// name neither a machine nor a place in it.
type Facts struct {
	Banyan, Kubernetes, Go string
	System                 string
	Cores                  int
	// Load is the average over one minute before anything was started. With more than
	// a little of it, times say little.
	Load string
	Date string
}

// observe everything but what needs a cluster.
func observe(binary, version, load string) (Facts, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return Facts{}, fmt.Errorf("reading how Banyan was built: %w", err)
	}
	return Facts{
		Banyan: version, Go: info.GoVersion, System: runtime.GOOS + "/" + runtime.GOARCH,
		Cores: runtime.NumCPU(), Load: load, Date: time.Now().UTC().Format(time.DateOnly),
	}, nil
}

// Complete the facts by the version of the API server.
func (r *Rig) Complete(f Facts) (Facts, error) {
	version, err := r.server.Discovery().ServerVersion()
	if err != nil {
		return f, fmt.Errorf("asking for the version of the API server: %w", err)
	}
	f.Kubernetes = version.GitVersion
	return f, nil
}

// String is one line.
func (f Facts) String() string {
	return fmt.Sprintf("%s: Banyan %s, Kubernetes %s, %s, %s with %d cores, load %s before the start",
		f.Date, f.Banyan, f.Kubernetes, f.Go, f.System, f.Cores, f.Load)
}

func load() string {
	content, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(content), " ")
	return first
}
