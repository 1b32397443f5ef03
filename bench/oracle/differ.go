// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Statements are what the oracle speaks about, as the cluster has it.
func (s Seen) Statements(f Facts) Statements {
	all := Statements{}
	s.tellNamespaces(f, all)
	for _, a := range s.anchors {
		if _, spoken := f.anchor(Place{a.Namespace, a.Name}); spoken || a.DeletionTimestamp != nil {
			all[Subject{a.Namespace, whatAnchor + a.Name}] = anchorText(a)
		}
	}
	for _, u := range s.objects {
		if o := objectOf(u); f.reached(o.Namespace, o.Kind) {
			all[o.subject()] = objectText(u)
		}
	}
	for _, kind := range Kinds {
		all[Subject{"", "mode of " + kind}] = string(api.Ignore)
	}
	for _, r := range s.config.Status.Resources {
		all[Subject{"", "mode of " + kindsByStatus[r.Resource]}] = modeText(r.Mode, r.NumPropagatedObjects, r.NumSourceObjects)
	}
	all[Subject{"", whatSummary}] = s.summary(f)
	return all
}

func modeText(mode api.SynchronizationMode, copies, sources *int) string {
	text := string(mode)
	if copies != nil {
		text += fmt.Sprintf(" %d copies", *copies)
	}
	if sources != nil {
		text += fmt.Sprintf(" %d sources", *sources)
	}
	return text
}

// summary repeats what is expected of the conditions of the HNCConfiguration if its
// conditions say just that: reason and number of namespaces, and the first three.
func (s Seen) summary(f Facts) string {
	troubles, told := f.troubles(), 0
	for t, names := range troubles {
		told += len(slices.DeleteFunc(slices.Clone(s.config.Status.Conditions), func(c metav1.Condition) bool {
			return c.Type != "NamespaceCondition" || c.Reason != t.kind || !mentions(c.Message, t.reason, names)
		}))
	}
	if told == len(troubles) && told == len(s.config.Status.Conditions) {
		return fmt.Sprint(troubles)
	}
	return fmt.Sprintf("%+v", s.config.Status.Conditions)
}

func mentions(message, reason string, names []string) bool {
	words := []string{reason, fmt.Sprint(len(names))}
	for _, name := range names[:min(3, len(names))] {
		words = append(words, strconv.Quote(name))
	}
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(message, word) })
}

func (s Seen) tellNamespaces(f Facts, all Statements) {
	for _, n := range s.namespaces {
		all[Subject{n.Name, whatNamespace}] = "exists"
		if n.DeletionTimestamp != nil {
			all[Subject{n.Name, whatNamespace}] = "terminates"
		}
		all[Subject{n.Name, whatLabels}] = fmt.Sprint(n.Labels)
		all[Subject{n.Name, whatAnnotations}] = fmt.Sprint(orEmpty(n.Annotations))
	}
	for _, c := range s.configurations {
		told := configured{Configuration: configurationOf(c), Children: c.Status.Children, Conditions: map[string]string{}}
		for _, condition := range c.Status.Conditions {
			told.Conditions[condition.Type] += condition.Reason
		}
		if !f.managed(c.Namespace) {
			told.Conditions = nil // They stay as they are.
		}
		told.Held = slices.Contains(c.Finalizers, api.FinalizerHasSubnamespace)
		all[Subject{c.Namespace, whatConfiguration}] = told.String()
	}
}

var kindsByStatus = map[string]string{"roles": "Role", "rolebindings": "RoleBinding", "configmaps": "ConfigMap", "secrets": "Secret"}

func anchorText(a api.SubnamespaceAnchor) string {
	text := string(a.Status.State)
	for _, c := range a.Status.Conditions {
		if c.Type == api.ConditionReady {
			text += fmt.Sprintf(" %s/%s", c.Status, c.Reason)
		}
	}
	if slices.Contains(a.Finalizers, api.FinalizerAnchor) {
		text += " held"
	}
	if a.DeletionTimestamp != nil {
		text += " being deleted"
	}
	return text
}

func objectText(u unstructured.Unstructured) string {
	if u.GetDeletionTimestamp() != nil {
		return "being deleted"
	}
	labels := orEmpty(maps.Clone(u.GetLabels()))
	from := labels[api.LabelInheritedFrom]
	if from == "" {
		return aUsers
	}
	delete(labels, api.LabelInheritedFrom)
	return copyText(from, labels, orEmpty(u.GetAnnotations()), contentOf(u))
}

func orEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

// Difference is one thing about which cluster and oracle disagree.
type Difference struct {
	Subject      Subject
	Seen, Wanted string // empty: nothing
}

func (d Difference) String() string {
	return fmt.Sprintf("%s\n    cluster: %s\n    oracle:  %s", d.Subject, orNothing(d.Seen), orNothing(d.Wanted))
}

func orNothing(text string) string {
	if text == "" {
		return "(nothing)"
	}
	return text
}

// Differ lists all differences, sorted.
func Differ(seen, wanted Statements) []Difference {
	subjects := maps.Clone(seen)
	maps.Copy(subjects, wanted)
	var found []Difference
	for subject := range subjects {
		if seen[subject] != wanted[subject] {
			found = append(found, Difference{subject, seen[subject], wanted[subject]})
		}
	}
	slices.SortFunc(found, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Subject.Namespace, b.Subject.Namespace), cmp.Compare(a.Subject.What, b.Subject.What))
	})
	return found
}
