// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/hierarchy/foresttest"
)

// "leaf" hangs below "tree", which a holds, and moves to "other", which b holds.
func TestMoving(t *testing.T) {
	const written = "C1 owner: roles leaf/r (create)"
	tests := map[string]struct {
		log        func(*script)
		want       []string
		wantMoving int
	}{
		"the new holder may write at once": {
			log: func(s *script) { s.parent("leaf", other); s.copy(b, "leaf") },
		},
		"the former holder may not know yet": {
			log:        func(s *script) { s.parent("leaf", other); s.copy(a, "leaf") },
			wantMoving: 1,
		},
		"but soon must": {
			log:  func(s *script) { s.parent("leaf", other); s.wait(2000).copy(a, "leaf") },
			want: []string{written},
		},
		"a third replica is no party to it": {
			log: func(s *script) {
				s.beat("banyan-2/uc/pc", "banyan-2", "banyan-2/uc/pc.0")
				s.parent("leaf", other)
				s.copy("banyan-2/uc/pc", "leaf")
			},
			want: []string{written},
		},
		"the new holder may not write before the move": {
			log:  func(s *script) { s.copy(b, "leaf"); s.parent("leaf", other) },
			want: []string{written},
		},
		"whatever hangs below moves, too": {
			log: func(s *script) {
				s.namespace("", "below")
				s.parent("below", "leaf")
				s.wait(5000).parent("leaf", other)
				s.copy(a, "below")
			},
			wantMoving: 1,
		},
		"a key that has been given away since is no excuse": {
			log: func(s *script) {
				s.parent("leaf", other)
				s.shard(a, treeShard, "", 1)
				s.copy(a, "leaf")
			},
			want: []string{written},
		},
		"a replica does not move namespaces": {
			log: func(s *script) { s.parent("leaf", other).by(b); s.copy(a, "leaf") },
			want: []string{
				"C1 owner: hierarchyconfigurations leaf/hierarchy (update)", written,
			},
		},
		"a deleted configuration makes a root": {
			log: func(s *script) {
				s.gone("", "hnc.x-k8s.io", "hierarchyconfigurations", "leaf", "hierarchy")
				s.copy("", tree)
				s.copy(a, "leaf")
			},
			wantMoving: 1,
		},
		"a namespace that is made again has no parent": {
			log: func(s *script) {
				s.gone("", "", "namespaces", "", "leaf")
				s.namespace("", "leaf")
				s.wait(3000).copy(a, "leaf")
			},
			want: []string{written},
		},
		"a subnamespace moves with its parent": {
			log: func(s *script) {
				s.put("", "", "namespaces", foresttest.MakeNamespace("sub").SubnamespaceOf("leaf").Obj())
				s.wait(3000).parent("leaf", other)
				s.copy(a, "sub")
				s.copy(b, "sub")
			},
			wantMoving: 1,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := steady()
			s.namespace("", "leaf")
			s.parent("leaf", tree)
			s.wait(5000)
			tc.log(s)

			report := s.check(t)
			require.Equal(t, tc.want, said(report), "%s", report)
			require.Equal(t, tc.wantMoving, report.Counts.Moving)
		})
	}
}
