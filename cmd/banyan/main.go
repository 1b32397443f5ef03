// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Command banyan is the hierarchical namespace controller: it wires the forest,
// the ownership of shards and the admission webhooks into one process.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	options, err := parse(os.Args[1:], os.Getenv)
	if errors.Is(err, pflag.ErrHelp) {
		return
	}
	if err == nil {
		err = run(ctrl.SetupSignalHandler(), options)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "banyan: %v\n", err)
		os.Exit(1)
	}
}
