// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	eventsv1 "k8s.io/api/events/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/replicas"
	"github.com/banyan-hns/banyan/bench/system"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// TestBigTree: an admin is told of a tree that is too big for one replica, once, by that
// replica, in an event and in a metric, and not of a small one.
func TestBigTree(t *testing.T) {
	s := &fixture{system.Start(t, system.Options{Flags: []string{"--big-tree=3"}})}
	s.Create(system.Namespace("big"), system.Namespace("small"))
	s.sprout("big", 5)
	s.sprout("small", 2) // with the root, as many as are meant for one replica
	s.Eventually("an event tells of the tree", func() error { return s.toldTooBig("big") })

	s.Eventually("only its owner has it in its metrics", func() error {
		holder, share := s.holder("big"), map[string]float64{}
		for _, name := range system.Names {
			var err error
			if share[name], err = s.Set.Metric(s.Context(), name, "banyan_hot_key_share_ratio"); err != nil {
				return err
			}
		}
		for _, name := range system.Names {
			if name != holder && share[name] >= share[holder] {
				return fmt.Errorf("%s holds it, but the shares are %v", holder, share)
			}
		}
		return nil
	})

	// When the same replica has told of two trees that grew after that, it has counted
	// twice more, and had every reason to repeat itself.
	for _, later := range s.likewise("big", 2) {
		s.Create(system.Namespace(later))
		s.sprout(later, 5)
		s.Eventually("an event tells of "+later, func() error { return s.toldTooBig(later) })
	}
	require.Equal(t, 1, s.eventsWritten("big"), "once")
	require.Error(t, s.toldTooBig("small"))

	report := s.Audited()
	require.Empty(t, report.Violations, report.String())
}

// sprout makes subnamespaces below a namespace.
func (s *fixture) sprout(parent string, n int) {
	s.Helper()
	for i := range n {
		s.Create(system.Anchor(parent, fmt.Sprintf("%s-%d", parent, i)))
	}
}

// likewise chooses names of trees that the same replica has as a given one.
func (s *fixture) likewise(key string, n int) (names []string) {
	s.Helper()
	holder := s.holder(key)
	for i := 0; len(names) < n; i++ {
		require.Less(s, i, 100, "%s holds one shard only", holder)
		if name := fmt.Sprint("later-", i); s.holder(name) == holder {
			names = append(names, name)
		}
	}
	return names
}

// toldTooBig objects unless exactly one event says that a tree is too big, and what to do.
func (s *fixture) toldTooBig(root string) error {
	list := &eventsv1.EventList{}
	if err := s.List(s.Context(), list, client.InNamespace(root)); err != nil {
		return err
	}
	told := 0
	for _, event := range list.Items {
		if event.Reason == "TreeTooBig" {
			told++
			require.Equal(s, "Namespace", event.Regarding.Kind)
			require.Equal(s, root, event.Regarding.Name)
			require.Contains(s, event.Note, api.AnnotationOwnKey)
			require.Equal(s, s.holder(root), event.ReportingInstance)
		}
	}
	if told != 1 {
		return fmt.Errorf("%d of %d events in %s say so", told, len(list.Items), root)
	}
	return nil
}

// eventsWritten counts the requests of replicas to make an event, whatever the answer.
func (s *fixture) eventsWritten(namespace string) int {
	s.Helper()
	written := 0
	s.EachEvent(func(e *auditv1.Event) {
		if r := e.ObjectRef; e.User.Username == replicas.User && e.Verb == "create" && r != nil && r.Resource == "events" && r.Namespace == namespace {
			written++
		}
	})
	return written
}
