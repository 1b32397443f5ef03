// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apitypes "k8s.io/apimachinery/pkg/types"

	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

// update and create are moves of the namespace a below b.
var (
	update = validate.Move{ID: "1", Namespace: "a", Parent: "b", Over: "9"}
	create = validate.Move{ID: "1", Namespace: "a", Parent: "b", Creates: "new"}
)

func version(version string, uid apitypes.UID) *api.HierarchyConfiguration {
	c := config("a").Version(version).Obj()
	c.UID = uid
	return c
}

// TestUnsettled: a cache proves what became of a move by what it has seen, never by
// what it has not.
func TestUnsettled(t *testing.T) {
	for name, tc := range map[string]struct {
		move        validate.Move
		seen        *api.HierarchyConfiguration
		wantSettled bool
	}{
		"an update that was not written":          {move: update, seen: version("9", "old")},
		"an update that a late cache cannot know": {move: update, seen: version("8", "old")},
		"an update that was, or never will be":    {move: update, seen: version("10", "old"), wantSettled: true},
		"versions that cannot be compared":        {move: update, seen: version("x", "old")},
		"no configuration was seen yet":           {move: update},
		"a creation that was written":             {move: create, seen: version("1", "new"), wantSettled: true},
		"an earlier object of that name":          {move: create, seen: version("99", "old")},
		"a creation that was not seen":            {move: create},
		"a creation without a name of its own":    {move: validate.Move{Namespace: "a"}, seen: version("99", "")},
	} {
		t.Run(name, func(t *testing.T) {
			f := foresttest.Create("--")
			if tc.seen != nil {
				f.SetConfiguration(tc.seen)
			}
			require.Equal(t, tc.wantSettled, len(validate.Moves{tc.move}.Unsettled(f)) == 0)
		})
	}
}

// TestReadSettles: what is read after the grant proves more.
func TestReadSettles(t *testing.T) {
	for name, tc := range map[string]struct {
		move        validate.Move
		read        *api.HierarchyConfiguration
		wantSettled bool
	}{
		"nothing is left to be updated": {move: update, wantSettled: true},
		"a later version":               {move: update, read: version("10", "old"), wantSettled: true},
		"the same version":              {move: update, read: version("9", "old")},
		"nothing has been created yet":  {move: create},
		"the object that was created":   {move: create, read: version("9", "new"), wantSettled: true},
		"another one, which may go":     {move: create, read: version("9", "other")},
	} {
		t.Run(name, func(t *testing.T) {
			ascent := validate.NewAscent(foresttest.Create("--"), validate.Moves{tc.move}, validate.Move{Namespace: "b", Parent: "a"})
			ascent.Read("a", ns("a").Obj(), tc.read)
			require.Equal(t, tc.wantSettled, len(ascent.Underway()) == 1, "besides itself")
		})
	}
}

func TestWith(t *testing.T) {
	again := update
	again.ID = "2"
	other := update
	other.ID, other.Parent = "3", "c"
	later := update
	later.ID, later.Over = "4", "10"

	moves := validate.Moves{update}
	require.Equal(t, validate.Moves{again}, moves.With(again), "the younger request lives longer")
	require.Equal(t, validate.Moves{update, other, later}, moves.With(other).With(later), "either may be written")
	require.Equal(t, validate.Moves{update}, moves, "the moves given are left alone")
	require.Equal(t, validate.Moves{later}, validate.Moves{update, other, later}.Without(map[apitypes.UID]bool{"1": true, "3": true}))
}

// TestAscent: b hangs below a, d below c; e stands alone. A move that is under way
// is written "cb" if c may come below b.
func TestAscent(t *testing.T) {
	for name, tc := range map[string]struct {
		underway []string
		move     string
		want     metav1.StatusReason
		words    string
	}{
		"a free place":           {move: "ec"},
		"below itself":           {move: "ab", want: metav1.StatusReasonConflict, words: "move that one first"},
		"the opposite of a move": {underway: []string{"ac"}, move: "ca", want: metav1.StatusReasonConflict, words: "if a move that is under way succeeds: c <- a <- c; try again in a moment"},
		"the opposite, further down on both sides": {underway: []string{"ad"}, move: "cb", want: metav1.StatusReasonConflict, words: "c <- d <- a <- b <- c"},
		"several moves make a ring":                {underway: []string{"ac", "ce"}, move: "ea", want: metav1.StatusReasonConflict, words: "e <- c <- a <- e"},
		"the namespace has another parent by then": {underway: []string{"be"}, move: "ab", want: metav1.StatusReasonConflict, words: "move that one first"},
		"what may move away may stay":              {underway: []string{"be"}, move: "eb", want: metav1.StatusReasonConflict, words: "try again in a moment"},
		"the same move, once more":                 {underway: []string{"ac"}, move: "ac"},
		"another move of the same":                 {underway: []string{"ac"}, move: "ae"},
		"moves elsewhere":                          {underway: []string{"ac", "ce"}, move: "be"},
		"moves that make a ring among themselves":  {underway: []string{"ac", "ca"}, move: "ea"},
		"a parent that is gone":                    {move: "ez", want: metav1.StatusReasonForbidden, words: "does not exist"},
		"below a namespace whose parent is gone":   {underway: []string{"cz"}, move: "ed"},
	} {
		t.Run(name, func(t *testing.T) {
			var moves validate.Moves
			for i, m := range tc.underway {
				moves = append(moves, validate.Move{ID: apitypes.UID(fmt.Sprint(i)), Namespace: m[:1], Parent: m[1:], Over: "99", Creates: "x"})
			}
			f := foresttest.Create("-a-c-")
			move := validate.Move{Namespace: tc.move[:1], Parent: tc.move[1:]}
			move.Stamp, _ = validate.Stamp(f, move)
			ascent := validate.NewAscent(f, moves, move)
			verdict := climb(t, ascent)
			require.Equal(t, tc.want, verdict.Reason, verdict.Message)
			require.Equal(t, tc.want == "", verdict.Allowed)
			require.Contains(t, verdict.Message, tc.words)
			if tc.want == metav1.StatusReasonConflict {
				require.Contains(t, verdict.Message, "illegal parent")
				require.Equal(t, "spec.parent", verdict.Field)
			}
		})
	}
}

