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

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
)

// Recorder writes down all that happens to the Leases of a namespace, a line of JSON
// each. It knows what the audit log does not: the revisions of deletions, and writes
// that nobody logged because the API server was killed. Log.AddLeases reads it.
//
// It loses nothing, or says so: it goes on from the last revision that it saw. An API
// server that was started anew has forgotten what followed; then the Recorder compares
// what is there with what it saw last, and if that differs, it ends with ErrLost. Only
// a Lease that came and went meanwhile would escape it.
type Recorder struct {
	Leases coordinationclient.LeaseInterface
	// Now tells the time, such as time.Now.
	Now func() time.Time
	// Tolerant writes down that something was lost, and goes on. A rig that kills the
	// API server may need it.
	Tolerant bool
	// Retry is how long to wait for an API server that does not answer. Default 200ms.
	Retry time.Duration
}

// ErrLost: Leases changed, and the API server no longer tells how.
var ErrLost = errors.New("changes of Leases were lost")

var errWriting = errors.New("writing a line")

// record is one line. Its types are those of a watch, and recordLost.
type record struct {
	Type  string                `json:"type"`
	At    time.Time             `json:"at"`
	Lease *coordinationv1.Lease `json:"lease,omitempty"`
}

// recordLost is the type of a line that stands for what nobody knows.
const recordLost = "LOST"

// recording is one run of a Recorder.
type recording struct {
	*Recorder
	lines *json.Encoder
	from  string            // revision up to which nothing is missing
	seen  map[string]string // resourceVersion of each Lease, by name
}

// Run records until the context ends, which is no error. The first lines are what is
// there, if from is empty; else it begins after that revision.
func (r *Recorder) Run(ctx context.Context, from string, out io.Writer) error {
	run := &recording{Recorder: r, lines: json.NewEncoder(out), from: from, seen: map[string]string{}}
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
		list, err := r.Leases.List(ctx, metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("listing Leases: %w", err)
		}
		return r.take(list, list.Items)
	}
	w, err := r.Leases.Watch(ctx, metav1.ListOptions{ResourceVersion: r.from, AllowWatchBookmarks: true})
	if err != nil {
		return fmt.Errorf("watching Leases: %w", err)
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		lease, isLease := event.Object.(*coordinationv1.Lease)
		switch {
		case event.Type == watch.Error:
			return fmt.Errorf("watching Leases: %w", apierrors.FromObject(event.Object))
		case !isLease:
			return fmt.Errorf("watching Leases: got a %T", event.Object)
		case event.Type != watch.Bookmark:
			if err := r.write(event.Type, lease); err != nil {
				return err
			}
		}
		r.from = lease.ResourceVersion
	}
	return nil
}

// compare finds out whether anything happened that no watch tells any more.
func (r *recording) compare(ctx context.Context) error {
	list, err := r.Leases.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing Leases: %w", err)
	}
	var changed []coordinationv1.Lease
	gone := maps.Clone(r.seen)
	for _, lease := range list.Items {
		if r.seen[lease.Name] != lease.ResourceVersion {
			changed = append(changed, lease)
		}
		delete(gone, lease.Name)
	}
	switch {
	case len(changed)+len(gone) == 0:
	case !r.Tolerant:
		return fmt.Errorf("watching Leases from revision %s: %w: of %d Leases, %d changed and %d are gone", r.from, ErrLost, len(list.Items), len(changed), len(gone))
	default:
		for name := range gone {
			delete(r.seen, name)
		}
		if err := r.lines.Encode(record{Type: recordLost, At: r.Now()}); err != nil {
			return fmt.Errorf("%w: %w", errWriting, err)
		}
	}
	return r.take(list, changed)
}

// take records Leases as they are in a list, and goes on from there.
func (r *recording) take(list *coordinationv1.LeaseList, leases []coordinationv1.Lease) error {
	for i := range leases {
		if err := r.write(watch.Added, &leases[i]); err != nil {
			return err
		}
	}
	r.from = list.ResourceVersion
	return nil
}

func (r *recording) write(kind watch.EventType, lease *coordinationv1.Lease) error {
	lease = lease.DeepCopy()
	lease.ManagedFields = nil
	if err := r.lines.Encode(record{Type: string(kind), At: r.Now(), Lease: lease}); err != nil {
		return fmt.Errorf("%w: %w", errWriting, err)
	}
	r.seen[lease.Name] = lease.ResourceVersion
	if kind == watch.Deleted {
		delete(r.seen, lease.Name)
	}
	return nil
}
