// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/lease"
)

// installNamespace is where Banyan runs unless the user says otherwise.
const installNamespace = "hnc-system"

func newShards(streams genericiooptions.IOStreams, cluster cluster) *cobra.Command {
	var from, output string
	cmd := &cobra.Command{
		Use:   "shards [NAMESPACE]",
		Short: "Show which replica of Banyan owns which shard, or the shard of a namespace",
		Long: `Show which replica of Banyan owns which shard, or the shard of a namespace.

This is read from the Leases of the replicas, so it also works while none of
them runs. A replica that has died keeps its shards here until the others have
fenced it, which takes about ten seconds.`,
		Example: `  # All replicas and their shards
  kubectl hns shards

  # The replica that writes to team-a
  kubectl hns shards team-a`,
		Args: cobra.MaximumNArgs(1),
		RunE: verb(func(ctx context.Context, args []string) error {
			if output != "" && output != "json" {
				return fmt.Errorf("--output is %q; set it to json, or leave it out for text", output)
			}
			answer, err := shards(ctx, streams, cluster, from, args)
			if err != nil {
				return err
			}
			return printAnswer(streams, answer, output)
		}),
	}
	cmd.Flags().StringVar(&from, "controller-namespace", installNamespace, "The namespace in which Banyan runs")
	cmd.Flags().StringVarP(&output, "output", "o", "", "Output format: json, or text if empty")
	return cmd
}

// answer is what shards has found out. Its JSON is for programs.
type answer interface {
	Text() string
}

func printAnswer(streams genericiooptions.IOStreams, a answer, output string) error {
	if output == "" {
		_, err := fmt.Fprint(streams.Out, a.Text())
		return err
	}
	encoder := json.NewEncoder(streams.Out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(a)
}

// shards answers for all shards, or for the shard of the namespace in args.
func shards(ctx context.Context, streams genericiooptions.IOStreams, cluster cluster, from string, args []string) (answer, error) {
	c, err := cluster.Client()
	if err != nil {
		return nil, err
	}
	leases, err := fetchLeases(ctx, c, from)
	if err != nil {
		return nil, err
	}
	owners, faults := ownersOf(leases)
	for _, fault := range faults {
		fmt.Fprintln(streams.ErrOut, "Warning:", fault)
	}
	if len(args) == 0 {
		return owners, nil
	}

	if len(owners.Shards) == 0 {
		return nil, fmt.Errorf("no shards in namespace %q; give the namespace of Banyan by --controller-namespace", from)
	}
	namespace := args[0]
	key, err := keyOf(namespace, func(name string) (parent string, exists bool, err error) {
		return fetchParent(ctx, c, name)
	})
	if err != nil {
		return nil, err
	}
	return locate(namespace, key, owners), nil
}

// fetchLeases reads the Leases of replicas and shards.
func fetchLeases(ctx context.Context, c client.Reader, namespace string) ([]coordinationv1.Lease, error) {
	var leases coordinationv1.LeaseList
	if err := c.List(ctx, &leases, client.InNamespace(namespace), client.HasLabels{lease.LabelKind}); err != nil {
		return nil, fmt.Errorf("listing the Leases in %q: %w", namespace, err)
	}
	return leases.Items, nil
}

// location is where one namespace belongs.
type location struct {
	Namespace string `json:"namespace"`
	Key       string `json:"key"`
	ActiveP   int    `json:"activeP"`
	Shard     slot   `json:"shard"`
}

func locate(namespace, key string, owners owners) location {
	count := len(owners.Shards)
	return location{Namespace: namespace, Key: key, ActiveP: count, Shard: owners.Shards[shard.Of(key, count)]}
}
