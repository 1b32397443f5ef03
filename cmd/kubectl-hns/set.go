// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

func newSet(streams genericiooptions.IOStreams, cluster cluster) *cobra.Command {
	var want wish
	cmd := &cobra.Command{
		Use:   "set NAMESPACE",
		Short: "Change the parent of a namespace, or whether deletion cascades",
		Example: `  # Make team-b a child of acme
  kubectl hns set team-b --parent acme

  # Make team-b a root again
  kubectl hns set team-b --root`,
		Args: cobra.ExactArgs(1),
	}
	flags := cmd.Flags()
	flags.BoolP("root", "r", false, "Make the namespace a root")
	flags.StringVarP(&want.parent, "parent", "p", "", "Make the namespace a child of this one")
	flags.BoolVarP(&want.allow, "allowCascadingDeletion", "a", false, "Allow that subnamespaces are deleted together with the namespace")
	flags.BoolVarP(&want.forbid, "forbidCascadingDeletion", "f", false, "Protect subnamespaces from deletion together with the namespace")
	cmd.RunE = verb(func(ctx context.Context, args []string) error {
		want.root = flags.Changed("root") // --root=false counts too, as in HNC
		return set(ctx, streams, cluster, args[0], want)
	})
	return cmd
}

// updated is spelled as in HNC, since scripts look for it.
const updated = "Succesfully updated" //nolint:misspell // see above

// wish is what the flags of set ask for.
type wish struct {
	root   bool
	parent string
	allow  bool
	forbid bool
}

func (w wish) validate() error {
	if w.root && w.parent != "" {
		return errors.New("--root and --parent exclude each other; give one of them")
	}
	if w.allow && w.forbid {
		return errors.New("--allowCascadingDeletion and --forbidCascadingDeletion exclude each other; give one of them")
	}
	return nil
}

func set(ctx context.Context, streams genericiooptions.IOStreams, cluster cluster, namespace string, want wish) error {
	if err := want.validate(); err != nil {
		return err
	}
	c, err := cluster.Client()
	if err != nil {
		return err
	}
	hierarchy, err := fetchHierarchy(ctx, c, namespace)
	if err != nil {
		return err
	}

	lines, changed := want.fulfil(hierarchy)
	for _, line := range lines {
		fmt.Fprintln(streams.Out, line)
	}
	if changed == 0 {
		fmt.Fprintln(streams.Out, "No changes made")
		return nil
	}
	if err := write(ctx, c, hierarchy); err != nil {
		what := fmt.Sprintf("\nCould not update the hierarchical configuration of %s.", namespace)
		return refusal{what: what, why: err}
	}
	fmt.Fprintf(streams.Out, "%s %d %s of the hierarchical configuration of %s\n", updated, changed, properties(changed), namespace)
	return nil
}

// write creates what was not there when it was read. An update of what somebody
// else has changed since then is refused.
func write(ctx context.Context, c client.Writer, hierarchy *api.HierarchyConfiguration) error {
	if hierarchy.ResourceVersion == "" {
		return c.Create(ctx, hierarchy)
	}
	return c.Update(ctx, hierarchy)
}

func properties(n int) string {
	if n == 1 {
		return "property"
	}
	return "properties"
}

// fulfil changes the configuration. It tells what it did, in a line for each
// wish, and how many properties differ now.
func (w wish) fulfil(hierarchy *api.HierarchyConfiguration) (lines []string, changed int) {
	spec, namespace := &hierarchy.Spec, hierarchy.Namespace
	note := func(differs bool, line string) {
		lines = append(lines, line)
		if differs {
			changed++
		}
	}
	if w.root || w.parent != "" {
		note(spec.Parent != w.parent, parentLine(namespace, spec.Parent, w.parent))
		spec.Parent = w.parent
	}
	if w.allow || w.forbid {
		note(spec.AllowCascadingDeletion != w.allow, cascadeLine(namespace, spec.AllowCascadingDeletion, w.allow))
		spec.AllowCascadingDeletion = w.allow
	}
	return lines, changed
}

func parentLine(namespace, before, after string) string {
	switch {
	case before == after && after == "":
		return fmt.Sprintf("%s has no parent; unchanged", namespace)
	case before == after:
		return fmt.Sprintf("The parent of %s is %s; unchanged", namespace, after)
	case after == "":
		return fmt.Sprintf("Unsetting the parent of %s, which was %s", namespace, before)
	case before == "":
		return fmt.Sprintf("Setting the parent of %s to %s", namespace, after)
	default:
		return fmt.Sprintf("Changing the parent of %s from %s to %s", namespace, before, after)
	}
}

func cascadeLine(namespace string, before, after bool) string {
	switch {
	case before && after:
		return fmt.Sprintf("Cascading deletion is allowed on %s; unchanged", namespace)
	case after:
		return fmt.Sprintf("Allowing cascading deletion on %s", namespace)
	case before:
		return fmt.Sprintf("Forbidding cascading deletion on %s", namespace)
	default:
		return fmt.Sprintf("Cascading deletion is forbidden on %s; unchanged", namespace)
	}
}
