// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestEventsText(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ago := func(d time.Duration) metav1.Time { return metav1.NewTime(now.Add(-d)) }
	event := func(reason, object, message string, last metav1.Time) corev1.Event {
		return corev1.Event{
			Source:         corev1.EventSource{Component: "hnc.x-k8s.io"},
			InvolvedObject: corev1.ObjectReference{Kind: "Role", Namespace: "x", Name: object},
			Reason:         reason, Message: message, LastTimestamp: last,
		}
	}
	with := func(e corev1.Event, change func(*corev1.Event)) corev1.Event {
		change(&e)
		return e
	}
	const none = "No recent HNC events for objects in this namespace\n"

	for name, tc := range map[string]struct {
		events []corev1.Event
		want   string
	}{
		"no events": {want: none},
		"events of others do not count": {
			events: []corev1.Event{with(event("Pulled", "r", "m", ago(time.Second)), func(e *corev1.Event) { e.Source.Component = "kubelet" })},
			want:   none,
		},
		"the newest comes first, and the columns are aligned": {
			events: []corev1.Event{
				event("CannotUpdateObject", "admin", "old", ago(3*time.Hour)),
				event("CannotParseSelector", "r", "new", ago(7*time.Second)),
			},
			want: `Events from the objects in namespace x
Last Seen Reason              Object       Message
7s        CannotParseSelector Role:x/r     new
3h        CannotUpdateObject  Role:x/admin old
`,
		},
		"of one reason and object only the newest is shown": {
			events: []corev1.Event{
				event("R", "a", "older", ago(2*time.Minute)),
				event("R", "a", "newer", ago(time.Minute)),
				event("R", "b", "other object", ago(time.Hour)),
				event("S", "a", "other reason", ago(3*time.Hour)),
			},
			want: `Events from the objects in namespace x
Last Seen Reason Object   Message
60s       R      Role:x/a newer
60m       R      Role:x/b other object
3h        S      Role:x/a other reason
`,
		},
		"an event of the newer API has its source and times elsewhere": {
			events: []corev1.Event{
				with(event("R", "a", "repeated", metav1.Time{}), func(e *corev1.Event) {
					e.Source.Component, e.ReportingController = "", "hnc.x-k8s.io"
					e.EventTime = metav1.NewMicroTime(now.Add(-time.Hour))
					e.Series = &corev1.EventSeries{LastObservedTime: metav1.NewMicroTime(now.Add(-time.Second))}
				}),
				with(event("R", "b", "once", metav1.Time{}), func(e *corev1.Event) {
					e.EventTime = metav1.NewMicroTime(now.Add(-5 * time.Second))
				}),
				with(event("R", "c", "bare", metav1.Time{}), func(e *corev1.Event) { e.CreationTimestamp = ago(9 * time.Second) }),
			},
			want: `Events from the objects in namespace x
Last Seen Reason Object   Message
1s        R      Role:x/a repeated
5s        R      Role:x/b once
9s        R      Role:x/c bare
`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, eventsText("x", tc.events, now)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}
