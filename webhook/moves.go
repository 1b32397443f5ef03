// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

// How long things may take.
const (
	// grantWithin is for everything that a change of parent takes; the API server
	// waits for 2 s.
	grantWithin = 1500 * time.Millisecond

	// forgetAfter is when a move that was granted cannot be written any more. The
	// API server gives a request 60 s by default, and cannot be told to from here.
	forgetAfter = 75 * time.Second

	// tidyEvery is how often the record is looked at while there is something in it.
	tidyEvery = 30 * time.Second

	// retryWithin is the longest pause before a grant is tried again.
	retryWithin = 20 * time.Millisecond
)

// Moves grants changes of parents, in one place for the whole cluster: a record in
// the API server that is changed by compare-and-swap.
//
// Invariant: moves that would form a cycle together are never all granted,
// whichever replicas are asked. Reason:
//
//  1. Grants have an order, since each one changes the record.
//  2. Before a grant, every edge above the new parent is known: it is read from
//     the API server after the record, and a move that was granted earlier is
//     either still in the record, or settled, so that what is read shows it.
//  3. So whichever move would close the cycle is judged with all others in sight.
//
// No clock is compared with another, and no replica needs to be alive. A move
// whose request ended after it had been granted, without being written, is
// forgotten by each replica a while after it first saw it.
type Moves struct {
	forest Forest
	record record

	// read tells what the API server has of these namespaces, in their order.
	read func(ctx context.Context, names []string) ([]place, error)

	turn  chan struct{} // one grant at a time, so that only replicas contend
	since map[types.UID]time.Time

	forgetAfter time.Duration
	now         func() time.Time
	pause       func(context.Context)
}

// NewMoves keeps the record in the ConfigMaps of one namespace, and reads past the
// cache.
func NewMoves(maps ConfigMaps, forest Forest, reader client.Reader) *Moves {
	return &Moves{
		forest: forest, record: record{maps}, read: places(reader),
		turn: make(chan struct{}, 1), since: map[types.UID]time.Time{},
		forgetAfter: forgetAfter, now: time.Now, pause: pause,
	}
}

// grant judges a move, and unless it is a dry run, remembers it if it is allowed. For
// what ends by itself in a moment, it waits.
func (m *Moves) grant(ctx context.Context, move validate.Move, dryRun bool) validate.Verdict {
	for {
		verdict, soon := m.try(ctx, move, dryRun)
		if !soon {
			return verdict
		}
		if m.pause(ctx); ctx.Err() != nil {
			return verdict
		}
	}
}

// try reports also whether the verdict may be another one soon.
func (m *Moves) try(ctx context.Context, move validate.Move, dryRun bool) (_ validate.Verdict, soon bool) {
	if !m.begin(ctx) {
		return busy(ctx.Err()), false
	}
	defer m.end()
	verdict, soon, err := m.decide(ctx, move, dryRun)
	switch {
	case err != nil && (ctx.Err() != nil || apierrors.IsTimeout(err) || apierrors.IsTooManyRequests(err)):
		return busy(err), false
	case err != nil:
		return failed(fmt.Errorf("granting a change of parent: %w", err)), false
	}
	return verdict, soon
}

func busy(err error) validate.Verdict {
	return validate.DenyUnavailable("other changes of parents, or the API server, kept this one waiting (%v); try again in a moment", err)
}

// decide reads, judges and writes, until nobody else writes meanwhile.
func (m *Moves) decide(ctx context.Context, move validate.Move, dryRun bool) (_ validate.Verdict, soon bool, _ error) {
	for {
		page, err := m.record.read(ctx)
		if err != nil {
			return validate.Verdict{}, false, err
		}
		ascent := m.ascend(page.moves, move)
		if err := m.climb(ctx, ascent); err != nil {
			return validate.Verdict{}, false, err
		}
		verdict := ascent.Verdict()
		if !verdict.Allowed || dryRun {
			soon := verdict.Reason == metav1.StatusReasonServiceUnavailable && ascent.Soon()
			return verdict, soon, nil
		}
		err = m.record.write(ctx, page, ascent.Underway())
		if !errors.Is(err, errOutrun) {
			m.lasting(ascent.Underway()) // nobody else may ever look at it
			return verdict, false, err
		}
		if m.pause(ctx); ctx.Err() != nil {
			return validate.Verdict{}, false, ctx.Err()
		}
	}
}

// ascend leaves out what this replica knows to be over.
func (m *Moves) ascend(moves validate.Moves, move validate.Move) (ascent *validate.Ascent) {
	moves = m.lasting(moves)
	m.forest.Read(func(f *hierarchy.Forest) { ascent = validate.NewAscent(f, moves.Unsettled(f), move) })
	return ascent
}

func (m *Moves) climb(ctx context.Context, ascent *validate.Ascent) error {
	for names := ascent.Next(); len(names) > 0; names = ascent.Next() {
		found, err := m.read(ctx, names)
		if err != nil {
			return err
		}
		for i, name := range names {
			ascent.Read(name, found[i].namespace, found[i].configuration)
		}
	}
	return nil
}

// lasting notes which moves are in the record, and leaves out those that have been
// for too long.
func (m *Moves) lasting(moves validate.Moves) validate.Moves {
	now, since, over := m.now(), map[types.UID]time.Time{}, map[types.UID]bool{}
	for _, move := range moves {
		first, known := m.since[move.ID]
		if !known {
			first = now
		}
		since[move.ID] = first
		over[move.ID] = now.Sub(first) >= m.forgetAfter
	}
	m.since = since
	return moves.Without(over)
}

// begin waits for its turn.
func (m *Moves) begin(ctx context.Context) bool {
	select {
	case m.turn <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (m *Moves) end() { <-m.turn }

// NeedLeaderElection: every replica grants.
func (m *Moves) NeedLeaderElection() bool { return false }

// Start forgets what is over, also if no other move comes: a user who tries again
// after a while shall not have to wait.
func (m *Moves) Start(ctx context.Context) error {
	for look := true; ; look = m.knows(ctx) {
		if look {
			if err := m.tidy(ctx); err != nil && ctx.Err() == nil {
				log.FromContext(ctx).Error(err, "could not tidy up the record of moves; tries again")
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(tidyEvery):
		}
	}
}

// knows reports whether this replica has seen anything in the record.
func (m *Moves) knows(ctx context.Context) bool {
	if !m.begin(ctx) {
		return false
	}
	defer m.end()
	return len(m.since) > 0
}

// tidy takes out of the record what is over.
func (m *Moves) tidy(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, grantWithin)
	defer cancel()
	if !m.begin(ctx) {
		return ctx.Err()
	}
	defer m.end()
	page, err := m.record.read(ctx)
	if err != nil {
		return err
	}
	moves := m.lasting(page.moves)
	m.forest.Read(func(f *hierarchy.Forest) { moves = moves.Unsettled(f) })
	if len(moves) == len(page.moves) {
		return nil
	}
	if err := m.record.write(ctx, page, moves); !errors.Is(err, errOutrun) {
		return err
	}
	return nil // whoever wrote has tidied up, too
}

func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(rand.N(retryWithin)):
	}
}
