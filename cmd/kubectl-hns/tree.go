// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func newTree(streams genericiooptions.IOStreams, cluster cluster) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "tree [NAMESPACE...]",
		Short: "Show trees of namespaces",
		Example: `  # The namespaces below acme
  kubectl hns tree acme

  # All trees of the cluster
  kubectl hns tree --all-namespaces`,
		RunE: verb(func(ctx context.Context, args []string) error {
			text, err := tree(ctx, cluster, args, all)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(streams.Out, text)
			return err
		}),
	}
	cmd.Flags().BoolVarP(&all, "all-namespaces", "A", false, "Show all trees of the cluster")
	return cmd
}

func tree(ctx context.Context, cluster cluster, roots []string, all bool) (string, error) {
	if len(roots) == 0 && !all {
		return "", errors.New("must specify the roots of the trees, or --all-namespaces")
	}
	c, err := cluster.Client()
	if err != nil {
		return "", err
	}
	if !all {
		places, err := fetchTrees(ctx, c, roots)
		if err != nil {
			return "", err
		}
		return treeText(roots, places), nil
	}

	places, err := fetchAll(ctx, c)
	if err != nil {
		return "", err
	}
	names := slices.Sorted(maps.Keys(places))
	if len(roots) == 0 {
		names = slices.DeleteFunc(names, func(name string) bool { return !isRoot(name, places) })
	}
	return treeText(names, places), nil
}
