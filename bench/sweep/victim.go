// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/banyan-hns/banyan/shard"
)

// victim is the replica that is killed, with what it had.
type victim struct {
	name       string
	survivors  []string
	shards     map[shard.ID]bool
	namespaces int
	total      int // number of shards of the cluster
}

// has reports whether it owned the tree.
func (v victim) has(root string) bool { return v.shards[shard.Of(root, v.total)] }

// heaviest is the replica with most namespaces, so that the sweep is the longest.
func (m *measurement) heaviest(ctx context.Context) (victim, error) {
	report, err := m.Set.Shards(ctx, m.Names[0])
	if err != nil {
		return victim{}, err
	}
	found := victim{}
	for _, name := range m.Names {
		v := victim{name: name, shards: map[shard.ID]bool{}, total: len(report.Shards)}
		for _, s := range report.Shards {
			if s.Holder == name {
				v.shards[s.ID] = true
				v.namespaces += s.Namespaces
			}
		}
		if found.name == "" || v.namespaces > found.namespaces {
			found = v
		}
	}
	found.survivors = slices.DeleteFunc(slices.Clone(m.Names), func(name string) bool { return name == found.name })
	return found, nil
}

// openings waits until survivors have opened all shards of the victim, and returns when
// each was, at the earliest: nobody's clock but ours is read, before the question.
func (m *measurement) openings(ctx context.Context, v victim) (map[shard.ID]time.Time, error) {
	opened := map[shard.ID]time.Time{}
	var last error
	err := wait.PollUntilContextCancel(ctx, lookEvery, true, func(ctx context.Context) (bool, error) {
		for _, name := range v.survivors {
			asked := time.Now()
			report, err := m.Set.Shards(ctx, name)
			if err != nil {
				last = err // on a busy machine an answer may be late
				continue
			}
			for _, s := range report.Shards {
				if v.shards[s.ID] && opened[s.ID].IsZero() && s.State == shard.Owned.String() {
					opened[s.ID] = asked.Add(-time.Duration(s.SinceSeconds * float64(time.Second)))
				}
			}
		}
		return len(opened) == len(v.shards), nil
	})
	if err != nil {
		return nil, fmt.Errorf("waiting until the shards of %s are open again, of which %d of %d are: %w (last: %w)", v.name, len(opened), len(v.shards), err, last)
	}
	return opened, nil
}

const metricItems = "banyan_resync_items_total"

// itemsRead is how many namespaces replicas have read again since they started.
func (m *measurement) itemsRead(ctx context.Context, names []string) (items int, err error) {
	for _, name := range names {
		of, err := m.Metric(ctx, name, metricItems)
		if err != nil {
			return 0, err
		}
		items += int(of)
	}
	return items, nil
}

// swept waits until survivors have read as many namespaces again as the victim had, and
// nothing is left; it returns how many they read.
func (m *measurement) swept(ctx context.Context, v victim, before int) (items int, err error) {
	for {
		if err := m.Swept(ctx, v.survivors...); err != nil {
			return 0, fmt.Errorf("%d of %d namespaces were read again: %w", items, v.namespaces, err)
		}
		read, err := m.itemsRead(ctx, v.survivors)
		if err != nil {
			return 0, err
		}
		if items = read - before; items >= v.namespaces {
			return items, nil
		}
	}
}
