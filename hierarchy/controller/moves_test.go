// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
)

func complete() bool { return true }

// grow returns a Live that knows a tree a <- b <- c, and d beside it.
func grow(together bool) *Live {
	l := NewLive(hierarchy.Scope{}, propagate.Options{}, Home{Namespace: "home", Key: "cluster"})
	l.Together(func(string, string) bool { return true }, complete)
	for _, name := range []string{"a", "b", "c", "d"} {
		l.SetNamespace(foresttest.MakeNamespace(name).Version("1").Obj())
	}
	l.SetConfiguration(foresttest.MakeConfiguration("b").Parent("a").Version("1").Obj())
	l.SetConfiguration(foresttest.MakeConfiguration("c").Parent("b").Version("1").Obj())
	l.Together(func(string, string) bool { return together }, complete)
	return l
}

type seat struct {
	key    string
	frozen bool
}

func seatOf(l *Live, name string) seat {
	key, frozen := l.Key(name)
	return seat{key, frozen}
}

// TestStrayIsLeftAlone: whoever had a namespace before may not have heard yet that it
// is no longer theirs.
func TestStrayIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := grow(false)
		l.SetConfiguration(foresttest.MakeConfiguration("b").Parent("d").Version("2").Obj())
		for _, name := range []string{"b", "c"} {
			require.Equal(t, seat{"d", true}, seatOf(l, name))
		}
		require.Equal(t, seat{"a", false}, seatOf(l, "a"))
		require.EqualValues(t, 2, l.strayed.Load())

		time.Sleep(quarantine - time.Millisecond)
		l.SetConfiguration(foresttest.MakeConfiguration("c").Parent("a").Version("2").Obj())
		time.Sleep(2 * time.Millisecond)
		require.Equal(t, seat{"d", false}, seatOf(l, "b"))
		require.Equal(t, seat{"a", true}, seatOf(l, "c"), "it strayed once more, and waits as long again")
		time.Sleep(quarantine)
		require.Equal(t, seat{"a", false}, seatOf(l, "c"))
	})
}

// TestNobodyElseWrote: then there is nothing to wait for.
func TestNobodyElseWrote(t *testing.T) {
	l := grow(true)
	l.SetConfiguration(foresttest.MakeConfiguration("b").Parent("d").Version("2").Obj())
	require.Equal(t, seat{"d", false}, seatOf(l, "c"))
	require.Zero(t, l.strayed.Load())
}

// TestStampedMoveFreezes what moves, until the owner of the old key has done.
func TestStampedMoveFreezes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := grow(false)
		l.SetConfiguration(foresttest.MakeConfiguration("b").Parent("d").Stamp("a").Version("2").Obj())
		for _, name := range []string{"b", "c"} {
			require.Equal(t, seat{"a", true}, seatOf(l, name))
		}
		time.Sleep(time.Minute)
		moves, oldest := l.Unacknowledged()
		require.Equal(t, 1, moves)
		require.Equal(t, time.Minute, oldest)
		require.Equal(t, seat{"a", true}, seatOf(l, "c"), "no time that passes ends it")

		l.SetConfiguration(foresttest.MakeConfiguration("b").Parent("d").Version("3").Obj())
		for _, name := range []string{"b", "c"} {
			require.Equal(t, seat{"d", false}, seatOf(l, name), "at once")
		}
		moves, _ = l.Unacknowledged()
		require.Zero(t, moves)
		require.Zero(t, l.strayed.Load())
	})
}

func TestHomeHasItsOwnKey(t *testing.T) {
	require.Equal(t, seat{"cluster", false}, seatOf(grow(false), "home"))
}

// TestUnfrozenWithoutNoticeIsLookedAt: also where nobody else can have written, what
// was refused while the namespace was frozen must be tried again.
func TestUnfrozenWithoutNoticeIsLookedAt(t *testing.T) {
	l := grow(true)
	l.SetAnchor(foresttest.MakeAnchor("c", "x").Version("1").Obj())
	work := priorityqueue.New[hierarchy.AnchorKey]("anchors")
	defer work.ShutDown()
	l.anchors.work = work
	l.SetConfiguration(foresttest.MakeConfiguration("b").Parent("d").Version("2").Obj())
	require.Eventually(t, func() bool { return work.Len() == 1 }, time.Second, time.Millisecond)
}
