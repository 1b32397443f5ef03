// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/banyan-hns/banyan/hierarchy"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// How long one list may take at first, and at most after others were cut off; and how
// long to wait after one that failed.
const (
	barrierBound     = 5 * time.Second
	barrierBoundMost = time.Minute
	barrierPause     = 500 * time.Millisecond
)

// Barrier brings the forest up to what the API server has.
//
// Invariant: whoever passes knows every move between trees that was acknowledged
// before it asked. Reason: what says where a namespace belongs may come late by the
// watch. The replica that gave a shard away may have acknowledged that a namespace
// moved out of it, and the owner of the new tree writes there already; if the taker did
// not know that, both would.
//
// So nobody passes without a list, however long the API server refuses one.
type Barrier struct {
	live   *Live
	reader client.Reader
	lists  batches
	bound  time.Duration // of the next list; of whoever lists

	took     prometheus.Histogram
	timeouts prometheus.Counter
}

// NewBarrier returns one that lists with the reader, past the cache.
func NewBarrier(live *Live, reader client.Reader) *Barrier {
	return &Barrier{
		live: live, reader: reader, bound: barrierBound,
		took: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "banyan_cache_barrier_duration_seconds", Help: "Time until this replica knew the hierarchy as of the moment in which it was to open a shard.",
			Buckets: prometheus.ExponentialBuckets(0.005, 2, 14),
		}),
		timeouts: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "banyan_cache_barrier_timeouts_total", Help: "Lists of the hierarchy that were cut off at their bound. Shards stay closed until one succeeds.",
		}),
	}
}

// Pass returns once the forest is as new as its call, or when the context ends. All
// who wait at the same time share one list.
func (b *Barrier) Pass(ctx context.Context) {
	began := time.Now()
	for pause := barrierPause / 8; ctx.Err() == nil; pause = min(2*pause, barrierPause) {
		if b.lists.join(ctx, "configurations", func() error { return b.list(ctx) }) == nil {
			b.took.Observe(time.Since(began).Seconds())
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// list folds what the API server has, at its latest: it is asked for no version.
func (b *Barrier) list(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, b.bound)
	defer cancel()
	err := b.read(bounded)
	switch {
	case err == nil:
		b.bound = barrierBound
		return nil
	case errors.Is(bounded.Err(), context.DeadlineExceeded):
		b.timeouts.Inc()
		b.bound = min(2*b.bound, barrierBoundMost)
	}
	log.FromContext(ctx).Error(err, "could not list HierarchyConfigurations; the shards that wait for it stay closed")
	return err
}

func (b *Barrier) read(ctx context.Context) error {
	list := &api.HierarchyConfigurationList{}
	err := b.reader.List(ctx, list)
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		// While the definition is away, all is halted. Whoever waited for it would keep
		// what is to be deleted from going.
		if vanishing, _ := b.live.readDefinition(ctx, b.reader, hierarchiesDefinition); vanishing {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("listing HierarchyConfigurations: %w", err)
	}
	b.live.foldList(list)
	return nil
}

// foldList folds all HierarchyConfigurations that there were at one moment.
//
// Invariant: nothing that is older than the list replaces it, nor the list what is
// newer. Reason: the watch goes on meanwhile, before or behind it.
func (l *Live) foldList(list *api.HierarchyConfigurationList) {
	// 1. From here on, what is as old as the list and not known has ended.
	l.mu.Lock()
	if hierarchy.Newer(list.ResourceVersion, l.listed) {
		l.listed = list.ResourceVersion
	}
	l.mu.Unlock()
	// 2. Most of it is known already.
	later, gone := l.differs(list)
	for _, hc := range later {
		l.set(hc, func(f *hierarchy.Forest) hierarchy.Change { return f.SetConfiguration(hc) })
	}
	for _, hc := range gone {
		l.RemoveConfiguration(hc)
	}
}

// differs returns what the list has later than the forest, and what the forest has that
// was gone by then. It keeps nothing of the list.
func (l *Live) differs(list *api.HierarchyConfigurationList) (later, gone []*api.HierarchyConfiguration) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	there := map[string]bool{}
	for i := range list.Items {
		hc := &list.Items[i]
		if hc.Name != api.HierarchyConfigurationName {
			continue // it means nothing
		}
		there[hc.Namespace] = true
		if known := l.forest.Observe(hc.Namespace).Configuration; known == nil || hierarchy.Newer(hc.ResourceVersion, known.ResourceVersion) {
			later = append(later, hc.DeepCopy())
		}
	}
	for _, known := range l.forest.Configurations() {
		if !there[known.Namespace] && !hierarchy.Newer(known.ResourceVersion, list.ResourceVersion) {
			gone = append(gone, known)
		}
	}
	return later, gone
}

// Describe and Collect make a Barrier a prometheus.Collector.
func (b *Barrier) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(b, ch) }

// Collect reports how long it kept shards closed.
func (b *Barrier) Collect(ch chan<- prometheus.Metric) {
	b.took.Collect(ch)
	b.timeouts.Collect(ch)
}
