// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// treeText draws the tree of each root, one after the other, and explains below
// them the marks that it has used.
func treeText(roots []string, places map[string]place) string {
	d := &drawing{places: places, open: map[string]bool{}, notes: map[string]int{}}
	for _, root := range roots {
		d.line("", root)
		d.descend(root, "")
	}
	d.legend()
	return d.text.String()
}

// drawing is the state of treeText.
type drawing struct {
	places map[string]place
	open   map[string]bool // the namespaces between the root and the pen

	text   strings.Builder
	marked bool           // a subnamespace was drawn
	notes  map[string]int // numbers of conditions, from 1
	order  []string       // conditions by number
}

// descend draws everything below a namespace. Every line begins with indent.
func (d *drawing) descend(parent, indent string) {
	d.open[parent] = true
	defer delete(d.open, parent)

	children := d.places[parent].hierarchy.Status.Children
	for i, child := range children {
		branch, below := "├── ", "│   "
		if i == len(children)-1 {
			branch, below = "└── ", "    "
		}
		d.line(indent+branch+d.mark(child), child)
		if !d.closes(parent, child) {
			d.descend(child, indent+below)
		}
	}
}

// closes says whether the pen would come round in a circle below child. What is
// reported of the children may be older than what is configured, so a circle
// that is only reported is recognised too.
func (d *drawing) closes(parent, child string) bool {
	return d.open[child] || inCycle(parent, d.places) && inCycle(child, d.places)
}

func (d *drawing) mark(name string) string {
	if _, is := d.places[name].namespace.Annotations[api.AnnotationSubnamespaceOf]; !is {
		return ""
	}
	d.marked = true
	return "[s] "
}

// line draws one namespace, with the numbers of its conditions.
func (d *drawing) line(before, name string) {
	d.text.WriteString(before + name)
	if numbers := d.numbers(d.places[name].hierarchy.Status.Conditions); len(numbers) > 0 {
		fmt.Fprintf(&d.text, " (%s)", strings.Join(numbers, ","))
	}
	d.text.WriteByte('\n')
}

// numbers gives a number to each condition. The same text keeps its number.
func (d *drawing) numbers(conditions []metav1.Condition) []string {
	var numbers []int
	for _, condition := range conditions {
		text := conditionText(condition)
		if d.notes[text] == 0 {
			d.order = append(d.order, text)
			d.notes[text] = len(d.order)
		}
		numbers = append(numbers, d.notes[text])
	}
	slices.Sort(numbers)

	var texts []string
	for _, number := range slices.Compact(numbers) {
		texts = append(texts, strconv.Itoa(number))
	}
	return texts
}

func (d *drawing) legend() {
	if d.marked {
		d.text.WriteString("\n[s] indicates subnamespaces\n")
	}
	if len(d.order) == 0 {
		return
	}
	d.text.WriteString("\nConditions:\n")
	for i, text := range d.order {
		fmt.Fprintf(&d.text, "%d) %s\n", i+1, text)
	}
}

// conditionText is how all verbs write a condition.
func conditionText(c metav1.Condition) string {
	return fmt.Sprintf("%s (%s): %s", c.Type, c.Reason, c.Message)
}

// isRoot says whether the trees of the cluster are drawn from here: at what has
// no parent, and at each member of a cycle, which no root leads to.
func isRoot(name string, places map[string]place) bool {
	return places[name].hierarchy.Spec.Parent == "" || inCycle(name, places)
}

// inCycle says whether the parents of a namespace lead back to it.
func inCycle(name string, places map[string]place) bool {
	seen := map[string]bool{}
	for at := places[name].hierarchy.Spec.Parent; at != "" && !seen[at]; at = places[at].hierarchy.Spec.Parent {
		if at == name {
			return true
		}
		seen[at] = true
	}
	return false
}
