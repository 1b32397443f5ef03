// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/bench/trees"
	"github.com/banyan-hns/banyan/shard"
)

func TestParse(t *testing.T) {
	tests := map[string]struct {
		args    []string
		wantErr string
	}{
		"the defaults are good":          {},
		"a forest has trees":             {args: []string{"-namespaces=10"}, wantErr: "namespaces: is 10; set it to 100 or more"},
		"half of the objects are Roles":  {args: []string{"-objects=3"}, wantErr: "objects: is 3; set it to an even number"},
		"somebody takes over":            {args: []string{"-replicas=1"}, wantErr: "replicas: is 1; set it to two or more"},
		"something is changed":           {args: []string{"-rate=0"}, wantErr: "workers, rate: set each"},
		"there is a time before":         {args: []string{"-before=0s"}, wantErr: "before: is 0s"},
		"all that is wrong is told once": {args: []string{"-rate=0", "-replicas=1"}, wantErr: "replicas: is 1; set it to two or more, since one is killed\nworkers"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := parse(tc.args)
			if tc.wantErr == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.wantErr)
		})
	}
}

func TestProbesIn(t *testing.T) {
	probes := probesIn(trees.Forest{
		{Name: "a"}, {Name: "b", Parent: "a", Depth: 1}, {Name: "c", Parent: "b", Depth: 2}, {Name: "alone"}, {Name: "d"}, {Name: "e", Parent: "d", Depth: 1},
	})
	at := func(namespace string) types.NamespacedName {
		return types.NamespacedName{Namespace: namespace, Name: "probe"}
	}
	require.Equal(t, []probe{{root: "a", source: at("b"), copy: at("c")}, {root: "d", source: at("d"), copy: at("e")}}, probes)
}

// TestChanger: a source is left alone until its last change has arrived, and only that
// edition counts.
func TestChanger(t *testing.T) {
	var refuse error
	c := fake.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
			return refuse
		},
	}).Build()
	at := types.NamespacedName{Namespace: "leaf", Name: "probe"}
	changer := newChanger(c, []probe{{root: "a", copy: at}})

	changer.change(t.Context())
	require.Equal(t, counts{underWay: 1}, changer.counts())
	require.ErrorContains(t, changer.lost(), "1 changes did not arrive, one of them number 1 in leaf/probe")
	changer.change(t.Context())
	require.Equal(t, counts{underWay: 1, busy: 1}, changer.counts(), "it is not free")
	changer.arrives(at, "0", time.Now())
	changer.arrives(types.NamespacedName{Namespace: "other", Name: "probe"}, "1", time.Now())
	require.Equal(t, counts{underWay: 1, busy: 1}, changer.counts(), "that is not what is waited for")
	changer.arrives(at, "1", time.Now())
	changer.arrives(at, "1", time.Now())
	require.Equal(t, counts{done: 1, busy: 1}, changer.counts())
	require.NoError(t, changer.lost())

	refuse = errors.New("no")
	changer.change(t.Context())
	require.Equal(t, counts{done: 1, busy: 1, refused: 1}, changer.counts())
	changes, err := changer.all()
	require.ErrorIs(t, err, refuse)
	require.Equal(t, "a", changes[0].root)
	require.False(t, changes[0].arrived.Before(changes[0].answered))
}

// start of the measurement that follows: the replica that has tree "taken" is killed after
// 100 s, its shard is opened at 110 s, and the sweep ends at 120 s.
var start = time.Now()

func at(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }

func measured() result {
	const total = 1024
	id := shard.Of("taken", total)
	r := result{
		victim: victim{name: "v", shards: map[shard.ID]bool{id: true}, namespaces: 7, total: total},
		killed: at(100), opened: map[shard.ID]time.Time{id: at(110)}, swept: at(120), items: 7,
	}
	for i := range 100 {
		began := 50 + float64(i)*.1
		r.changes = append(r.changes,
			change{root: "kept", answered: at(began), arrived: at(began + .1)},
			change{root: "kept", answered: at(began + 60), arrived: at(began + 60.2)},
			change{root: "taken", answered: at(began + 60), arrived: at(began + 60.3)})
	}
	for second := range 30 {
		r.backlog = append(r.backlog, rig.Backlog{At: at(float64(100 + second))})
		if second >= 12 && second < 20 {
			r.backlog[second].Pending, r.backlog[second].Oldest = 3, time.Duration(second)*time.Second
		}
	}
	return r
}

