// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// twin says what a forest says, in the dullest way: without any index, from all
// objects, each time anew. Its labels are written down rule by rule as in the
// specification, not as the forest does it.
type twin struct {
	scope   hierarchy.Scope
	objects map[string]hierarchy.Object
	plans   *hierarchy.Forest // plans have no twin; they are tested as tables
}

func newTwin(scope hierarchy.Scope, objects map[string]hierarchy.Object) twin {
	f := hierarchy.NewForest(scope)
	for _, o := range objects {
		foresttest.Fold(f, o)
	}
	return twin{scope, objects, f}
}

func (w twin) everything() map[string]known {
	all := map[string]known{}
	for _, name := range names {
		all[name] = known{
			Exists: w.ns(name) != nil, Sub: w.sub(name) != "", External: w.external(name), Cascading: w.cascading(name),
			Parent: w.parent(name), Key: w.key(name), Moving: w.moving(name), HaltedRoot: w.haltedRoot(name),
			Children: w.children(name), Ancestors: w.ancestors(name), Descendants: w.descendants(name),
			Cycle: w.cycle(name), Labels: w.labels(name),
			Wanted:  w.ns(name) == nil && w.winner(name) != "",
			Plan:    w.plans.Decide(w.plans.Observe(name), foresttest.Time).String(),
			Anchors: anchorPlans(w.plans, name),
		}
	}
	return all
}

func (w twin) ns(name string) *corev1.Namespace {
	n, _ := w.objects["*v1.Namespace /"+name].(*corev1.Namespace)
	return n
}

func (w twin) configuration(name string) api.HierarchyConfiguration {
	if c, ok := w.objects["*v1alpha2.HierarchyConfiguration "+name+"/hierarchy"].(*api.HierarchyConfiguration); ok {
		return *c
	}
	return api.HierarchyConfiguration{}
}

func (w twin) anchor(namespace, name string) *api.SubnamespaceAnchor {
	a, _ := w.objects[fmt.Sprintf("*v1alpha2.SubnamespaceAnchor %s/%s", namespace, name)].(*api.SubnamespaceAnchor)
	return a
}

func (w twin) external(name string) bool {
	return w.ns(name) != nil && w.ns(name).Annotations["hnc.x-k8s.io/managed-by"] == "others"
}

func (w twin) terminating(name string) bool {
	return w.ns(name) != nil && w.ns(name).DeletionTimestamp != nil
}

func (w twin) sub(name string) string {
	if w.ns(name) == nil || w.external(name) || w.terminating(name) || name == "x" {
		return ""
	}
	return w.ns(name).Annotations["hnc.x-k8s.io/subnamespace-of"]
}

func (w twin) parent(name string) string {
	switch {
	case w.ns(name) == nil || w.external(name) || name == "x":
		return ""
	case w.sub(name) != "":
		return w.sub(name)
	}
	return w.configuration(name).Spec.Parent
}

func (w twin) children(name string) []string {
	children := []string{}
	for _, child := range names {
		if w.parent(child) == name {
			children = append(children, child)
		}
	}
	return children
}

func (w twin) ancestors(name string) []string {
	ancestors := []string{}
	for up := w.parent(name); up != "" && up != name && !slices.Contains(ancestors, up); up = w.parent(up) {
		ancestors = append(ancestors, up)
	}
	return ancestors
}

func (w twin) descendants(name string) []string {
	descendants := []string{}
	for _, other := range names {
		if other != name && slices.Contains(w.ancestors(other), name) {
			descendants = append(descendants, other)
		}
	}
	return descendants
}

func (w twin) inCycle(name string) bool {
	return w.parent(name) == name || slices.Contains(w.ancestors(name), name) ||
		slices.ContainsFunc(w.ancestors(name), func(up string) bool { return w.parent(up) == name })
}

func (w twin) cycle(name string) []string {
	if !w.inCycle(name) {
		return nil
	}
	members := append(w.ancestors(name), name)
	smallest := slices.Min(members)
	upwards := append([]string{smallest}, w.ancestors(smallest)...)
	slices.Reverse(upwards)
	return append([]string{smallest}, upwards...)
}

func (w twin) halted(name string) bool {
	parent := w.parent(name)
	return parent != "" && (parent == "x" || w.ns(parent) == nil || w.inCycle(name))
}

func (w twin) haltedRoot(name string) string {
	for _, n := range append([]string{name}, w.ancestors(name)...) {
		if w.halted(n) {
			return n
		}
	}
	return ""
}

func (w twin) cascading(name string) bool {
	return slices.ContainsFunc(append([]string{name}, w.ancestors(name)...), func(n string) bool {
		return n != "x" && w.ns(n) != nil && w.configuration(n).Spec.AllowCascadingDeletion
	})
}

