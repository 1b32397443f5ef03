// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/replicas"
)

// settleBound is how long shards may take to find their owners after a change.
const settleBound = 2 * time.Minute

// scale down to 3, up again, down to 2, and up again, each when the shards have
// found their owners.
func scale(ctx context.Context, s *stage, _ Fault) (string, error) {
	all := len(s.Names)
	for _, number := range []int{min(3, all), all, 2, all} {
		if err := s.scaleTo(ctx, number); err != nil {
			return "", err
		}
	}
	return "", nil
}

// scaleTo returns when the shards have found their owners.
func (s *stage) scaleTo(ctx context.Context, number int) error {
	if number == s.running {
		return nil
	}
	name := fmt.Sprintf("%s %d to %d", Scale, s.running, number)
	err := s.scenario(ctx, name, s.Names[:number], nil, func() error { return s.resize(ctx, number) })
	if err != nil {
		return fmt.Errorf("scaling to %d: %w", number, err)
	}
	return nil
}

// resize does what a StatefulSet does with parallel management of its pods.
func (s *stage) resize(ctx context.Context, number int) error {
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: replicas.Namespace, Name: setName}}
	patch := fmt.Sprintf(`{"spec":{"replicas":%d}}`, number)
	if err := s.Client.Patch(ctx, set, client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
		return fmt.Errorf("writing the number of replicas: %w", err)
	}
	was := s.running
	s.running = number
	var ends sync.WaitGroup
	ended := make([]error, len(s.Names))
	for i := number; i < was; i++ {
		ends.Go(func() { ended[i] = s.Set.Terminate(s.Names[i]) })
	}
	ends.Wait()
	for i := was; i < number; i++ {
		if err := s.Set.ReplaceReplica(ctx, s.Names[i]); err != nil {
			return err
		}
	}
	return errors.Join(ended...)
}

// roll replaces each replica by a new pod of the same name, as a StatefulSet does:
// the next one goes when this one is ready.
func roll(ctx context.Context, s *stage, _ Fault) (string, error) {
	return "", s.scenario(ctx, string(Roll), s.Names, s.Names, func() error {
		for _, name := range slices.Backward(s.Names) {
			if err := s.Set.Terminate(name); err != nil {
				return err
			}
			if err := s.Set.ReplaceReplica(ctx, name); err != nil {
				return err
			}
			if err := s.ready(ctx, s.Names...); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *stage) ready(ctx context.Context, names ...string) error {
	ctx, cancel := context.WithTimeout(ctx, settleBound)
	defer cancel()
	return s.Set.WaitReady(ctx, names...)
}

func (s *stage) settled(ctx context.Context, names []string) error {
	if err := s.ready(ctx, names...); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, settleBound)
	defer cancel()
	return s.Set.WaitSettled(ctx, names...)
}
