// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package rig

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Main runs a bench with the arguments of the program, until it ends or is
// interrupted, and ends the program if it failed.
func Main(name string, run func(ctx context.Context, args []string) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "interrupted; everything was stopped")
		os.Exit(130)
	default:
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Publish prints a result, and writes it to a file if one is named.
func Publish(text, markdown, file string) error {
	fmt.Print("\n", text)
	if file == "" {
		return nil
	}
	if err := os.WriteFile(file, []byte(markdown), 0o644); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}
