// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package build makes the binaries that tests of real replicas run.
package build

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Banyan builds the controller into a directory, with more flags for the go
// command, and returns the path of the binary.
func Banyan(ctx context.Context, dir string, flags ...string) (string, error) {
	return command(ctx, dir, "banyan", flags...)
}

// Plugin builds kubectl-hns into a directory.
func Plugin(ctx context.Context, dir string) (string, error) {
	return command(ctx, dir, "kubectl-hns")
}

func command(ctx context.Context, dir, name string, flags ...string) (string, error) {
	binary := filepath.Join(dir, name)
	args := append([]string{"build", "-o", binary}, flags...)
	args = append(args, "github.com/banyan-hns/banyan/cmd/"+name)
	out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building %s: %w: %s", name, err, strings.TrimSpace(string(out)))
	}
	return binary, nil
}
