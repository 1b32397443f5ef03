// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
)

var (
	errForbidden = apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "s", errors.New("exceeded quota: hunter2"))
	errInvalid   = apierrors.NewInvalid(schema.GroupKind{Kind: "Secret"}, "s", nil)
)

func secret(namespace string) *propagate.Object {
	o := source(namespace, "1")
	o.u.SetGroupVersionKind(secrets)
	return propagate.Observe(o.u)
}

func TestWriteFailed(t *testing.T) {
	here := propagate.Key{Namespace: "b", Name: "s"}
	configMap := propagate.Observe(source("a", "1").u)
	tests := map[string]struct {
		verb       hierarchy.Verb
		source     *propagate.Object
		err        error
		wantSource string // a fragment of what the source is told
		wantCopy   string
		wantEnd    string
	}{
		"a write": {
			verb: propagate.Create, source: configMap, err: errors.New("no connection."),
			wantSource: `Could not write to destination namespace "b": no connection;`, wantCopy: `Could not write from source namespace "a": no connection;`,
			wantEnd: "this is tried again.",
		},
		"a replacement": {
			verb: propagate.Replace, source: configMap, err: fmt.Errorf("updating: %w", errInvalid),
			wantSource: `Could not write to destination namespace "b": updating: Secret "s" is invalid`, wantCopy: `Could not write from source namespace "a"`,
			wantEnd: "correct the object, or give it another name.",
		},
		"a removal": {
			verb: propagate.Delete, source: configMap, err: errForbidden,
			wantSource: `Could not remove from destination namespace "b"`, wantCopy: `Could not remove what came from source namespace "a"`,
			wantEnd: "look at Banyan's rights, and at the quotas and policies of that namespace.",
		},
		"a removal without a source": {
			verb: propagate.Delete, err: errForbidden,
			wantCopy: `Could not remove from namespace "b": Forbidden;`, wantEnd: "of that namespace.",
		},
		"a Secret, of which nothing is told": {
			verb: propagate.Create, source: secret("a"), err: fmt.Errorf("creating: %w", errForbidden),
			wantSource: `namespace "b": Forbidden;`, wantCopy: `namespace "a": Forbidden;`, wantEnd: "of that namespace.",
		},
		"a Secret, and an error that has no reason": {
			verb: propagate.Create, source: secret("a"), err: errors.New("hunter2"),
			wantSource: `namespace "b": the API server gave no reason;`, wantCopy: "no reason", wantEnd: "this is tried again.",
		},
		"an object that is too large": {
			verb: propagate.Create, source: configMap, err: apierrors.NewRequestEntityTooLargeError("limit"),
			wantSource: "limit", wantCopy: "limit", wantEnd: "make the object smaller.",
		},
		"an error that is too long": {
			verb: propagate.Create, source: configMap, err: errors.New(strings.Repeat("long ", 1000)),
			wantSource: "lo...;", wantCopy: "lo...;", wantEnd: "this is tried again.",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			problems := propagate.WriteFailed(tc.verb, here, tc.source, tc.err)
			last := problems[len(problems)-1]
			require.Equal(t, "CannotUpdateObject", last.Reason)
			require.Equal(t, []propagate.Key{here}, last.Objects)
			require.Contains(t, last.Message, tc.wantCopy)
			if tc.source == nil {
				require.Len(t, problems, 1)
			} else {
				require.Len(t, problems, 2)
				require.Equal(t, "CannotPropagateObject", problems[0].Reason)
				require.Equal(t, keys("a/s"), problems[0].Objects)
				require.Contains(t, problems[0].Message, tc.wantSource)
			}
			for _, p := range problems {
				require.True(t, strings.HasSuffix(p.Message, tc.wantEnd), p.Message)
				require.Less(t, len(p.Message), 1024, "an Event has no room for more")
				if tc.source == nil || tc.source.Source.GetKind() == "Secret" {
					require.NotContains(t, p.Message, "hunter2")
				}
			}
		})
	}
}

// TestWriteFailedOfACopy: what is known of a copy does not say what kind it is,
// so it may be a Secret.
func TestWriteFailedOfACopy(t *testing.T) {
	problems := propagate.WriteFailed(propagate.Create, propagate.Key{Namespace: "c", Name: "s"}, propagate.Observe(copyOf("b", "a", "1").u), errors.New("hunter2"))
	require.NotContains(t, problems[0].Message, "hunter2")
}
