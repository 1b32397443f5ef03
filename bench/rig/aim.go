// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package rig

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Sight is one kind of object to watch for.
type Sight struct {
	// List of that kind, empty.
	List client.ObjectList
	// Selector of the objects that matter. The zero value selects all.
	Selector labels.Set
	// Counts says whether an object, after this event, is as it should be. Nil: it
	// always is.
	Counts func(event watch.EventType, object client.Object) bool
}

// Aim is a number of objects that are to come into some state.
type Aim struct {
	Sights []Sight
	Number int
	// Progress is told now and then how many did. It may be nil.
	Progress func(arrived int)
}

// progressEvery is how often Progress is called.
const progressEvery = 5 * time.Second

// arrival of one object, or the end of a watch.
type arrival struct {
	key string
	at  time.Time
	err error
}

// Time opens the watches, calls begin, and returns the time from that call until a
// watch showed the last object. The context bounds all of it. What exists already
// does not count before it changes.
func (a Aim) Time(ctx context.Context, c client.WithWatch, begin func(context.Context) error) (time.Duration, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	arrivals := make(chan arrival, 1024)
	for i, sight := range a.Sights {
		if err := sight.open(ctx, c, fmt.Sprint(i), arrivals); err != nil {
			return 0, err
		}
	}
	begun := make(chan error, 1)
	start := time.Now()
	go func() { begun <- begin(ctx) }()
	last, err := a.collect(ctx, arrivals, begun)
	return last.Sub(start), err
}

// collect until everything has arrived and begin has returned.
func (a Aim) collect(ctx context.Context, arrivals <-chan arrival, begun <-chan error) (last time.Time, err error) {
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	arrived := map[string]bool{}
	for len(arrived) < a.Number || begun != nil {
		select {
		case <-ctx.Done():
			return last, fmt.Errorf("waiting for %d objects, of which %d arrived: %w", a.Number, len(arrived), context.Cause(ctx))
		case err := <-begun:
			if err != nil {
				return last, err
			}
			begun = nil
		case <-ticker.C:
			if a.Progress != nil {
				a.Progress(len(arrived))
			}
		case next := <-arrivals:
			if next.err != nil {
				return last, fmt.Errorf("watching, when %d of %d objects had arrived: %w", len(arrived), a.Number, next.err)
			}
			if !arrived[next.key] {
				arrived[next.key], last = true, next.at
			}
		}
	}
	return last, nil
}

// open begins a watch at what exists now.
func (s Sight) open(ctx context.Context, c client.WithWatch, prefix string, arrivals chan<- arrival) error {
	w, err := Watch(ctx, c, s.List, s.Selector)
	if err != nil {
		return err
	}
	go func() {
		defer w.Stop()
		s.follow(ctx, w.ResultChan(), prefix, arrivals)
	}()
	return nil
}

func (s Sight) follow(ctx context.Context, events <-chan watch.Event, prefix string, arrivals chan<- arrival) {
	for event := range events {
		next := arrival{at: time.Now()}
		object, right := event.Object.(client.Object)
		switch {
		case !right || event.Type == watch.Error:
			next.err = apierrors.FromObject(event.Object)
		case event.Type == watch.Bookmark || s.Counts != nil && !s.Counts(event.Type, object):
			continue
		default:
			next.key = prefix + " " + object.GetNamespace() + "/" + object.GetName()
		}
		select {
		case arrivals <- next:
		case <-ctx.Done():
			return
		}
	}
	select {
	case arrivals <- arrival{err: errors.New("the watch ended")}:
	case <-ctx.Done():
	}
}
