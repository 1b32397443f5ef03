// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"sync"
	"time"

	"github.com/banyan-hns/banyan/bench/replicas"
)

// sample is how many shards a replica had open at some time; silent is -1.
type sample struct {
	At    time.Time
	Owned int
}

const silent = -1

// lanes are what each replica said of itself, for the drawing. No verdict rests on
// them.
type lanes struct {
	mu      sync.Mutex
	samples map[string][]sample
}

// watch asks each replica again and again until the context ends.
func (l *lanes) watch(ctx context.Context, set *replicas.Set, names []string) {
	const every = 500 * time.Millisecond
	var all sync.WaitGroup
	for _, name := range names {
		all.Go(func() {
			for pause(ctx, every) == nil {
				asked, cancel := context.WithTimeout(ctx, 2*every)
				report, err := set.Shards(asked, name)
				cancel()
				s := sample{time.Now(), silent}
				if err == nil {
					s.Owned = report.Summary.Owned
				}
				l.add(name, s)
			}
		})
	}
	all.Wait()
}

func (l *lanes) add(name string, s sample) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.samples == nil {
		l.samples = map[string][]sample{}
	}
	l.samples[name] = append(l.samples[name], s)
}
