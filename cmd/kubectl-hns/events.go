// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// eventSource is the component that reports all events of HNC and of Banyan.
const eventSource = api.Group

// eventsText lists the events that concern the hierarchy, newest first, and of
// several with one reason and object only the newest.
func eventsText(namespace string, events []corev1.Event, now time.Time) string {
	events = newestOfEach(events)
	if len(events) == 0 {
		return "No recent HNC events for objects in this namespace\n"
	}

	var text strings.Builder
	fmt.Fprintf(&text, "Events from the objects in namespace %s\n", namespace)
	table := tabwriter.NewWriter(&text, 0, 0, 1, ' ', 0)
	fmt.Fprintln(table, "Last Seen\tReason\tObject\tMessage")
	for _, event := range events {
		age := duration.HumanDuration(now.Sub(lastSeen(event)))
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", age, event.Reason, objectText(event.InvolvedObject), event.Message)
	}
	table.Flush()
	return text.String()
}

func newestOfEach(events []corev1.Event) []corev1.Event {
	var ours []corev1.Event
	for _, event := range events {
		if event.Source.Component == eventSource || event.ReportingController == eventSource {
			ours = append(ours, event)
		}
	}
	slices.SortStableFunc(ours, func(a, b corev1.Event) int { return lastSeen(b).Compare(lastSeen(a)) })

	type kind struct{ reason, object string }
	seen := map[kind]bool{}
	return slices.DeleteFunc(ours, func(event corev1.Event) bool {
		k := kind{event.Reason, objectText(event.InvolvedObject)}
		known := seen[k]
		seen[k] = true
		return known
	})
}

// lastSeen: which of the four times is set depends on the recorder and on
// whether the event was repeated.
func lastSeen(event corev1.Event) time.Time {
	switch {
	case event.Series != nil && !event.Series.LastObservedTime.IsZero():
		return event.Series.LastObservedTime.Time
	case !event.LastTimestamp.IsZero():
		return event.LastTimestamp.Time
	case !event.EventTime.IsZero():
		return event.EventTime.Time
	default:
		return event.CreationTimestamp.Time
	}
}

func objectText(object corev1.ObjectReference) string {
	return fmt.Sprintf("%s:%s/%s", object.Kind, object.Namespace, object.Name)
}
