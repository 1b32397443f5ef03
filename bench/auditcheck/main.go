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
	"slices"
	"strings"

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
	var files files
	f.StringVar(&files.marks, "marks", "", "file that says what the rig did (JSON, see audit.Marks), for C4, C5, C6 and C9")
	f.StringVar(&files.record, "record", "", "file of audit.Recorders of the same run")
	cfg.Require = []string{audit.RuleOwner, audit.RuleTransfer, audit.RuleConditional}
	f.Func("require", "rules that must judge something, separated by commas, by the first words of their names (default C1,C2,C8)", func(list string) error {
		var err error
		cfg.Require, err = rulesNamed(list)
		return err
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
	files.log = f.Arg(0)
	return files.check(cfg)
}

// rulesNamed finds rules by the first words of their names.
func rulesNamed(list string) ([]string, error) {
	rules := []string{}
	for short := range strings.SplitSeq(list, ",") {
		found := slices.IndexFunc(audit.Rules(), func(rule string) bool { first, _, _ := strings.Cut(rule, " "); return first == short })
		switch {
		case short == "":
		case found < 0:
			return nil, fmt.Errorf("%q is no rule; name some of %s", short, strings.Join(audit.Rules(), ", "))
		default:
			rules = append(rules, audit.Rules()[found])
		}
	}
	return rules, nil
}

// files are the paths of what is read; all but the log may be empty.
type files struct {
	log, marks, record string
}

func (f files) check(cfg audit.Config) (report audit.Report, err error) {
	if f.marks != "" {
		read := func(r io.Reader) (err error) { cfg.Marks, err = audit.ReadMarks(r); return err }
		if err := with("the marks", f.marks, read); err != nil {
			return report, err
		}
	}
	var log *audit.Log
	read := func(r io.Reader) (err error) { log, err = audit.Read(r); return err }
	if err := with("the audit log", f.log, read); err != nil {
		return report, err
	}
	if f.record != "" {
		if err := with("the record", f.record, log.AddRecord); err != nil {
			return report, err
		}
	}
	return log.Check(cfg), nil
}

// with opens a file and reads it. The name - is standard input.
func with(what, path string, read func(io.Reader) error) error {
	if path == "-" {
		return read(os.Stdin)
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("opening %s: %w", what, err)
	}
	defer file.Close()
	return read(file)
}
