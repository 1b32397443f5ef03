// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"testing"

	"github.com/stretchr/testify/require"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// b takes the free shard of "tree" with a write that the log does not show as
// done, writes, and gives it back.
func TestUnseenLeaseWrites(t *testing.T) {
	tests := map[string]struct {
		hide func(s *script, e *entry)
		want []string
		// What the report says of the write that nobody saw.
		wantUnseen, wantRecovered, wantUnclear int
	}{
		"nothing is hidden": {
			hide: func(*script, *entry) {},
		},
		"the request had no answer": {
			hide:       func(_ *script, e *entry) { e.code(504).ResponseObject = nil },
			wantUnseen: 1, wantRecovered: 1,
		},
		"the API server panicked": {
			hide: func(_ *script, e *entry) {
				e.Stage, e.ResponseStatus, e.ResponseObject = auditv1.StagePanic, nil, nil
			},
			wantUnseen: 1, wantRecovered: 1,
		},
		"the API server died before it logged": {
			hide:       func(s *script, e *entry) { s.drop(e) },
			wantUnseen: 1, wantUnclear: 1,
		},
		"two had no answer": {
			hide: func(s *script, e *entry) {
				e.code(504).ResponseObject = nil
				rival := &entry{e.Event}
				s.entries = append(s.entries, rival.by("banyan-2/uc/pc"))
			},
			wantUnseen: 1, wantUnclear: 1,
		},
		"a request for another version does not explain it": {
			hide: func(s *script, e *entry) {
				e.code(504).ResponseObject = nil
				e.asked(map[string]any{"metadata": map[string]any{"resourceVersion": "1"}})
			},
			wantUnseen: 1, wantUnclear: 1,
		},
		"it was refused, and yet b wrote": {
			hide:       func(_ *script, e *entry) { e.code(409).ResponseObject = nil },
			wantUnseen: 1, wantUnclear: 1,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := steady()
			s.shard(a, treeShard, "", 1)
			taken := s.shard(b, treeShard, b0, 2)
			s.copy(b, tree)
			s.shard(b, treeShard, "", 2)
			tc.hide(s, taken)

			report := s.check(t)
			require.Equal(t, tc.want, said(report), "%s", report)
			c := report.Counts
			require.Equal(t, []int{tc.wantUnseen, tc.wantRecovered, tc.wantUnclear}, []int{c.Unseen, c.Recovered, c.Unclear})
		})
	}
}

func (s *script) drop(dropped *entry) {
	kept := s.entries[:0]
	for _, e := range s.entries {
		if e != dropped {
			kept = append(kept, e)
		}
	}
	s.entries = kept
}
