// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/lease"
)

// renew is a heartbeat that says for how many seconds it is to be believed.
func (s *script) renew(process, name string, holder shard.Identity, seconds int32) *entry {
	return s.put(process, coordinationv1.GroupName, "leases", &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: testSystem, Name: lease.MemberName(name)},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: ptr.To(string(holder)), LeaseDurationSeconds: ptr.To(seconds)},
	})
}

// TestLivesThatOthersEnd: a has renewed its heartbeat, for 10 s; that request arrived at
// 69 ms.
func TestLivesThatOthersEnd(t *testing.T) {
	const (
		anew    = "banyan-0/ua/new" // another process in the pod of a
		another = "banyan-0/ux/px"  // another pod of that name
	)
	a1 := shard.Identity(a + ".1")
	tests := map[string]struct {
		log        func(*script)
		want       []string // explanations, in part
		wantJudged int
	}{
		"after a lease": {
			log:        func(s *script) { s.wait(9990).beat(b, "banyan-0", "") },
			wantJudged: 1,
		},
		"a moment before": {
			log:        func(s *script) { s.wait(9989).beat(b, "banyan-0", "") },
			want:       []string{"ended the life banyan-0/ua/pa.0, which was silent for 9.999s of the 10s of its lease"},
			wantJudged: 1,
		},
		"a heartbeat begins another lease": {
			log:        func(s *script) { s.wait(5000).renew(a, "banyan-0", a0, 10); s.wait(9000).beat(b, "banyan-0", "") },
			want:       []string{"silent for 9.01s"},
			wantJudged: 1,
		},
		"so does whatever else is written there, which readers see change": {
			log:        func(s *script) { s.wait(5000).renew("", "banyan-0", a0, 1); s.wait(9000).beat(b, "banyan-0", "") },
			want:       []string{"silent for 9.01s of the 10s"},
			wantJudged: 1,
		},
		"a heartbeat that was long on its way counts from its arrival": {
			log: func(s *script) {
				s.wait(2990).renew(a, "banyan-0", a0, 10).at(1069, 3070)
				s.wait(7990).beat(b, "banyan-0", "")
			},
			wantJudged: 1,
		},
		"an end that is long on its way counts from its arrival, too": {
			log: func(s *script) {
				s.wait(12000).beat(b, "banyan-0", "").at(10068, 12080)
			},
			want:       []string{"silent for 9.999s"},
			wantJudged: 1,
		},
		"by deletion": {
			log: func(s *script) {
				s.gone(b, coordinationv1.GroupName, "leases", testSystem, lease.MemberName("banyan-0"))
				s.copy(b, other)
			},
			want:       []string{"silent for 10ms"},
			wantJudged: 2, // with the write after it
		},
		"by a new pod of the same name": {
			log:        func(s *script) { s.beat(another, "banyan-0", another+".0") },
			want:       []string{"silent for 10ms"},
			wantJudged: 1,
		},
		"by a new process of the same pod, since the former one is gone": {
			log: func(s *script) { s.beat(anew, "banyan-0", anew+".0") },
		},
		"its own goodbye": {
			log: func(s *script) { s.beat(a, "banyan-0", "") },
		},
		"its own next life": {
			log: func(s *script) { s.beat(a, "banyan-0", a1) },
		},
		"a goodbye that another says again": {
			log: func(s *script) { s.beat(a, "banyan-0", ""); s.beat(b, "banyan-0", "") },
		},
		"the life of which it says so, not one before": {
			log:        func(s *script) { s.renew(a, "banyan-0", a1, 2); s.wait(1990).beat(b, "banyan-0", "") },
			wantJudged: 1,
		},
		"by hand": {
			log: func(s *script) { s.beat("", "banyan-0", "") },
		},
		"a life that somebody wrote by hand": {
			log: func(s *script) { s.renew("", "banyan-0", "somebody/else/entirely", 10); s.beat(b, "banyan-0", "") },
		},
		"a life that somebody wrote into the heartbeat of another": {
			log: func(s *script) {
				s.renew(b, "banyan-1", b0, 10)
				s.renew("", "banyan-0", b0, 10)
				s.beat("banyan-2/uc/pc", "banyan-0", "")
			},
		},
		"by a write without a line, of which nobody knows when it arrived": {
			log: func(s *script) { s.beat(b, "banyan-0", "").code(500); s.wait(10000).beat(b, "banyan-0", "") },
		},
		"what came in between is not known": {
			log: func(s *script) {
				s.renew(a, "banyan-0", a0, 10).ResponseObject = nil
				s.beat(b, "banyan-0", "")
			},
		},
		"a heartbeat without a line does not make it earlier": {
			log: func(s *script) {
				s.wait(9980).renew(a, "banyan-0", a0, 10).code(500)
				s.beat(b, "banyan-0", "")
			},
			wantJudged: 1,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := steady()
			s.renew(a, "banyan-0", a0, 10)
			tc.log(s)
			report := s.check(t)
			var found []Violation
			for _, v := range report.Violations {
				if v.Rule == RuleFence {
					found = append(found, v)
				}
			}
			require.Len(t, found, len(tc.want), "%s", report)
			for i, want := range tc.want {
				require.Contains(t, found[i].Explanation, want)
				require.Contains(t, found[i].Object, lease.MemberName("banyan-0"))
				require.True(t, strings.HasPrefix(found[i].Replica, "banyan-"))
			}
			require.Equal(t, tc.wantJudged, judgedBy(report, RuleFence).Judged, "%s", report)
		})
	}
}
