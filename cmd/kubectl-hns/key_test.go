// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

func TestKeyOf(t *testing.T) {
	refused := errors.New("refused")
	parents := map[string]string{
		"root": "", "child": "root", "grandchild": "child",
		"orphan": "missing", "below-orphan": "orphan",
		"self": "self",
		"c2":   "c1", "c1": "c3", "c3": "c2", "below-cycle": "c3", "a-below-cycle": "below-cycle",
	}
	parentOf := func(name string) (string, bool, error) {
		if name == "secret" {
			return "", false, refused
		}
		parent, exists := parents[name]
		return parent, exists, nil
	}
	for name, tc := range map[string]struct{ namespace, want string }{
		"a root is its own key":                           {"root", "root"},
		"a descendant has the key of its root":            {"grandchild", "root"},
		"an orphan has the key of the parent it lacks":    {"orphan", "missing"},
		"so has what is below an orphan":                  {"below-orphan", "missing"},
		"a cycle of one is its own key":                   {"self", "self"},
		"a cycle has the key of its smallest member":      {"c3", "c1"},
		"so has what is below a cycle, however its name":  {"a-below-cycle", "c1"},
		"the smallest member of a cycle is no exception":  {"c1", "c1"},
		"the way into a cycle is not a part of the cycle": {"below-cycle", "c1"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := keyOf(tc.namespace, parentOf)
			require.NoError(t, err)
			require.Equal(t, tc.want, got)
		})
	}

	_, err := keyOf("nowhere", parentOf)
	require.EqualError(t, err, `namespace "nowhere" does not exist`)
	parents["of-secret"] = "secret"
	_, err = keyOf("of-secret", parentOf)
	require.ErrorIs(t, err, refused)
}

func TestParent(t *testing.T) {
	gone := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	for name, tc := range map[string]struct {
		annotations map[string]string
		deleted     *metav1.Time
		want        string
	}{
		"the configuration counts for a full namespace": {want: "configured"},
		"the annotation counts for a subnamespace": {
			annotations: map[string]string{api.AnnotationSubnamespaceOf: "annotated"}, want: "annotated",
		},
		"but not while it is being deleted": {
			annotations: map[string]string{api.AnnotationSubnamespaceOf: "annotated"}, deleted: &gone, want: "configured",
		},
		"an external namespace is a root": {
			annotations: map[string]string{api.AnnotationManagedBy: "somebody", api.AnnotationSubnamespaceOf: "annotated"}, want: "",
		},
		"one that says it is ours is not external": {
			annotations: map[string]string{api.AnnotationManagedBy: api.Group}, want: "configured",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := family{parent: "configured"}.place("x")
			p.namespace.Annotations, p.namespace.DeletionTimestamp = tc.annotations, tc.deleted
			require.Equal(t, tc.want, p.parent())
		})
	}
}