// climb reads from a server that has what the layout -a-c- says.
func climb(t *testing.T, ascent *validate.Ascent) validate.Verdict {
	server := foresttest.Create("-a-c-")
	read := map[string]bool{}
	for names := ascent.Next(); len(names) > 0; names = ascent.Next() {
		for _, name := range names {
			require.False(t, read[name], "%s is read twice", name)
			read[name] = true
			seen := server.Observe(name)
			if seen.Configuration != nil {
				seen.Configuration = seen.Configuration.DeepCopy()
				seen.Configuration.ResourceVersion = "99"
			}
			if seen.Configuration == nil && seen.Namespace != nil {
				seen.Configuration = config(name).Version("99").Obj()
			}
			if seen.Namespace == nil {
				seen.Configuration = config(name).Version("99").Obj() // so that nothing is settled by its absence
			}
			ascent.Read(name, seen.Namespace, seen.Configuration)
		}
	}
	return ascent.Verdict()
}

// TestAscentTrustsNoCache: the forest is asked what to read, and nothing else.
func TestAscentTrustsNoCache(t *testing.T) {
	ascent := validate.NewAscent(foresttest.Create("-ab"), nil, validate.Move{Namespace: "d", Parent: "c", Stamp: "d"})
	require.Equal(t, []string{"a", "b", "c", "d"}, ascent.Next(), "all that will be needed is read together")
	for _, name := range []string{"a", "b", "c", "d"} {
		ascent.Read(name, ns(name).Obj(), nil)
	}
	require.Empty(t, ascent.Next())
	require.True(t, ascent.Verdict().Allowed)

	ascent = validate.NewAscent(foresttest.Create("---"), nil, validate.Move{Namespace: "a", Parent: "b"})
	require.Equal(t, []string{"a", "b"}, ascent.Next())
	ascent.Read("a", ns("a").Obj(), nil)
	ascent.Read("b", ns("b").Obj(), config("b").Parent("c").Obj())
	require.Equal(t, []string{"c"}, ascent.Next())
	ascent.Read("c", ns("c").SubnamespaceOf("a").Obj(), nil)
	require.Empty(t, ascent.Next())
	require.Contains(t, ascent.Verdict().Message, "a <- c <- b <- a")
}

// TestRoom: nobody can fill the record, and nobody can keep others from it alone.
func TestRoom(t *testing.T) {
	many := func(n, namespaces int) (moves validate.Moves) {
		for i := range n {
			moves = append(moves, validate.Move{ID: apitypes.UID(fmt.Sprint(i)), Namespace: fmt.Sprint("n", i%namespaces), Parent: "p", Creates: "x"})
		}
		return moves
	}
	for name, tc := range map[string]struct {
		underway validate.Moves
		want     metav1.StatusReason
	}{
		"some of one":        {underway: many(15, 1)},
		"too many of one":    {underway: many(16, 1), want: metav1.StatusReasonServiceUnavailable},
		"many of others":     {underway: many(999, 200)},
		"too many of others": {underway: many(1000, 200), want: metav1.StatusReasonServiceUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			ascent := validate.NewAscent(foresttest.Create("-"), tc.underway, validate.Move{Namespace: "n0", Parent: "a", Stamp: "n0"})
			ascent.Read("a", ns("a").Obj(), nil)
			verdict := ascent.Verdict()
			require.Equal(t, tc.want, verdict.Reason)
		})
	}
	text, err := json.Marshal(validate.Move{ID: apitypes.UID(fmt.Sprintf("%036d", 0)), Namespace: fmt.Sprintf("%063d", 0), Parent: fmt.Sprintf("%063d", 0), Stamp: fmt.Sprintf("%063d", 0), Tree: fmt.Sprintf("%063d", 0), Creates: apitypes.UID(fmt.Sprintf("%036d", 0))})
	require.NoError(t, err)
	require.Less(t, 1000*len(text), 1<<20, "a ConfigMap holds no more")
}
