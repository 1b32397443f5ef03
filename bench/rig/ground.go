// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package rig

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/banyan-hns/banyan/bench/replicas/build"
)

// Ground is what is there before any cluster is.
type Ground struct {
	// Dir is empty but for what Prepare built, and absolute.
	Dir string
	// Binary of Banyan.
	Binary string
	Facts  Facts
}

// Prepare removes what an earlier run left in a directory, builds Banyan there if no
// binary is given, with more flags for the go command, and observes the machine.
func Prepare(ctx context.Context, dir, binary string, out io.Writer, flags ...string) (Ground, error) {
	var err error
	g := Ground{Binary: binary}
	if g.Dir, err = filepath.Abs(dir); err != nil {
		return g, fmt.Errorf("finding a place: %w", err)
	}
	if err := errors.Join(os.RemoveAll(g.Dir), os.MkdirAll(g.Dir, 0o700)); err != nil {
		return g, fmt.Errorf("clearing the place of the last run: %w", err)
	}
	// Before the build, which is a load of its own.
	load := load()
	version := "of a binary that was given"
	if g.Binary == "" {
		_, _ = fmt.Fprintln(out, "building Banyan")
		version = describe(ctx)
		if g.Binary, err = build.Banyan(ctx, g.Dir, flags...); err != nil {
			return g, err
		}
	}
	g.Facts, err = observe(g.Binary, version, load)
	return g, err
}

// describe the checkout, as the Makefile does.
func describe(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "describe", "--tags", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}
