// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// newRoot assembles the verbs below the flags that all share.
func newRoot(streams genericiooptions.IOStreams) *cobra.Command {
	root := &cobra.Command{
		Use:         "kubectl-hns",
		Short:       "Show and change hierarchies of namespaces",
		Version:     versionOrUnknown(),
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl hns"},
	}
	root.SetVersionTemplate(versionLine)
	root.InitDefaultVersionFlag() // now, or cobra takes what follows the flag for its value
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.ErrOut)

	cluster := newKubeconfig(root.PersistentFlags(), streams.ErrOut)
	root.AddCommand(
		newCreate(streams, cluster),
		newDescribe(streams, cluster),
		newSet(streams, cluster),
		newShards(streams, cluster),
		newTree(streams, cluster),
		newVersion(streams),
	)
	return root
}

// run is the whole program but for the process: it returns the exit code.
//
// Errors go to standard output, where HNC's plugin has them. An error in the
// arguments was already printed by cobra, with the usage, and is said once more.
func run(ctx context.Context, args []string, streams genericiooptions.IOStreams) int {
	root := newRoot(streams)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if refused := (refusal{}); errors.As(err, &refused) {
		fmt.Fprintln(streams.Out, refused)
	} else {
		fmt.Fprintln(streams.Out, "Error:", err)
	}
	return 1
}

// verb adapts what a verb does to cobra. Once it runs, its arguments are right:
// no error that follows is a reason to print the usage.
func verb(do func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		return do(cmd.Context(), args)
	}
}

// refusal is a change that the API server did not accept. It is printed as it is.
type refusal struct {
	what string // the change, as a sentence
	why  error
}

func (r refusal) Error() string { return fmt.Sprintf("%s\nReason: %v", r.what, r.why) }

func (r refusal) Unwrap() error { return r.why }