func (w twin) winner(name string) string {
	if w.ns(name) != nil || name == "x" {
		return ""
	}
	winner := ""
	for _, p := range names {
		a := w.anchor(p, name)
		if a == nil || a.DeletionTimestamp != nil || p == "x" || w.ns(p) == nil || w.terminating(p) {
			continue
		}
		if winner == "" || a.CreationTimestamp.Unix() < w.anchor(winner, name).CreationTimestamp.Unix() {
			winner = p
		}
	}
	return winner
}

func (w twin) up(name string) string {
	if w.ns(name) != nil {
		return w.parent(name)
	}
	return w.winner(name)
}

// moving climbs until it finds a stamp, or has been everywhere.
func (w twin) moving(name string) string {
	for range 2 * len(names) {
		if w.stamp(name) != "" {
			return name
		}
		if w.ownKey(name) {
			return ""
		}
		name = w.up(name)
	}
	return ""
}

func (w twin) stamp(name string) string {
	if w.ns(name) == nil || name == "x" {
		return ""
	}
	return w.configuration(name).Annotations["hnc.x-k8s.io/previous-key"]
}

func (w twin) ownKey(name string) bool {
	return w.ns(name) != nil && name != "x" && w.configuration(name).Annotations["hnc.x-k8s.io/own-key"] == "true"
}

// key climbs until it stands still or has been everywhere, then walks the cycle.
func (w twin) key(name string) string {
	if stamped := w.moving(name); stamped != "" {
		return w.stamp(stamped)
	}
	at, up := name, w.up
	for range 2 * len(names) {
		if w.ownKey(at) {
			return at
		}
		if up(at) == "" {
			return at
		}
		at = up(at)
	}
	smallest := at
	for next := up(at); next != at; next = up(next) {
		smallest = min(smallest, next)
	}
	return smallest
}

func (w twin) labels(name string) map[string]string {
	if w.ns(name) == nil {
		return nil
	}
	labels := map[string]string{}
	for key, value := range w.ns(name).Labels {
		ours := strings.Contains(key, ".tree.") || key == "env" || key == "team"
		if !ours || w.external(name) || name == "x" {
			labels[key] = value
		}
	}
	if name == "x" {
		if len(labels) == 0 {
			return nil
		}
		return labels
	}
	labels["hnc.x-k8s.io/included-namespace"] = "true"
	for depth, n := range append([]string{name}, w.ancestors(name)...) {
		for _, key := range []string{"env", "team"} {
			if value, ok := w.own(n, key); ok {
				labels[key] = value
			}
		}
		labels[n+".tree.hnc.x-k8s.io/depth"] = fmt.Sprint(depth)
		if w.external(n) && depth > 0 {
			for key, value := range w.ns(n).Labels {
				if _, ours := labels[key]; strings.Contains(key, ".tree.") && !ours {
					foreign, _ := strconv.Atoi(value)
					labels[key] = fmt.Sprint(depth + foreign)
				}
			}
		}
		if w.halted(n) {
			break
		}
	}
	return labels
}

// own is what a namespace passes on for one managed label.
func (w twin) own(name, key string) (value string, ok bool) {
	pairs := w.configuration(name).Spec.Labels
	if a := w.anchor(w.sub(name), name); a != nil {
		pairs = a.Spec.Labels
	}
	for _, pair := range pairs {
		if pair.Key == key {
			value, ok = pair.Value, true
		}
	}
	if direct, has := w.ns(name).Labels[key]; has && w.external(name) {
		value, ok = direct, true
	}
	return value, ok
}

// says is what an anchor says when all has come to rest. It is silent on those
// that are being deleted or stand in a namespace that is not managed.
func (w twin) says(key hierarchy.AnchorKey) (string, bool) {
	home, child := key.Namespace, key.Name
	a := w.anchor(home, child)
	if a == nil || a.DeletionTimestamp != nil || home == "x" {
		return "", false
	}
	switch n := w.ns(child); {
	case child == "x":
		return "Forbidden False/NameForbidden", true
	case n == nil:
		return "Missing False/NamespaceMissing held", true
	case n.Annotations["hnc.x-k8s.io/subnamespace-of"] != home:
		return "Conflict False/NamespaceConflict held", true
	case w.terminating(child):
		return "Ok False/Terminating held", true
	case w.external(child):
		return "Ok False/NamespaceConflict held", true
	case w.haltedRoot(child) != "":
		return "Ok False/Halted held", true
	}
	return "Ok True/Arrived held", true
}
