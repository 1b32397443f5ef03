// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
)

// Recorder writes down all that happens to the objects of a resource, a line of JSON
// each. It knows what the audit log does not: the revisions of deletions, and writes
// that were done though nobody was told so, or that nobody logged because the API
// server was killed. Log.AddRecord reads it. Several may share a file.
//
// It loses nothing, or says so: it goes on from the last revision that it saw. An API
// server that was started anew has forgotten what followed; then the Recorder compares
// what is there with what it saw last, and if that differs, it ends with ErrLost. Only
// an object that came and went meanwhile would escape it.
type Recorder struct {
	// Resource is what Objects are of: one whose objects say who owns what.
	Resource schema.GroupResource
	Objects  dynamic.ResourceInterface
	// Now tells the time, such as time.Now.
	Now func() time.Time
	// Tolerant writes down that something was lost, and goes on. A rig that kills the
	// API server may need it.
	Tolerant bool
	// Retry is how long to wait for an API server that does not answer. Default 200ms.
	Retry time.Duration
}

// ErrLost: objects changed, and the API server no longer tells how.
var ErrLost = errors.New("changes were lost")

var errWriting = errors.New("writing a line")

// record is one line. Its types are those of a watch, and recordLost.
type record struct {
	Type     string          `json:"type"`
	At       time.Time       `json:"at"`
	Group    string          `json:"group,omitempty"`
	Resource string          `json:"resource,omitempty"`
	Object   json.RawMessage `json:"object,omitempty"`
}

// recordLost is the type of a line that stands for what nobody knows.
const recordLost = "LOST"

// recording is one run of a Recorder.
type recording struct {
	*Recorder
	lines *json.Encoder
	from  string                          // revision up to which nothing is missing
	seen  map[types.NamespacedName]string // resourceVersion of each object
}

// Run records until the context ends, which is no error. The first lines are what is
// there, if from is empty; else it begins after that revision.
func (r *Recorder) Run(ctx context.Context, from string, out io.Writer) error {
	run := &recording{Recorder: r, lines: json.NewEncoder(out), from: from, seen: map[types.NamespacedName]string{}}
	for ctx.Err() == nil {
		err := run.follow(ctx)
		if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
			err = run.compare(ctx)
		}
		if errors.Is(err, ErrLost) || errors.Is(err, errWriting) {
			return err
		}
		if err != nil { // the API server does not answer
			r.wait(ctx)
		}
	}
	return nil
}

func (r *Recorder) wait(ctx context.Context) {
	pause := r.Retry
	if pause == 0 {
		pause = 200 * time.Millisecond
	}
	select {
	case <-ctx.Done():
	case <-time.After(pause):
	}
}

// follow records what happens until a watch ends.
func (r *recording) follow(ctx context.Context) error {
	if r.from == "" {
		list, err := r.Objects.List(ctx, metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("listing %s: %w", r.Resource, err)
		}
		return r.take(list, list.Items)
	}
	w, err := r.Objects.Watch(ctx, metav1.ListOptions{ResourceVersion: r.from, AllowWatchBookmarks: true})
	if err != nil {
		return fmt.Errorf("watching %s: %w", r.Resource, err)
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		object, isObject := event.Object.(*unstructured.Unstructured)
		switch {
		case event.Type == watch.Error:
			return fmt.Errorf("watching %s: %w", r.Resource, apierrors.FromObject(event.Object))
		case !isObject:
			return fmt.Errorf("watching %s: got a %T", r.Resource, event.Object)
		case event.Type != watch.Bookmark:
			if err := r.write(event.Type, object); err != nil {
				return err
			}
		}
		r.from = object.GetResourceVersion()
	}
	return nil
}

// compare finds out whether anything happened that no watch tells any more.
func (r *recording) compare(ctx context.Context) error {
	list, err := r.Objects.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing %s: %w", r.Resource, err)
	}
	var changed []unstructured.Unstructured
	gone := maps.Clone(r.seen)
	for _, object := range list.Items {
		if r.seen[nameOf(&object)] != object.GetResourceVersion() {
			changed = append(changed, object)
		}
		delete(gone, nameOf(&object))
	}
	switch {
	case len(changed)+len(gone) == 0:
	case !r.Tolerant:
		return fmt.Errorf("watching %s from revision %s: %w: of %d, %d changed and %d are gone", r.Resource, r.from, ErrLost, len(list.Items), len(changed), len(gone))
	default:
		for name := range gone {
			delete(r.seen, name)
		}
		if err := r.lines.Encode(record{Type: recordLost, At: r.Now(), Group: r.Resource.Group, Resource: r.Resource.Resource}); err != nil {
			return fmt.Errorf("%w: %w", errWriting, err)
		}
	}
	return r.take(list, changed)
}

// take records objects as they are in a list, and goes on from there.
func (r *recording) take(list *unstructured.UnstructuredList, objects []unstructured.Unstructured) error {
	for i := range objects {
		if err := r.write(watch.Added, &objects[i]); err != nil {
			return err
		}
	}
	r.from = list.GetResourceVersion()
	return nil
}

func (r *recording) write(kind watch.EventType, object *unstructured.Unstructured) error {
	object = object.DeepCopy()
	object.SetManagedFields(nil)
	raw, err := object.MarshalJSON()
	if err != nil {
		return fmt.Errorf("%w: %w", errWriting, err)
	}
	line := record{Type: string(kind), At: r.Now(), Group: r.Resource.Group, Resource: r.Resource.Resource, Object: raw}
	if err := r.lines.Encode(line); err != nil {
		return fmt.Errorf("%w: %w", errWriting, err)
	}
	r.seen[nameOf(object)] = object.GetResourceVersion()
	if kind == watch.Deleted {
		delete(r.seen, nameOf(object))
	}
	return nil
}

func nameOf(o *unstructured.Unstructured) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}
