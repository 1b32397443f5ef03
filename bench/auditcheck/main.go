// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Command auditcheck reads the audit log of an API server and says whether every
// write of a replica was allowed to it. It ends with 1 if one was not, and with 2
// if the log could not be checked.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/banyan-hns/banyan/bench/audit"
	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/shard"
)

func main() {
	report, err := run(os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		fmt.Fprintln(os.Stderr, "auditcheck:", err)
		os.Exit(2)
	}
	fmt.Print(report)
	if len(report.Violations) > 0 {
		os.Exit(1)
	}
}

func run(args []string) (audit.Report, error) {
	var cfg audit.Config
	var scope hierarchy.ScopeOptions
	f := flag.NewFlagSet("auditcheck [flags] FILE", flag.ContinueOnError)
	f.IntVar(&cfg.Shards, "shards", shard.DefaultShards, "number of shards")
	f.StringVar(&cfg.Namespace, "namespace", "hnc-system", "namespace of the replicas and their Leases")
	f.StringVar(&cfg.ServiceAccount, "service-account", "system:serviceaccount:hnc-system:banyan", "user name of the replicas")
	f.Func("excluded-namespace", "as the replicas were started with (repeatable)", func(name string) error {
		scope.ExcludedNamespaces = append(scope.ExcludedNamespaces, name)
		return nil
	})
	f.StringVar(&scope.IncludedNamespaceRegex, "included-namespace-regex", ".*", "as the replicas were started with")
	if err := f.Parse(args); err != nil {
		return audit.Report{}, err
	}
	if f.NArg() != 1 {
		return audit.Report{}, fmt.Errorf("got %d files; name one, or - for standard input", f.NArg())
	}
	if cfg.Shards < 1 {
		return audit.Report{}, fmt.Errorf("-shards %d: must be at least 1", cfg.Shards)
	}
	var err error
	if cfg.Scope, err = hierarchy.NewScope(scope); err != nil {
		return audit.Report{}, err
	}
	return check(f.Arg(0), cfg)
}

func check(path string, cfg audit.Config) (audit.Report, error) {
	var in io.Reader = os.Stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return audit.Report{}, fmt.Errorf("opening the audit log: %w", err)
		}
		defer file.Close()
		in = file
	}
	log, err := audit.Read(in)
	if err != nil {
		return audit.Report{}, err
	}
	return log.Check(cfg), nil
}
