// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Types of conditions of the HNCConfiguration, beside api.ConditionBadConfiguration.
const (
	// ConditionOutOfSync: objects of a type cannot be read.
	ConditionOutOfSync = "OutOfSync"
	// ConditionNamespaces: namespaces have a condition of their own. Its reason
	// is the type of that.
	ConditionNamespaces = "NamespaceCondition"
)

// DecideConfiguration says what must be written to the HNCConfiguration. It is
// nil if there is none; failed has, for each type that cannot be read, why.
func DecideConfiguration(seen *api.HNCConfiguration, r Resolution, counts func(schema.GroupVersionKind) Counts, failed map[schema.GroupVersionKind]string, troubles []hierarchy.Trouble, now metav1.Time) hierarchy.Action {
	found := slices.Concat(faultConditions(r.Faults), failureConditions(r.Active, failed), troubleConditions(troubles))
	if seen == nil {
		after := &api.HNCConfiguration{ObjectMeta: metav1.ObjectMeta{Name: api.HNCConfigurationName}}
		after.Status = api.HNCConfigurationStatus{Resources: resourceStatuses(r.Active, counts), Conditions: since(now, found, nil)}
		return hierarchy.Action{Verb: hierarchy.Create, After: after, Why: "there is none"}
	}
	if seen.DeletionTimestamp != nil {
		return hierarchy.Action{}
	}
	after := seen.DeepCopy()
	after.Status = api.HNCConfigurationStatus{Resources: resourceStatuses(r.Active, counts), Conditions: since(now, found, seen.Status.Conditions)}
	if equality.Semantic.DeepEqual(seen, after) {
		return hierarchy.Action{}
	}
	return hierarchy.Action{Verb: hierarchy.Patch, Before: seen, After: after, Why: "its status is out of date"}
}

// resourceStatuses reports on each type, sorted by what the user wrote.
func resourceStatuses(active []Active, counts func(schema.GroupVersionKind) Counts) []api.ResourceStatus {
	var statuses []api.ResourceStatus
	for _, a := range active {
		status := api.ResourceStatus{Group: a.Group, Version: a.GVK.Version, Resource: a.Resource, Mode: Mode(a.Mode)}
		n := counts(a.GVK)
		switch status.Mode {
		case api.Propagate, api.AllowPropagate:
			status.NumPropagatedObjects, status.NumSourceObjects = &n.Copies, &n.Sources
		case api.Remove:
			status.NumPropagatedObjects = &n.Copies
		}
		statuses = append(statuses, status)
	}
	slices.SortStableFunc(statuses, func(a, b api.ResourceStatus) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource))
	})
	return statuses
}

func faultConditions(faults []Fault) []metav1.Condition {
	var found []metav1.Condition
	for _, f := range faults {
		found = append(found, condition(f.Type, f.Reason, f.Message))
	}
	return found
}

// failureConditions follow the order of the types.
func failureConditions(active []Active, failed map[schema.GroupVersionKind]string) []metav1.Condition {
	var found []metav1.Condition
	for _, a := range active {
		if why, ok := failed[a.GVK]; ok {
			found = append(found, condition(ConditionOutOfSync, ReasonUnknown,
				fmt.Sprintf("Resource %q of group %q (version %s): its objects are neither copied nor removed, since %s; this is tried again.", a.Resource, a.Group, a.GVK.Version, why)))
		}
	}
	return found
}

// maxNames is how many namespaces a condition names.
const maxNames = 3

func troubleConditions(troubles []hierarchy.Trouble) []metav1.Condition {
	var found []metav1.Condition
	for _, t := range troubles {
		var names []string
		for _, name := range slices.Sorted(slices.Values(t.Namespaces)) {
			names = append(names, fmt.Sprintf("%q", name))
		}
		number := len(names)
		if number > maxNames {
			names = append(names[:maxNames], "...")
		}
		found = append(found, condition(ConditionNamespaces, namespaceReason(t.Type), fmt.Sprintf(
			"%s for reason %s (namespaces: %d): %s; see the HierarchyConfigurations there.", t.Type, t.Reason, number, strings.Join(names, ", "))))
	}
	return found
}

// namespaceReason lets only known types become a reason. Whoever may edit a
// HierarchyConfiguration may write a type into it that is no legal reason, and
// that would have the API server refuse the whole status.
func namespaceReason(conditionType string) string {
	if slices.Contains([]string{api.ConditionActivitiesHalted, api.ConditionBadConfiguration}, conditionType) {
		return conditionType
	}
	return ReasonUnknown
}

// maxMessage is the limit of the API on the message of a condition.
const maxMessage = 32768

func condition(conditionType, reason, message string) metav1.Condition {
	return metav1.Condition{Type: conditionType, Status: metav1.ConditionTrue, Reason: reason, Message: cut(message, maxMessage)}
}

// since dates conditions. One that stood already keeps its time, also if its
// text has other numbers and names now.
func since(now metav1.Time, found, stood []metav1.Condition) []metav1.Condition {
	now = now.Rfc3339Copy()
	stood = slices.Clone(stood)
	for i, c := range found {
		found[i].LastTransitionTime = now
		at := slices.IndexFunc(stood, func(old metav1.Condition) bool { return isSame(old, c) })
		if at < 0 {
			continue
		}
		if old := stood[at]; !old.LastTransitionTime.IsZero() {
			found[i].LastTransitionTime = old.LastTransitionTime
		}
		stood = slices.Delete(stood, at, at+1)
	}
	return found
}

func isSame(a, b metav1.Condition) bool {
	return a.Type == b.Type && a.Status == b.Status && a.Reason == b.Reason && subject(a.Message) == subject(b.Message)
}

// subject is what a message is about: the words before the first parenthesis,
// where all that may change begins.
func subject(message string) string {
	about, _, _ := strings.Cut(message, " (")
	return about
}

// cut shortens a text to a number of bytes, and leaves no half character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	const more = "..."
	return strings.ToValidUTF8(text[:limit-len(more)], "") + more
}
