// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func newDescribe(streams genericiooptions.IOStreams, cluster cluster) *cobra.Command {
	return &cobra.Command{
		Use:     "describe NAMESPACE",
		Short:   "Show the hierarchy configuration of a namespace, and recent events",
		Example: `  kubectl hns describe team-a`,
		Args:    cobra.ExactArgs(1),
		RunE: verb(func(ctx context.Context, args []string) error {
			text, err := describe(ctx, cluster, args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(streams.Out, text)
			return err
		}),
	}
}

func describe(ctx context.Context, cluster cluster, namespace string) (string, error) {
	c, err := cluster.Client()
	if err != nil {
		return "", err
	}
	p, err := fetchPlace(ctx, c, namespace)
	if err != nil {
		return "", err
	}
	anchors, err := fetchAnchors(ctx, c, namespace)
	if err != nil {
		return "", err
	}
	events, err := fetchEvents(ctx, c, namespace)
	if err != nil {
		return "", err
	}
	return describeText(p, anchors) + "\n" + eventsText(namespace, events, time.Now()), nil
}
