// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Command demo shows Banyan at work: three replicas on a real control plane of
// this machine, a forest that grows, one replica that is killed in the middle,
// and what the API server's own log has to say about it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := demo(ctx)
	stop()
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled):
		fmt.Println("interrupted; everything was stopped")
		os.Exit(130)
	default:
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		os.Exit(1)
	}
}

// demo tells the story and cleans up after it.
func demo(ctx context.Context) (err error) {
	dir, err := filepath.Abs(".run/demo")
	if err != nil {
		return fmt.Errorf("finding a place: %w", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("clearing the place of the last run: %w", err)
	}
	s := &stage{dir: dir}
	if err := s.open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.tell(ctx); err != nil {
		return err
	}
	if os.Getenv("KEEP") == "" {
		return nil
	}
	s.explain()
	<-ctx.Done()
	return nil
}
