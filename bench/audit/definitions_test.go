// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/shard"
)

// "leaf" hangs below "mid", which hangs below "tree". Then the definition of
// HierarchyConfigurations is deleted, which takes from 8 s to 9 s.
func TestDeletedDefinition(t *testing.T) {
	const leafWritten = "C1 owner: roles leaf/r (create)"
	tests := map[string]struct {
		log         func(*script)
		want        []string
		wantUnclear int
	}{
		"before it, the holder of the tree writes": {
			log: func(s *script) { s.copy(a, "leaf").at(7000, 7010) },
		},
		"nobody else does": {
			log:  func(s *script) { s.copy(b, "leaf").at(7000, 7010) },
			want: []string{leafWritten},
		},
		"while it goes, the holder of the tree may still write": {
			log: func(s *script) { s.copy(a, "leaf").at(8500, 8510) },
		},
		"so may that of the leaf": {
			log: func(s *script) { s.copy(b, "leaf").at(8500, 8510) },
		},
		"and that of what is between, for a moment that nobody knows": {
			log:         func(s *script) { s.copy(c, "leaf").at(8500, 8510) },
			wantUnclear: 1,
		},
		"a third replica may not": {
			log:  func(s *script) { s.copy("banyan-3/ud/pd", "leaf").at(8500, 8510) },
			want: []string{leafWritten},
		},
		"after it, the leaf has a key of its own": {
			log: func(s *script) { s.copy(b, "leaf").at(12000, 12010) },
		},
		"and the holder of the tree has no part in it": {
			log:  func(s *script) { s.copy(a, "leaf").at(12000, 12010) },
			want: []string{leafWritten},
		},
		"with a new definition, new objects count": {
			log: func(s *script) {
				delete(s.versions, "hierarchyconfigurations/leaf/hierarchy")
				s.definition("create", "").at(9900, 9910)
				s.parent("leaf", tree).at(10000, 10010)
				s.copy(a, "leaf").at(12000, 12010)
				s.definition("update", "").at(13000, 13010)
			},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := steady()
			for _, name := range []string{"mid", "leaf"} {
				s.namespace("", name)
			}
			s.parent("mid", tree)
			s.parent("leaf", "mid")
			s.beat(c, "banyan-2", c+".0")
			s.shard(b, shard.Of("leaf", testShards), b0, 1)
			s.shard(c, shard.Of("mid", testShards), c+".0", 1)
			s.definition("delete", "").at(8000, 8010)
			s.definition("update", "").at(8980, 9000)
			tc.log(s)
			s.copy("", other).at(20000, 20010)

			report := s.check(t)
			require.Equal(t, tc.want, said(report), "%s", report)
			require.Equal(t, tc.wantUnclear, report.Counts.Unclear)
		})
	}
}

// definition adds a write of the definition of HierarchyConfigurations, of which
// the log has no bodies.
func (s *script) definition(verb, process string) *entry {
	e := made(verb, "apiextensions.k8s.io", definitions, "", "hierarchyconfigurations.hnc.x-k8s.io")
	e.Level = "Metadata"
	s.revision++
	if process != "" {
		e.by(process)
	}
	return s.add(e)
}
