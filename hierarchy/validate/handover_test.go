// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

// TestStamp: what gets another key is stamped with the one that it has, and nothing
// else is.
func TestStamp(t *testing.T) {
	// a <- b <- c <- d, where c has a key of its own; e; f, whose stamp is g.
	for name, tc := range map[string]struct {
		move    validate.Move
		want    string
		unknown bool
	}{
		"to another tree":                      {move: validate.Move{Namespace: "b", Parent: "e"}, want: "a"},
		"within one":                           {move: validate.Move{Namespace: "b", Parent: "a"}},
		"a key is given":                       {move: validate.Move{Namespace: "b", Parent: "a", OwnKey: true}, want: "a"},
		"below a key":                          {move: validate.Move{Namespace: "d", Parent: "c", OwnKey: true}, want: "c"},
		"to a root":                            {move: validate.Move{Namespace: "a", OwnKey: true}},
		"a key is taken":                       {move: validate.Move{Namespace: "c", Parent: "b"}, want: "c"},
		"a key is taken to another tree":       {move: validate.Move{Namespace: "c", Parent: "e"}, want: "c"},
		"a key is kept in another tree":        {move: validate.Move{Namespace: "c", Parent: "e", OwnKey: true}},
		"a key is kept without a tree":         {move: validate.Move{Namespace: "c", OwnKey: true}},
		"a key is taken from what was a child": {move: validate.Move{Namespace: "c"}},
		"out of a key":                         {move: validate.Move{Namespace: "d", Parent: "b"}, want: "c"},
		"into a key":                           {move: validate.Move{Namespace: "e", Parent: "c"}, want: "e"},
		"below what moves":                     {move: validate.Move{Namespace: "e", Parent: "f"}, want: "e"},
		"below what moves, with a key":         {move: validate.Move{Namespace: "c", Parent: "f", OwnKey: true}},
		"what moves":                           {move: validate.Move{Namespace: "f", OwnKey: true}, unknown: true},
	} {
		t.Run(name, func(t *testing.T) {
			f := foresttest.CreateIn(hierarchy.Scope{}, "-abc--", config("c").Parent("b").OwnKey().Obj(), config("f").Stamp("g").Obj())
			stamp, known := validate.Stamp(f, tc.move)
			require.Equal(t, tc.want, stamp)
			require.Equal(t, !tc.unknown, known)
		})
	}
}
