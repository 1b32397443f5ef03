// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

func newCreate(streams genericiooptions.IOStreams, cluster cluster) *cobra.Command {
	return &cobra.Command{
		Use:   "create CHILD",
		Short: "Create a subnamespace below a namespace",
		Example: `  # Below the namespace acme
  kubectl hns create team-a -n acme`,
		Args: cobra.ExactArgs(1),
		RunE: verb(func(ctx context.Context, args []string) error {
			child := args[0]
			parent, err := create(ctx, cluster, child)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(streams.Out, "Successfully created %q subnamespace anchor in %q namespace\n", child, parent)
			return err
		}),
	}
}

// create asks for the child by an anchor, and returns where the anchor stands.
func create(ctx context.Context, cluster cluster, child string) (parent string, err error) {
	parent, err = cluster.Namespace()
	if err != nil {
		return "", err
	}
	c, err := cluster.Client()
	if err != nil {
		return "", err
	}
	anchor := &api.SubnamespaceAnchor{}
	anchor.Namespace, anchor.Name = parent, child
	if err := c.Create(ctx, anchor); err != nil {
		return "", refusal{what: "Could not create subnamespace anchor.", why: err}
	}
	return parent, nil
}
