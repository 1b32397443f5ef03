// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/replicas"
	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/bench/system"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/hierarchy/validate"
	"github.com/banyan-hns/banyan/webhook"
)

const (
	pairs      = 40
	rounds     = 50 // for each pair, so that there are 2,000 pairs of moves
	pairsAtOne = 4
)

// TestOpposingMoves: a comes below b and b below a, at the same instant, by two
// replicas. One of the two succeeds, always.
func TestOpposingMoves(t *testing.T) {
	s := &fixture{system.Start(t, system.Options{Timeout: 15 * time.Minute})} // minutes, on a small machine that is busy
	users := &movers{fixture: s, via: s.Via()}
	var all []pair
	for i := range pairs {
		p := pair{fmt.Sprintf("a-%d", i), fmt.Sprintf("b-%d", i)}
		s.Create(system.Namespace(p.a), system.Namespace(p.b))
		all = append(all, p)
	}
	s.Eventually("the namespaces are known", func() error { return users.known(all) })

	began := time.Now()
	// One round of a pair follows the other at once: what a replica has seen is then
	// always old, and it has less to write than if each state lasted.
	require.NoError(t, rig.Parallel(s.Context(), pairsAtOne, pairs, func(ctx context.Context, i int) error {
		for round := range rounds {
			if err := users.oppose(ctx, all[i], round+i, round < rounds-1); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
		return users.settleable(ctx)
	}))
	t.Logf("%d pairs of moves in %v; %d times somebody had to try again", pairs*rounds, time.Since(began).Round(time.Second), users.again.Load())

	// Nobody is refused for ever: whoever lost gets what it wanted, once the winner
	// has gone away.
	for i, p := range all {
		child, parent, err := users.winner(s.Context(), p)
		require.NoError(t, err)
		s.moved(child, "", "")
		s.Within(10*time.Second, fmt.Sprintf("%s comes below %s", parent, child), func() error {
			return users.try(s.Context(), i, parent, child)
		})
	}
	halted := &api.HierarchyConfigurationList{}
	require.NoError(t, s.List(s.Context(), halted))
	require.GreaterOrEqual(t, len(halted.Items), 2*pairs)
	for _, c := range halted.Items {
		for _, condition := range c.Status.Conditions {
			require.NotEqual(t, api.ConditionActivitiesHalted, condition.Type, "%s: %s", c.Namespace, condition.Message)
		}
	}
	moves, err := users.record(s.Context())
	require.NoError(t, err)
	require.Less(t, len(moves), pairs, "what is settled leaves the record")
	report := s.Audited()
	require.Empty(t, report.Violations, report.String())
}

type pair struct{ a, b string }

// movers are users, each of whom is answered by one replica.
type movers struct {
	*fixture
	via   []client.Client
	again atomic.Int64
}

// known: every replica has seen every namespace.
func (m *movers) known(all []pair) error {
	for _, c := range m.via {
		for _, p := range all {
			hc := system.Configuration(p.a)
			hc.Spec.Parent = p.b
			if err := c.Create(m.Context(), hc, client.DryRunAll); err != nil {
				return err
			}
		}
	}
	return nil
}

// oppose plays one round of a pair, and ends it if there is another one to come.
func (m *movers) oppose(ctx context.Context, p pair, turn int, more bool) error {
	ready := make(chan struct{})
	answers := make([]chan error, 2)
	for i, move := range [][2]string{{p.a, p.b}, {p.b, p.a}} {
		answers[i] = make(chan error, 1)
		go func() {
			<-ready
			answers[i] <- m.insist(ctx, turn+i, move[0], move[1])
		}()
	}
	close(ready)
	down, up := <-answers[0], <-answers[1]
	if (down == nil) == (up == nil) {
		return fmt.Errorf("%v: both moves had the same fate: %w", p, errors.Join(down, up, errors.New("one must succeed")))
	}
	if lost := errors.Join(down, up); !refused(down) && !refused(up) {
		return fmt.Errorf("%v: the loser was told: %w", p, lost)
	}
	child, _, err := m.winner(ctx, p)
	if err != nil || !more {
		return err
	}
	return m.insist(ctx, turn+2, child, "")
}

// refused: the answer is that of a conflict with the other move.
func refused(err error) bool {
	return apierrors.IsConflict(err) && strings.Contains(err.Error(), "illegal parent")
}

// insist makes a move, as a user does who is told to try again, or whose write met
// that of another.
func (m *movers) insist(ctx context.Context, turn int, child, parent string) error {
	for {
		err := m.try(ctx, turn, child, parent)
		if !told(err) && (!apierrors.IsConflict(err) || refused(err)) {
			return err
		}
		m.again.Add(1)
	}
}

// told to try again: nothing was decided, such as when nobody could be asked about
// the rights in time.
func told(err error) bool {
	return apierrors.IsServiceUnavailable(err) || apierrors.IsInternalError(err) && strings.HasSuffix(err.Error(), "; try again")
}

// try creates the configuration or changes it, whatever its version.
func (m *movers) try(ctx context.Context, turn int, child, parent string) error {
	c := m.via[turn%len(m.via)]
	hc := system.Configuration(child)
	err := c.Patch(ctx, hc, client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"spec":{"parent":%q}}`, parent)))
	if !apierrors.IsNotFound(err) {
		return err
	}
	hc = system.Configuration(child)
	hc.Spec.Parent = parent
	if err := c.Create(ctx, hc); !apierrors.IsAlreadyExists(err) {
		return err
	}
	return m.try(ctx, turn, child, parent)
}

// settleable: of every move under way it is known how to tell that it is over.
func (m *movers) settleable(ctx context.Context) error {
	moves, err := m.record(ctx)
	if err != nil {
		return err
	}
	for _, move := range moves {
		if move.Over == "" && move.Creates == "" {
			return fmt.Errorf("how it is settled must be known: %+v", move)
		}
	}
	return nil
}

// record returns the moves that are held to be under way.
func (m *movers) record(ctx context.Context) (moves validate.Moves, _ error) {
	kept := &corev1.ConfigMap{}
	if err := m.Get(ctx, client.ObjectKey{Namespace: replicas.Namespace, Name: webhook.MovesConfigMap}, kept); err != nil {
		return nil, err
	}
	return moves, json.Unmarshal([]byte(kept.Data["moves"]), &moves)
}

// winner reads who is below whom. It must be exactly one of the two.
func (m *movers) winner(ctx context.Context, p pair) (child, parent string, _ error) {
	below := map[string]string{}
	for _, name := range []string{p.a, p.b} {
		hc := system.Configuration(name)
		if err := client.IgnoreNotFound(m.Get(ctx, client.ObjectKeyFromObject(hc), hc)); err != nil {
			return "", "", err
		}
		below[name] = hc.Spec.Parent
	}
	switch {
	case below[p.a] == p.b && below[p.b] == "":
		return p.a, p.b, nil
	case below[p.b] == p.a && below[p.a] == "":
		return p.b, p.a, nil
	}
	return "", "", fmt.Errorf("one must be below the other, and they are below %v", below)
}
