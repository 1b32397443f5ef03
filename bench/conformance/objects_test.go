// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package conformance

import (
	"fmt"

	"github.com/stretchr/testify/require"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// change of an object.
type change func(*unstructured.Unstructured)

func annotated(key, value string) change {
	return func(u *unstructured.Unstructured) {
		all := u.GetAnnotations()
		if all == nil {
			all = map[string]string{}
		}
		all[key] = value
		u.SetAnnotations(all)
	}
}

func withLabel(key, value string) change {
	return func(u *unstructured.Unstructured) {
		all := u.GetLabels()
		if all == nil {
			all = map[string]string{}
		}
		all[key] = value
		u.SetLabels(all)
	}
}

func unannotated(u *unstructured.Unstructured) { u.SetAnnotations(nil) }

func finalized(u *unstructured.Unstructured) {
	u.SetFinalizers([]string{conformanceGroup + "/finalizer"})
}

func unfinalized(u *unstructured.Unstructured) { u.SetFinalizers(nil) }

func with(field string, value any) change {
	return func(u *unstructured.Unstructured) { u.Object[field] = value }
}

func (k kind) object(namespace, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(k.GroupVersionKind)
	u.SetNamespace(namespace)
	u.SetName(name)
	return u
}

func (k kind) list() *unstructured.UnstructuredList {
	l := &unstructured.UnstructuredList{}
	l.SetGroupVersionKind(k.GroupVersion().WithKind(k.Kind + "List"))
	return l
}

// put creates an object.
func (s *scene) put(k kind, ns, name string, changes ...change) {
	s.Helper()
	u := k.object(s.name(ns), name)
	u.Object[k.field] = k.content
	for _, c := range changes {
		c(u)
	}
	s.Create(u)
}

// alter changes an object.
func (s *scene) alter(k kind, ns, name string, changes ...change) {
	s.Helper()
	u := k.object(s.name(ns), name)
	s.Edit(u, false, func() {
		for _, c := range changes {
			c(u)
		}
	})
}

func (s *scene) remove(k kind, ns, name string) {
	s.Helper()
	require.NoError(s, s.Delete(s.Context(), k.object(s.name(ns), name)))
}

// read returns an object that must exist.
func (s *scene) read(k kind, ns, name string) *unstructured.Unstructured {
	s.Helper()
	u := k.object("", "")
	require.NoError(s, s.Exists(u, s.name(ns), name)())
	return u
}

// arrives waits until copies stand in namespaces, with the content of the source.
func (s *scene) arrives(k kind, from, name string, to ...string) {
	s.Helper()
	for _, ns := range to {
		s.Eventually(fmt.Sprintf("%s %s of %s arrives in %s", k.Kind, name, from, ns), func() error {
			source, copied := k.object("", ""), k.object("", "")
			if err := s.Exists(source, s.name(from), name)(); err != nil {
				return err
			}
			if err := s.Exists(copied, s.name(ns), name)(); err != nil {
				return err
			}
			if err := differs(s.name(from), copied.GetLabels()[api.LabelInheritedFrom]); err != nil {
				return err
			}
			return differs(source.Object[k.field], copied.Object[k.field])
		})
	}
}

// goes waits until there is no such object.
func (s *scene) goes(k kind, name string, nss ...string) {
	s.Helper()
	for _, ns := range nss {
		s.Eventually(fmt.Sprintf("%s %s goes from %s", k.Kind, name, ns), s.Gone(k.object("", ""), s.name(ns), name))
	}
}

// sentinel is a source that arrives everywhere: what was to happen before has
// happened.
func (s *scene) sentinel(k kind, from string, to ...string) {
	s.Helper()
	s.sentinels++
	name := fmt.Sprintf("sentinel-%d", s.sentinels)
	s.put(k, from, name, annotated(api.AnnotationAllSelector, "true"))
	s.arrives(k, from, name, to...)
}

// misses requires that namespaces do not have an object, though something else
// of its kind and origin has arrived since.
func (s *scene) misses(k kind, from, name string, nss ...string) {
	s.Helper()
	s.sentinel(k, from, nss...)
	s.lacks(k, name, nss...)
}

func (s *scene) lacks(k kind, name string, nss ...string) {
	s.Helper()
	for _, ns := range nss {
		require.NoErrorf(s, s.Gone(k.object("", ""), s.name(ns), name)(), "%s %s in %s", k.Kind, name, ns)
	}
}

// isSource requires that an object is the namespace's own.
func (s *scene) isSource(k kind, ns, name string) {
	s.Helper()
	require.NotContains(s, s.read(k, ns, name).GetLabels(), api.LabelInheritedFrom)
}

// eventsOn counts the events of one reason about an object.
func (s *scene) eventsOn(k kind, ns, name, reason string) int {
	s.Helper()
	events := &eventsv1.EventList{}
	require.NoError(s, s.List(s.Context(), events, client.InNamespace(s.name(ns))))
	count := 0
	for _, event := range events.Items {
		if event.Reason == reason && event.Regarding.Kind == k.Kind && event.Regarding.Name == name && event.ReportingController == api.Group {
			count++
		}
	}
	return count
}

// told waits for an event.
func (s *scene) told(k kind, ns, name, reason string) {
	s.Helper()
	s.Eventually(fmt.Sprintf("an event %s tells of %s in %s", reason, name, ns), func() error {
		if s.eventsOn(k, ns, name, reason) == 0 {
			return fmt.Errorf("there is none")
		}
		return nil
	})
}
