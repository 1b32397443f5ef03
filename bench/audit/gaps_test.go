// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestGaps(t *testing.T) {
	const anew = "banyan-0/ua/new"
	tests := map[string]struct {
		log         func(*script)
		want        map[Cause]time.Duration
		wantUnowned int
	}{
		"a shard that is held has none": {
			log: func(s *script) { s.shard(a, treeShard, a0, 1) },
		},
		"a shard that never had a holder has none": {
			log: func(s *script) { s.shard(a, 7, "", 0); s.wait(100).shard(a, 7, a0, 1) },
		},
		"a hand-over takes from the release to the acquisition": {
			log:  func(s *script) { s.shard(a, treeShard, "", 1); s.wait(90).shard(b, treeShard, b0, 2) },
			want: map[Cause]time.Duration{CauseHandover: 100 * time.Millisecond},
		},
		"a takeover takes from the last heartbeat to the acquisition": {
			log: func(s *script) {
				s.beat(a, "banyan-0", a0)
				s.wait(9990).beat(b, "banyan-0", "")
				s.wait(90).shard(b, treeShard, b0, 2)
			},
			want: map[Cause]time.Duration{CauseTakeover: 10100 * time.Millisecond},
		},
		"a restart takes from the last heartbeat": {
			log: func(s *script) {
				s.beat(a, "banyan-0", a0)
				s.wait(990).beat(anew, "banyan-0", anew+".0")
				s.wait(90).shard(anew, treeShard, anew+".0", 2)
			},
			want: map[Cause]time.Duration{CauseRestart: 1100 * time.Millisecond},
		},
		"or from the release": {
			log: func(s *script) {
				s.shard(a, treeShard, "", 1)
				s.beat(a, "banyan-0", "")
				s.wait(980).beat(anew, "banyan-0", anew+".0")
				s.shard(anew, treeShard, anew+".0", 2)
			},
			want: map[Cause]time.Duration{CauseRestart: 1010 * time.Millisecond},
		},
		"a release that comes after the fence is none": {
			log: func(s *script) {
				s.beat(a, "banyan-0", a0)
				s.wait(9990).beat(b, "banyan-0", "")
				s.shard(a, treeShard, "", 1)
				s.wait(90).shard(b, treeShard, b0, 2)
			},
			want: map[Cause]time.Duration{CauseTakeover: 10110 * time.Millisecond},
		},
		"an acquisition by a life that has ended fills none": {
			log: func(s *script) {
				s.shard(a, treeShard, "", 1)
				s.beat(a, "banyan-1", "")
				s.shard(b, treeShard, b0, 2)
			},
			wantUnowned: 2,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := steady()
			tc.log(s)
			report := s.check(t)
			var got map[Cause]time.Duration
			for _, gap := range report.Gaps {
				if got == nil {
					got = map[Cause]time.Duration{}
				}
				got[gap.Cause] += gap.Duration()
			}
			require.Equal(t, tc.want, got)
			require.Equal(t, tc.wantUnowned, report.Counts.Unowned)
		})
	}
}

func TestGapNamesBothSides(t *testing.T) {
	s := steady()
	s.shard(a, treeShard, "", 1)
	s.shard(b, treeShard, b0, 2)
	report := s.check(t)
	require.Len(t, report.Gaps, 1)
	gap := report.Gaps[0]
	require.Equal(t, []any{treeShard, a0, b0}, []any{gap.Shard, gap.Before, gap.After})
}
