// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Command kubectl-hns shows and changes hierarchies of namespaces, as "kubectl hns".
//
// It talks to the API server only, never to a replica of Banyan, so it needs no
// more rights than its user has, and all verbs but shards work against HNC too.
//
// Each verb has a file of its name, whose constructor takes the streams and the
// way to the cluster. What a verb prints is computed from what it has fetched by
// a function that sees no cluster; fetch.go has the reads that verbs share.
package main

import (
	"context"
	"os"
	"os/signal"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	code := run(ctx, os.Args[1:], streams)
	stop()
	os.Exit(code)
}
