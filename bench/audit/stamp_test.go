// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// "leaf", with "below" under it, hangs below "tree", which a holds, and moves to
// "other", which b holds, with a stamp that names "tree".
func TestStamped(t *testing.T) {
	const (
		owner   = RuleOwner + ": roles leaf/r (create)"
		unended = RuleStamp + ": roles leaf/r (create)"
	)
	tests := map[string]struct {
		log                             func(*script)
		want                            []string
		wantLate, wantMoving, wantMoves int // the last: without a stamp
		wantHanded                      int
	}{
		"the former holder ends the move, and the new one begins": {
			log:        func(s *script) { s.stamp(tree); s.end(a); s.copy(b, "leaf"); s.copy(b, "below") },
			wantHanded: 1,
		},
		"it may take long to end": {
			log:        func(s *script) { s.stamp(tree); s.wait(60000); s.end(a); s.copy(b, "leaf") },
			wantHanded: 1,
		},
		"the former holder may not know yet": {
			log:      func(s *script) { s.stamp(tree); s.copy(a, "leaf"); s.copy(a, "below"); s.end(a) },
			wantLate: 2, wantHanded: 1,
		},
		"but soon must": {
			log:  func(s *script) { s.stamp(tree); s.wait(2000).copy(a, "leaf") },
			want: []string{unended},
		},
		"the new holder waits for the end": {
			log:  func(s *script) { s.stamp(tree); s.copy(b, "leaf") },
			want: []string{owner},
		},
		"in all that hangs below": {
			log:  func(s *script) { s.stamp(tree); s.copy(b, "below") },
			want: []string{"C1 owner: roles below/r (create)"},
		},
		"however long it takes": {
			log:  func(s *script) { s.stamp(tree); s.wait(60000).copy(b, "leaf") },
			want: []string{owner, unended},
		},
		"nobody but the former holder ends it": {
			log:  func(s *script) { s.stamp(tree); s.end(b) },
			want: []string{"C1 owner: hierarchyconfigurations leaf/hierarchy (update)"}, wantHanded: 1,
		},
		"to write the configuration and leave the stamp ends nothing": {
			log:  func(s *script) { s.stamp(tree); s.wait(3000); s.stamp(tree).by(a) },
			want: []string{RuleStamp + ": hierarchyconfigurations leaf/hierarchy (update)"},
		},
		// What follows is what happens where replicas know of no stamps.
		"the former holder goes on after the end: nothing excuses it": {
			log:  func(s *script) { s.stamp(tree); s.end(a); s.copy(a, "leaf") },
			want: []string{owner}, wantHanded: 1,
		},
		"nobody ends it, and both go on": {
			log: func(s *script) {
				s.stamp(tree)
				s.wait(3000).copy(a, "leaf")
				s.copy(b, "below")
			},
			want: []string{unended, "C1 owner: roles below/r (create)", RuleStamp + ": roles below/r (create)"},
		},
		"the move has no stamp": {
			log:        func(s *script) { s.parent("leaf", other); s.copy(a, "leaf"); s.copy(b, "leaf") },
			wantMoving: 1, wantMoves: 1,
		},
		"a stamp with another key than the last is a move without one": {
			log:        func(s *script) { s.stamp("leaf"); s.copy(a, "leaf") },
			wantMoving: 1, wantLate: 0, wantMoves: 1,
		},
		"a user takes the stamp away": {
			log:        func(s *script) { s.stamp(tree); s.end(""); s.copy(a, "leaf"); s.copy(b, "leaf") },
			wantMoving: 1, wantMoves: 1,
		},
		"the nearest stamp decides": {
			log: func(s *script) {
				s.stamp(tree)
				s.stampOn("below", "leaf", other)
				s.put(b, "hnc.x-k8s.io", "hierarchyconfigurations", foresttest.MakeConfiguration("below").Parent("leaf").Obj())
				s.copy(a, "below")
				s.end(a)
				s.copy(b, "below")
			},
			// The second stamp has not the key that it had by the first.
			wantLate: 1, wantMoves: 1, wantHanded: 2,
		},
		"a subnamespace that is still to come has the key of the stamp": {
			log: func(s *script) {
				s.put("", "hnc.x-k8s.io", "subnamespaceanchors", foresttest.MakeAnchor("leaf", "sub").Obj())
				s.stamp(tree)
				s.put(b, "", "namespaces", foresttest.MakeNamespace("sub").SubnamespaceOf("leaf").Obj())
			},
			want: []string{"C1 owner: namespaces sub (create)"},
		},
		"a stamp goes with its configuration": {
			log: func(s *script) {
				s.stamp(tree)
				s.gone("", "hnc.x-k8s.io", "hierarchyconfigurations", "leaf", "hierarchy")
				s.copy("", tree)
				s.wait(5000).copy(a, "leaf")
			},
			want: []string{owner}, wantMoves: 1,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := steady()
			for _, name := range []string{"leaf", "below"} {
				s.namespace("", name)
			}
			s.parent("leaf", tree)
			s.parent("below", "leaf")
			s.wait(5000)
			before := s.check(t).Counts.Unstamped
			tc.log(s)

			report := s.check(t)
			require.Equal(t, tc.want, said(report), "%s", report)
			c := report.Counts
			require.Equal(t, []int{tc.wantLate, tc.wantMoving, tc.wantMoves}, []int{c.Late, c.Moving, c.Unstamped - before}, "%s", report)
			require.Equal(t, tc.wantHanded, c.Handed)
		})
	}
}

// stamp moves "leaf" to "other", as admission writes it.
func (s *script) stamp(key string) *entry {
	return s.stampOn("leaf", other, key)
}

func (s *script) stampOn(name, parent, key string) *entry {
	configuration := foresttest.MakeConfiguration(name).Parent(parent).Obj()
	configuration.Annotations = map[string]string{api.AnnotationPreviousKey: key}
	return s.put("", "hnc.x-k8s.io", "hierarchyconfigurations", configuration)
}

// end takes the stamp off "leaf".
func (s *script) end(process string) *entry {
	return s.put(process, "hnc.x-k8s.io", "hierarchyconfigurations", foresttest.MakeConfiguration("leaf").Parent(other).Obj())
}
