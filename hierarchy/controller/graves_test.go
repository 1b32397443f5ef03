// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controller

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// TestLateAnswersDoNotRevive: the answer to a write comes after the event that
// tells of the end of the object. No event would ever tell of it again.
func TestLateAnswersDoNotRevive(t *testing.T) {
	live := awake(NewLive(hierarchy.Scope{}, propagate.Options{}, Home{}), "-a")

	hc := foresttest.MakeConfiguration("b").Parent("a").Version("9").Obj()
	hc.UID = "hc"
	live.SetConfiguration(hc)
	live.RemoveConfiguration(hc)
	live.SetConfiguration(hc)
	live.Read(func(f *hierarchy.Forest) { require.Empty(t, f.Parent("b")) })
	successor := foresttest.MakeConfiguration("b").Parent("a").Version("10").Obj()
	successor.UID = "its successor"
	live.SetConfiguration(successor)
	live.Read(func(f *hierarchy.Forest) { require.Equal(t, "a", f.Parent("b")) })

	anchor := foresttest.MakeAnchor("a", "c").Obj()
	anchor.UID = "anchor"
	live.SetAnchor(anchor)
	live.RemoveAnchor(anchor)
	live.SetAnchor(anchor)
	live.Read(func(f *hierarchy.Forest) { require.Empty(t, f.Anchors("a")) })

	ns := foresttest.MakeNamespace("d").Obj()
	ns.UID = "namespace"
	live.SetNamespace(ns)
	live.RemoveNamespace(ns)
	live.SetNamespace(ns)
	live.Read(func(f *hierarchy.Forest) { require.False(t, f.Exists("d")) })

	source := role("a", "")
	live.SetObject(source)
	require.Equal(t, propagate.Create, live.decideObject(ObjectKey{roles, "b", "reader"}).Verb)
	live.removeObject(live.kind(roles), propagate.Observe(source))
	live.SetObject(source)
	require.Empty(t, live.decideObject(ObjectKey{roles, "b", "reader"}).Verb)

	config := &api.HNCConfiguration{}
	config.Name, config.UID = api.HNCConfigurationName, "config"
	live.SetHNCConfiguration(config)
	live.RemoveHNCConfiguration(config)
	live.SetHNCConfiguration(config)
	require.Nil(t, live.hncConfiguration())
}

// TestGravesAreSwept: the memory follows what ended of late, not all that ever did.
func TestGravesAreSwept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g graves
		for i := range 100 {
			g.bury(types.UID(fmt.Sprint(i)))
			time.Sleep(graveTime / 10)
		}
		require.LessOrEqual(t, len(g.buried), 21)
		require.True(t, g.hold("99"))
		require.False(t, g.hold("0"))
	})
}
