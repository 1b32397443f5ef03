// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// reporter tells users of problems, as Events on the objects that have them.
//
// An Event has a name that follows from what it says, so that the same problem of
// the same object is one Event, whichever replica reports it and how often.
type reporter struct {
	live     *Live
	client   client.Client
	instance string

	mu   sync.Mutex
	said map[string]bool // by namespace/name of the Event
}

func newReporter(live *Live, c client.Client, instance string) *reporter {
	return &reporter{live: live, client: c, instance: instance, said: map[string]bool{}}
}

// report writes an Event per problem and object that this process has not written.
func (r *reporter) report(ctx context.Context, key ObjectKey, problems []propagate.Problem) error {
	for _, problem := range problems {
		for _, place := range problem.Objects {
			event := r.event(r.reference(key, place), "Propagate", problem.Reason, problem.Message)
			if err := r.write(ctx, event); err != nil {
				return fmt.Errorf("reporting %s of %s %s/%s: %w", problem.Reason, key.Kind, place.Namespace, place.Name, err)
			}
		}
	}
	return nil
}

// tell writes what an action has to say about the object that it changed.
func (r *reporter) tell(ctx context.Context, action hierarchy.Action) error {
	if action.Tell == (hierarchy.Note{}) {
		return nil
	}
	o := action.Before
	regarding := corev1.ObjectReference{
		APIVersion: api.GroupVersion.String(), Kind: kindOf(o), Namespace: o.GetNamespace(), Name: o.GetName(), UID: o.GetUID(),
	}
	if err := r.write(ctx, r.event(regarding, string(action.Verb), action.Tell.Reason, action.Tell.Message)); err != nil {
		return fmt.Errorf("reporting %s of %s %s/%s: %w", action.Tell.Reason, regarding.Kind, regarding.Namespace, regarding.Name, err)
	}
	return nil
}

func (r *reporter) write(ctx context.Context, event *eventsv1.Event) error {
	if r.known(event) {
		return nil
	}
	if err := r.create(ctx, event); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said[event.Namespace+"/"+event.Name] = true
	return nil
}

// create an Event, unless the same is there already.
func (r *reporter) create(ctx context.Context, event *eventsv1.Event) error {
	err := r.client.Create(ctx, event)
	if apierrors.IsAlreadyExists(err) || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return nil
	}
	return err
}

func (r *reporter) known(event *eventsv1.Event) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.said[event.Namespace+"/"+event.Name]
}

// Limits of the API on the parts of an Event.
const (
	maxEventName = 253
	maxEventNote = 1024
)

func (r *reporter) event(regarding corev1.ObjectReference, action, reason, message string) *eventsv1.Event {
	id := xxhash.Sum64String(strings.Join([]string{regarding.Kind, string(regarding.UID), reason, message}, "\n"))
	suffix := fmt.Sprintf(".%016x", id)
	return &eventsv1.Event{
		ObjectMeta:          metav1.ObjectMeta{Namespace: regarding.Namespace, Name: cut(regarding.Name, maxEventName-len(suffix)) + suffix},
		EventTime:           metav1.NewMicroTime(time.Now()),
		ReportingController: api.Group,
		ReportingInstance:   r.instance,
		Action:              action,
		Reason:              reason,
		Regarding:           regarding,
		Note:                cut(message, maxEventNote),
		Type:                corev1.EventTypeWarning,
	}
}

// reference to an object, be it there or not.
func (r *reporter) reference(key ObjectKey, place propagate.Key) corev1.ObjectReference {
	reference := corev1.ObjectReference{
		APIVersion: key.GroupVersion().String(), Kind: key.Kind, Namespace: place.Namespace, Name: place.Name,
	}
	if object, found := r.live.object(key.GroupVersionKind, place); found {
		reference.UID = object.UID
	}
	return reference
}

// cut a text to a number of bytes. Names are ASCII; a note that is cut within a
// character loses the whole of it.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}
