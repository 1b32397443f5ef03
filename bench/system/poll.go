// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package system

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// patience is how long something may take. A killed replica is believed for 10 s,
// and this machine may be busy.
const patience = time.Minute

// Pauses between two looks grow, since many tests look at the same time.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 500 * time.Millisecond
)

// Eventually looks until the function has no objection.
func (s *System) Eventually(what string, check func() error) {
	s.Helper()
	s.Within(patience, what, check)
}

// Within is Eventually with a bound of its own.
func (s *System) Within(bound time.Duration, what string, check func() error) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, bound)
	defer cancel()
	for pause := firstPause; ; pause = min(pause*3/2, lastPause) {
		objection := check()
		if objection == nil {
			return
		}
		select {
		case <-ctx.Done():
			s.Fatalf("%s: %v", what, objection)
		case <-time.After(pause):
		}
	}
}

// Create creates objects, one after the other. A request for admission may reach a replica that was killed a moment ago;
// then it is made again.
func (s *System) Create(objects ...client.Object) {
	s.Helper()
	for _, object := range objects {
		what := fmt.Sprintf("creating %T %s/%s", object, object.GetNamespace(), object.GetName())
		var err error
		s.Eventually(what, func() error {
			if err = s.Client.Create(s.ctx, object); unanswered(err) {
				return err
			}
			return nil
		})
		require.NoError(s, err, what)
	}
}

// unanswered: the API server asked a replica that said nothing.
func unanswered(err error) bool {
	return err != nil && strings.Contains(err.Error(), "failed calling webhook")
}

// Admit creates objects, however often it takes: a request for admission may reach
// a replica that was killed a moment ago.
func (s *System) Admit(objects ...client.Object) {
	s.Helper()
	for _, object := range objects {
		s.Eventually(fmt.Sprintf("%T %s/%s is admitted", object, object.GetNamespace(), object.GetName()), func() error {
			return s.Client.Create(s.ctx, object)
		})
	}
}

// Remove deletes an object that exists, however often it takes.
func (s *System) Remove(object client.Object) {
	s.Helper()
	s.Eventually(fmt.Sprintf("%T %s/%s may be deleted", object, object.GetNamespace(), object.GetName()), func() error {
		return s.Delete(s.ctx, object)
	})
}

// Exists objects as long as there is no such object; then it has been read.
func (s *System) Exists(object client.Object, namespace, name string) func() error {
	return func() error {
		return s.Get(s.ctx, types.NamespacedName{Namespace: namespace, Name: name}, object)
	}
}

// Gone objects as long as there is such an object.
func (s *System) Gone(object client.Object, namespace, name string) func() error {
	return func() error {
		err := s.Exists(object, namespace, name)()
		if err == nil {
			return fmt.Errorf("%T %s/%s still exists", object, namespace, name)
		}
		return client.IgnoreNotFound(err)
	}
}

// Edit changes an object until no other writer interferes. Whether it may be
// created, the caller says.
func (s *System) Edit(object client.Object, create bool, change func()) {
	s.Helper()
	key := client.ObjectKeyFromObject(object)
	s.Eventually(fmt.Sprintf("%T %s is changed", object, key), func() error {
		err := s.Get(s.ctx, key, object)
		if create && apierrors.IsNotFound(err) {
			object.SetResourceVersion("")
			change()
			return s.Client.Create(s.ctx, object)
		}
		if err != nil {
			return err
		}
		change()
		return s.Update(s.ctx, object)
	})
}
