// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package restore

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/bench/system"
)

// workers is how many trees are restored at the same time.
const workers = 32

// TestEveryOrder leads to the same tree, and takes nothing away that was restored.
func TestEveryOrder(t *testing.T) {
	s := system.Start(t, system.Options{Timeout: 8 * time.Minute})
	var all []*tree
	for _, pace := range []struct {
		prefix string
		every  int // one order out of so many
		play   func(*system.System, []*tree) error
	}{
		// One piece of each tree, then the next one: Banyan has acted upon what is there,
		// however little it is.
		{"paced", 1, paced},
		// Each tree as fast as the API server takes it: what Banyan does about one piece
		// falls between those that follow.
		{"hurried", 5, hurried},
	} {
		var trees []*tree
		for i, order := range orders() {
			if i%pace.every == 0 {
				trees = append(trees, newTree(pace.prefix, i, order))
			}
		}
		began := time.Now()
		require.NoError(t, pace.play(s, trees))
		took := time.Since(began)
		converged(s, trees)
		t.Logf("%s: %d trees restored in %.1fs, as they should be %.1fs after the beginning; refused at first: %v",
			pace.prefix, len(trees), took.Seconds(), time.Since(began).Seconds(), refusals(trees))
		require.Positive(t, refusals(trees)[noParentYet], "the parent always came first, so nothing was shown")
		all = append(all, trees...)
	}
	nothingElseWasDeleted(s)
	require.Empty(t, s.Audited().Violations)
	converged(s, all)
}

func hurried(s *system.System, trees []*tree) error {
	return rig.Parallel(s.Context(), workers, len(trees), func(_ context.Context, i int) error {
		for _, p := range trees[i].order {
			if err := trees[i].bring(s, p); err != nil {
				return err
			}
		}
		return finish(s, trees[i])
	})
}

// finish runs the restore again as long as something is refused.
func finish(s *system.System, t *tree) error {
	for len(t.left) > 0 {
		select {
		case <-s.Context().Done():
			return fmt.Errorf("restoring %s in the order %v: %v is refused for ever", t.name, t.order, t.left)
		case <-time.After(100 * time.Millisecond):
		}
		if err := t.bring(s); err != nil {
			return err
		}
	}
	return nil
}

func paced(s *system.System, trees []*tree) error {
	for step := range pieces {
		if err := rig.Parallel(s.Context(), workers, len(trees), func(_ context.Context, i int) error {
			return trees[i].bring(s, trees[i].order[step])
		}); err != nil {
			return err
		}
		if err := s.Quiet(); err != nil {
			return err
		}
	}
	return rig.Parallel(s.Context(), workers, len(trees), func(_ context.Context, i int) error {
		return finish(s, trees[i])
	})
}

// converged waits until all trees are what they should be.
func converged(s *system.System, trees []*tree) {
	s.Helper()
	s.Within(2*time.Minute, "every order leads to the same tree", func() error {
		c, err := observe(s)
		if err != nil {
			return err
		}
		wrong, first := 0, ""
		for _, t := range trees {
			if fault := t.judge(c); fault != "" {
				if wrong++; first == "" {
					first = fault
				}
			}
		}
		if wrong > 0 {
			return fmt.Errorf("%d of %d trees are not, the first: %w", wrong, len(trees), errors.New(first))
		}
		return nil
	})
}

// nothingElseWasDeleted than copies whose source was not there.
func nothingElseWasDeleted(s *system.System) {
	s.Helper()
	deletions := s.Deletions()
	require.Empty(s, deletions.Unlogged)
	require.Empty(s, deletions.Unwritten)
	for _, resource := range deletions.Just {
		require.Equal(s, "roles", resource)
	}
	s.Logf("deleted: %d copies that had no source when they were restored", len(deletions.Just))
}
