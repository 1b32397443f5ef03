// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

// TestMovesNeverCloseACycle, and their stamps are right, whoever asks which replica
// when, and whatever becomes of the request.
func TestMovesNeverCloseACycle(t *testing.T) {
	granted, refused, stamped := 0, 0, 0
	for seed := range uint64(runs) {
		m := newModel(seed, sound)
		require.NoError(t, m.run(), "seed %d", seed)
		granted, refused, stamped = granted+m.granted, refused+m.refused, stamped+m.stamped
	}
	require.Greater(t, granted, runs)
	require.Greater(t, refused, runs)
	require.Greater(t, stamped, runs/4)
	t.Logf("%d moves granted, %d of them stamped and written, %d refused", granted, stamped, refused)
}

// tries is how many runs of a broken model there may be until it shows what is wrong with
// it. The race detector changes nothing about that: wrong stamps are rare.
const tries = 6_000

// TestMovesNeedAllThis: with any part taken away, cycles come, and wrong stamps.
func TestMovesNeedAllThis(t *testing.T) {
	for name, broken := range map[string]fault{
		"a record":                         noRecord,
		"reads that pass the cache":        cachedReads,
		"reads that come after the record": readsFirst,
		"patience":                         noPatience,
	} {
		t.Run(name, func(t *testing.T) {
			var cycle, stamp error
			for seed := uint64(0); seed < tries && (cycle == nil || stamp == nil && broken != readsFirst); seed++ {
				switch err := newModel(seed, broken).run(); {
				case errors.Is(err, errStamp):
					stamp = err
				case err != nil:
					cycle = err
				}
			}
			require.Error(t, cycle, "no cycle: the model does not try hard enough")
			if broken != readsFirst { // that takes more than the model tries
				require.Error(t, stamp, "no wrong stamp: the model does not try hard enough")
			}
			t.Log(cycle, stamp)
		})
	}
}

// TestMovesAreNotRefusedForEver: once nothing is under way, a move is granted unless
// it would close a cycle with what is, whatever was left in the record.
func TestMovesAreNotRefusedForEver(t *testing.T) {
	leftovers := 0
	for seed := range uint64(runs / 10) {
		m := newModel(seed, sound)
		require.NoError(t, m.run())
		m.acknowledgeAll()
		for _, replica := range m.replicas {
			for replica.seen < len(m.history) {
				replica.see()
			}
			ask := func() (wrong int) {
				for _, namespace := range m.names {
					for _, parent := range m.names {
						verdict := ask(t, m, replica, namespace, parent)
						if verdict.Allowed == validate.Parent(replica.forest, namespace, parent).Allowed {
							continue
						}
						require.False(t, verdict.Allowed)
						require.Contains(t, verdict.Message, "try again in a moment")
						wrong++
					}
				}
				return wrong
			}
			leftovers += ask()
			m.now = m.now.Add(forgetAfter)
			require.Zero(t, ask(), "seed %d", seed)
		}
	}
	require.Positive(t, leftovers, "no run has left anything in the record")
	t.Logf("%d refusals for what was left over", leftovers)
}

// ask a replica about a move that is not made.
func ask(t *testing.T, m *model, replica *standIn, namespace, parent string) (verdict validate.Verdict) {
	if m.live[namespace] != nil && m.live[namespace].Spec.Parent == parent {
		return validate.Allow()
	}
	stamp, known := validate.Stamp(replica.forest, validate.Move{Namespace: namespace, Parent: parent})
	require.True(t, known)
	r := m.begin(func(r *underway) error {
		moves := replica.moves
		moves.record, moves.read = record{paced{r}}, r.read
		var err error
		verdict, _, err = moves.decide(t.Context(), validate.Move{ID: "dry", Namespace: namespace, Parent: parent, Stamp: stamp}, true)
		return err
	})
	for goesOn := true; goesOn; {
		_, goesOn = r.step()
	}
	require.NoError(t, r.err)
	return verdict
}

// TestTidy: what is over leaves the record, though no other move comes.
func TestTidy(t *testing.T) {
	m := newModel(1, sound)
	m.names = []string{"a", "b"}
	replica := m.newReplica()
	store := &Memory{}
	replica.moves.record = record{store}
	replica.moves.read = func(_ context.Context, names []string) (found []place, _ error) {
		for _, name := range names {
			found = append(found, place{foresttest.MakeNamespace(name).Obj(), m.live[name]})
		}
		return found, nil
	}
	require.NoError(t, replica.moves.tidy(t.Context()))
	require.Nil(t, store.kept, "nothing is written where nothing is over")

	move := validate.Move{ID: "1", Namespace: "a", Parent: "b", Over: "1", Stamp: "a"}
	require.True(t, replica.moves.grant(t.Context(), move, false).Allowed)
	require.True(t, replica.moves.knows(t.Context()), "it looks again, or nobody ever does")
	written := store.kept.ResourceVersion
	require.NoError(t, replica.moves.tidy(t.Context()))
	require.Equal(t, written, store.kept.ResourceVersion)
	require.True(t, replica.moves.knows(t.Context()))

	m.now = m.now.Add(forgetAfter)
	require.NoError(t, replica.moves.tidy(t.Context()))
	require.Equal(t, "[]", store.kept.Data[movesField])
	require.NoError(t, replica.moves.tidy(t.Context()))
	require.False(t, replica.moves.knows(t.Context()))
}

// TestMovesThatCannotBeJudged are refused, and the reason tells what to do.
func TestMovesThatCannotBeJudged(t *testing.T) {
	for name, tc := range map[string]struct {
		store    *Memory
		want     string
		wantCode int32
	}{
		"a record that somebody spoilt":  {store: &Memory{text: "[{"}, want: "delete the ConfigMap", wantCode: 500},
		"a record that cannot be read":   {store: &Memory{err: apierrors.NewForbidden(configMaps, MovesConfigMap, nil)}, want: "try again", wantCode: 500},
		"an API server that is too slow": {store: &Memory{err: apierrors.NewTimeoutError("busy", 1)}, want: "try again", wantCode: 503},
		"others who are always faster":   {store: &Memory{err: nil, outrun: true}, want: "try again", wantCode: 503},
	} {
		t.Run(name, func(t *testing.T) {
			m := newModel(1, sound)
			replica := m.newReplica()
			replica.moves.record = record{tc.store}
			replica.moves.read = func(_ context.Context, names []string) (found []place, _ error) {
				for _, name := range names {
					found = append(found, place{namespace: foresttest.MakeNamespace(name).Obj()})
				}
				return found, nil
			}
			ctx, cancel := context.WithTimeout(t.Context(), retryWithin)
			defer cancel()
			verdict := replica.moves.grant(ctx, validate.Move{ID: "1", Namespace: "a", Parent: "b", Stamp: "a"}, false)
			require.False(t, verdict.Allowed)
			require.Contains(t, verdict.Message, tc.want)
			require.Equal(t, tc.wantCode, codes[verdict.Reason])
		})
	}
}