func TestPhases(t *testing.T) {
	r := measured()
	for name, tc := range map[string]struct {
		change     change
		wantPhase  phase
		wantWaited float64
	}{
		"before":                              {change{root: "kept", answered: at(99), arrived: at(99.5)}, calm, .5},
		"before, in a tree of the victim":     {change{root: "taken", answered: at(99), arrived: at(99.5)}, calm, .5},
		"what the victim wrote at last":       {change{root: "taken", answered: at(99.9), arrived: at(100.1)}, calm, .2},
		"what it had not written any more":    {change{root: "taken", answered: at(99.9), arrived: at(110.4)}, taken, .4},
		"while its shard had no owner":        {change{root: "taken", answered: at(105), arrived: at(110.4)}, taken, .4},
		"while its shard has a new owner":     {change{root: "taken", answered: at(115), arrived: at(115.4)}, taken, .4},
		"the owner lives, no shard is opened": {change{root: "kept", answered: at(105), arrived: at(105.3)}, silent, .3},
		"the owner lives, and sweeps":         {change{root: "kept", answered: at(115), arrived: at(115.3)}, kept, .3},
		"after the sweep":                     {change{root: "kept", answered: at(121), arrived: at(121.3)}, late, .3},
		"the watch was first":                 {change{root: "kept", answered: at(115.2), arrived: at(115)}, kept, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, waited := r.of(tc.change)
			require.Equal(t, tc.wantPhase, got)
			require.InDelta(t, tc.wantWaited, waited.Seconds(), 1e-6)
		})
	}
}

func TestJudge(t *testing.T) {
	require.Equal(t, during{looks: 11, busy: 8, most: 3, oldest: 19 * time.Second}, measured().during())
	for name, tc := range map[string]struct {
		spoil       func(*result)
		goal, bound time.Duration
		want        string
	}{
		"good":                                  {goal: 300 * time.Millisecond, bound: 19 * time.Second},
		"changes take too long":                 {goal: 299 * time.Millisecond, want: "the p99 of changes during the sweep is 300ms"},
		"a namespace waits too long":            {bound: 18 * time.Second, want: "waited 19s to be read again"},
		"little is to be read while it is said": {spoil: func(r *result) { r.backlog[13].Pending, r.backlog[14].Pending, r.backlog[15].Pending = 0, 0, 0 }, want: "in 5 of 11 looks"},
		"nobody looked":                         {spoil: func(r *result) { r.backlog = nil }, want: "in 0 of 0 looks"},
		"not all was read again":                {spoil: func(r *result) { r.items = 6 }, want: "read 6 namespaces again; v had 7"},
		"nothing was measured":                  {spoil: func(r *result) { r.changes = nil }, want: "0 changes were measured before the kill"},
		"no tree that was taken over": {
			spoil: func(r *result) {
				for i := range r.changes {
					r.changes[i].root = "kept"
				}
			},
			want: "0 changes were measured during the sweep, in trees that were taken over",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := measured()
			if tc.spoil != nil {
				tc.spoil(&r)
			}
			err := r.judge(tc.goal, tc.bound)
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.want)
		})
	}
}

// TestSmall measures a small forest for real. Times say nothing there, but every change
// must arrive while namespaces are read again, and all of these must be.
func TestSmall(t *testing.T) {
	o := options{namespaces: 300, objects: 2, replicas: 3, workers: 20, rate: 10, before: 5 * time.Second, resyncRate: 8, dir: t.TempDir()}
	require.NoError(t, o.validate())
	r, err := bench(t.Context(), o)
	require.NoError(t, err)
	t.Log(r.text())
	require.NoError(t, r.judge(0, 0))
	require.GreaterOrEqual(t, r.probes, 9)
	require.Len(t, r.changes, r.counts.done)
	require.Zero(t, r.counts.underWay)
	require.Positive(t, rig.Quantile(r.times(calm), 0.5))
}
