// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// version is set at build: -ldflags "-X main.version=v1.2.3".
var version string

// versionLine is the template of cobra for --version.
const versionLine = "kubectl-hns version {{.Version}}\n"

func versionOrUnknown() string {
	if version == "" {
		return "(UNKNOWN)"
	}
	return version
}

func newVersion(streams genericiooptions.IOStreams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this plugin",
		Args:  cobra.NoArgs,
		RunE: verb(func(context.Context, []string) error {
			_, err := fmt.Fprintf(streams.Out, "kubectl-hns version %s\n", versionOrUnknown())
			return err
		}),
	}
}
