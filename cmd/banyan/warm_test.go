// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/controller"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
)

// lister refuses lists until it is told to answer.
type lister struct {
	client.Reader
	answers atomic.Bool
}

func (l *lister) List(context.Context, client.ObjectList, ...client.ListOption) error {
	if l.answers.Load() {
		return nil
	}
	return errors.New("not now")
}

// TestWarmPassesTheBarrier: no shard is opened with what the caches happen to have.
func TestWarmPassesTheBarrier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader := &lister{}
		live := controller.NewLive(hierarchy.Scope{}, propagate.Options{}, controller.Home{})
		r := &replica{feed: &controller.Feed{}, barrier: controller.NewBarrier(live, reader)}
		warm := make(chan struct{})
		go func() { r.warm(t.Context()); close(warm) }()
		time.Sleep(time.Minute)
		synctest.Wait()
		select {
		case <-warm:
			require.Fail(t, "the API server has not been heard")
		default:
		}
		reader.answers.Store(true)
		<-warm
	})
}
