// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// messages tell what is wrong and what helps. Each has room for one detail.
var messages = map[string]string{
	api.ReasonOverriddenManagedLabel:      "The managed label %s; the farthest ancestor wins, so change it there, or remove it from the list of this namespace.",
	api.ReasonOverriddenManagedAnnotation: "The managed annotation %s; the farthest ancestor wins, so change it there, or remove it from the list of this namespace.",
	api.ReasonAncestor:                    "Nothing is copied to or removed from this namespace, because its ancestor %q is halted; see the conditions of %[1]q.",
	api.ReasonDeletingCRD:                 "Nothing is copied or removed, because the definitions of the API group %q are being deleted; install them again to go on.",
	api.ReasonAnchorMissing:               "This namespace says that it is a subnamespace of %q, which has no anchor for it; create the anchor in %[1]q, or remove the annotation " + api.AnnotationSubnamespaceOf + " to make this a full namespace.",
	api.ReasonIllegalParent:               "The parent is not managed: %s; choose another parent, or none.",
	api.ReasonParentMissing:               "The parent %q does not exist; create it, or choose another parent, or none.",
	api.ReasonInCycle:                     "This namespace is its own ancestor: %s; give one of these another parent, or none.",
	api.ReasonIllegalManagedLabel:         "The label %q is not set: its key is not among the managed ones (--managed-namespace-label), or is illegal like its value; remove it from the list.",
	api.ReasonIllegalManagedAnnotation:    "The annotation %q is not set: its key is not among the managed ones (--managed-namespace-annotation), or is illegal; remove it from the list.",
}

// rule is one thing that can be wrong. It gives the detail of the message.
type rule struct {
	kind    string
	reason  string
	applies func(f *Forest, seen Observed) (detail string, ok bool)
}

// rules in the order in which they count: a later one replaces an earlier one
// of the same type.
var rules = []rule{
	{api.ConditionBadConfiguration, api.ReasonOverriddenManagedLabel, overriddenLabel},
	{api.ConditionBadConfiguration, api.ReasonOverriddenManagedAnnotation, overriddenAnnotation},
	{api.ConditionActivitiesHalted, api.ReasonDeletingCRD, deletingCRD},
	{api.ConditionBadConfiguration, api.ReasonAnchorMissing, anchorMissing},
	{api.ConditionActivitiesHalted, api.ReasonIllegalParent, illegalParent},
	{api.ConditionActivitiesHalted, api.ReasonParentMissing, parentMissing},
	{api.ConditionActivitiesHalted, api.ReasonInCycle, inCycle},
	{api.ConditionBadConfiguration, api.ReasonIllegalManagedLabel, illegalLabel},
	{api.ConditionBadConfiguration, api.ReasonIllegalManagedAnnotation, illegalAnnotation},
}

// conditions returns what is wrong with a namespace, without times. One that
// is halted by itself needs no word about its ancestors.
func (f *Forest) conditions(seen Observed) []metav1.Condition {
	var found []metav1.Condition
	for _, r := range rules {
		detail, ok := r.applies(f, seen)
		if !ok {
			continue
		}
		found = slices.DeleteFunc(found, func(c metav1.Condition) bool { return c.Type == r.kind })
		found = append(found, condition(r.kind, r.reason, detail))
	}
	slices.SortStableFunc(found, func(a, b metav1.Condition) int { return strings.Compare(a.Type, b.Type) })

	halted := slices.ContainsFunc(found, func(c metav1.Condition) bool { return c.Type == api.ConditionActivitiesHalted })
	if c := f.climb(seen); !halted && f.halt(c) > 0 {
		ancestor := condition(api.ConditionActivitiesHalted, api.ReasonAncestor, c.path[f.halt(c)])
		found = slices.Insert(found, 0, ancestor)
	}
	return found
}

func condition(kind, reason, detail string) metav1.Condition {
	return metav1.Condition{
		Type:    kind,
		Status:  metav1.ConditionTrue,
		Reason:  reason,
		Message: fmt.Sprintf(messages[reason], detail),
	}
}

// since dates conditions: one that stood already in the same words keeps its
// time, so that a steady namespace is not written.
func since(now metav1.Time, found, stood []metav1.Condition) []metav1.Condition {
	now = now.Rfc3339Copy()
	for i, c := range found {
		found[i].LastTransitionTime = now
		for _, old := range stood {
			if old.Type == c.Type && old.Status == c.Status && old.Reason == c.Reason && old.Message == c.Message {
				found[i].LastTransitionTime = old.LastTransitionTime
				found[i].ObservedGeneration = old.ObservedGeneration
			}
		}
	}
	return found
}

func deletingCRD(_ *Forest, seen Observed) (string, bool) {
	return api.Group, seen.DeletingCRD && seen.Configuration != nil && seen.Configuration.DeletionTimestamp != nil
}

func anchorMissing(f *Forest, seen Observed) (string, bool) {
	owner := seen.subnamespaceOf(f.scope)
	return owner, owner != "" && seen.claimOf(owner) == nil
}

func illegalParent(f *Forest, seen Observed) (string, bool) {
	why := f.scope.WhyUnmanaged(seen.parent(f.scope))
	return why, why != ""
}

func parentMissing(f *Forest, seen Observed) (string, bool) {
	parent := seen.parent(f.scope)
	present := parent == "" || parent == seen.Name || f.Exists(parent)
	return parent, !present && f.scope.Manages(parent)
}

func inCycle(f *Forest, seen Observed) (string, bool) {
	cycle := f.cycle(seen)
	return strings.Join(cycle, " <- "), cycle != nil
}

func illegalLabel(f *Forest, seen Observed) (key string, ok bool) {
	labels, _ := seen.asked(f.scope)
	return lastKey(labels, f.legalLabel)
}

func illegalAnnotation(f *Forest, seen Observed) (key string, ok bool) {
	_, annotations := seen.asked(f.scope)
	return lastKey(annotations, f.legalAnnotation)
}

// lastKey returns the last key whose pair is not legal.
func lastKey(pairs []api.MetaKVP, legal func(api.MetaKVP) bool) (string, bool) {
	for _, pair := range slices.Backward(pairs) {
		if !legal(pair) {
			return pair.Key, true
		}
	}
	return "", false
}
