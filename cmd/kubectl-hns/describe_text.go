// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"
	"slices"
	"strings"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// describeText tells how one namespace stands in its hierarchy.
func describeText(p place, anchors []api.SubnamespaceAnchor) string {
	var text strings.Builder
	hierarchy := p.hierarchy
	fmt.Fprintf(&text, "Hierarchy configuration for namespace %s\n", p.namespace.Name)

	if parent := hierarchy.Spec.Parent; parent != "" {
		fmt.Fprintf(&text, "  Parent: %s\n", parent)
	} else {
		text.WriteString("  No parent\n")
	}

	var conditions []string
	for _, condition := range hierarchy.Status.Conditions {
		conditions = append(conditions, conditionText(condition))
	}
	writeList(&text, "children", childTexts(hierarchy.Status.Children, anchors))
	fmt.Fprintf(&text, "  Allows Cascading Deletion: %t\n", hierarchy.Spec.AllowCascadingDeletion)
	writeList(&text, "conditions", conditions)
	return text.String()
}

// writeList writes items below a title, or that there are none.
func writeList(text *strings.Builder, title string, items []string) {
	if len(items) == 0 {
		fmt.Fprintf(text, "  No %s\n", title)
		return
	}
	fmt.Fprintf(text, "  %s%s:\n", strings.ToUpper(title[:1]), title[1:])
	for _, item := range items {
		fmt.Fprintf(text, "  - %s\n", item)
	}
}

// childTexts merges the children with the anchors that ask for children. An
// anchor whose child is not there shows its state instead.
func childTexts(children []string, anchors []api.SubnamespaceAnchor) []string {
	kinds := map[string]string{}
	for _, child := range children {
		kinds[child] = ""
	}
	for _, anchor := range anchors {
		if _, exists := kinds[anchor.Name]; exists {
			kinds[anchor.Name] = " (subnamespace)"
		} else {
			kinds[anchor.Name] = fmt.Sprintf(" (%s subnamespace)", stateText(anchor.Status.State))
		}
	}

	var texts []string
	for name, kind := range kinds {
		texts = append(texts, name+kind)
	}
	slices.Sort(texts)
	return texts
}

// stateText: the controller has not looked at an anchor that has no state.
func stateText(state api.AnchorState) string {
	if state == "" {
		return "Pending"
	}
	return string(state)
}
