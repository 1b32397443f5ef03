// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/bench/audit"
	"github.com/banyan-hns/banyan/bench/requests"
	"github.com/banyan-hns/banyan/bench/rig"
)

// good is a result of two rounds in which every promise was kept.
func good() result {
	r := result{
		plan:    plan{subnamespaces: 10, trees: 1, sources: 2, rounds: 2, workers: 10},
		facts:   rig.Facts{Banyan: "v0.1.0", Kubernetes: "v1.37.2", Go: "go1.26", System: "linux/amd64", Cores: 2, Load: "0.10", Date: "2026-01-02"},
		command: "go run ./bench/fanout",
	}
	for round := 1; round <= 2; round++ {
		for _, name := range phaseNames {
			objects := r.copies()
			if name == grow {
				objects = r.subnamespaces
			}
			r.phases = append(r.phases,
				phase{name: name, bare: true, round: round, objects: objects, took: 2 * time.Second},
				phase{name: name, round: round, objects: objects, took: time.Duration(1+round) * time.Second})
		}
	}
	for i := range r.phases {
		fill(&r.phases[i])
	}
	return r
}

// fill in the writes that are as they should be.
func fill(p *phase) {
	method := map[string]string{grow: "POST", fanOut: "POST", update: "PUT", remove: "DELETE"}[p.name]
	count := func(resource string, n int) requests.Counts {
		return requests.Counts{{Verb: method, Resource: resource}: n}
	}
	lease := requests.Counts{{Verb: "PUT", Resource: "leases"}: 3}
	switch {
	case p.bare:
		p.own = count("roles", p.objects)
		p.all = p.own
		return
	case p.name == grow:
		p.own = count("subnamespaceanchors", p.objects)
		p.banyan = count("namespaces", p.objects).Plus(requests.Counts{{Verb: "PATCH", Resource: "subnamespaceanchors"}: 3 * p.objects})
	default:
		p.own = count("roles", 2)
		p.banyan = count("roles", p.objects/2).Plus(count("rolebindings", p.objects/2))
	}
	p.banyan = p.banyan.Plus(lease)
	p.all = p.own.Plus(p.banyan)
}

func TestJudge(t *testing.T) {
	// of finds a phase of Banyan's in round 1.
	of := func(r *result, name string) *phase {
		for i := range r.phases {
			if p := &r.phases[i]; p.name == name && !p.bare {
				return p
			}
		}
		return nil
	}
	tests := map[string]struct {
		spoil func(*result)
		goal  float64
		want  string
	}{
		"every promise was kept": {},
		"the goal was reached":   {goal: 1.25},
		"the goal was missed":    {goal: 1.2, want: "1.25 times as long as bare creates; the goal is 1.20"},
		"a copy was written twice": {
			spoil: func(r *result) {
				p := of(r, fanOut)
				more := requests.Counts{{Verb: "PUT", Resource: "roles"}: 1}
				p.all, p.banyan = p.all.Plus(more), p.banyan.Plus(more)
			},
			want: "Banyan, fan out in round 1: 21 write requests for 20 copies; it should be one for each\n" +
				"Banyan, fan out in round 1: by the audit log, Banyan wrote 21 times",
		},
		"a write was refused and repeated": {
			spoil: func(r *result) {
				p := of(r, update)
				p.all = p.all.Plus(requests.Counts{{Verb: "PUT", Resource: "rolebindings", Refused: true}: 1})
			},
			want: "Banyan, update in round 1: 21 write requests for 20 copies",
		},
		"somebody else wrote a copy": {
			spoil: func(r *result) {
				p := of(r, remove)
				p.banyan = p.banyan.Minus(requests.Counts{{Verb: "DELETE", Resource: "roles"}: 1})
			},
			want: "Banyan, delete in round 1: by the audit log, Banyan wrote 19 times for 20 copies",
		},
		"subnamespaces cost more": {
			spoil: func(r *result) {
				p := of(r, grow)
				p.banyan = p.banyan.Plus(requests.Counts{{Verb: "PATCH", Resource: "namespaces"}: 1})
			},
			want: "Banyan, grow in round 1: 41 writes for 10 subnamespaces, which is 4.10 for each; there should be at most 4",
		},
		"a write was not allowed": {
			spoil: func(r *result) {
				r.violations = []audit.Violation{{Rule: audit.RuleOwner, Object: "roles a/b (create)", Explanation: "somebody else held the shard"}}
			},
			want: "1 writes were not allowed, the first: C1 owner: roles a/b (create): somebody else held the shard",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := good()
			if tc.spoil != nil {
				tc.spoil(&r)
			}
			err := r.judge(tc.goal)
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.want)
		})
	}
}

func TestMarkdown(t *testing.T) {
	r := good()
	of := func(text string) string { return text[strings.Index(text, "| phase"):] }
	want := `| phase   | objects | plain client, s | Banyan, s | Banyan's per s | ratio |
| ------- | ------: | --------------: | --------: | -------------: | ----: |
| grow    |      10 |       2.00 2.00 | 2.00 3.00 |              4 |  1.25 |
| fan out |      20 |       2.00 2.00 | 2.00 3.00 |              8 |  1.25 |
| update  |      20 |       2.00 2.00 | 2.00 3.00 |              8 |  1.25 |
| delete  |      20 |       2.00 2.00 | 2.00 3.00 |              8 |  1.25 |

Writes by the API server's own metrics, without those of the client, in all rounds together. Beside Banyan's, there are
those of Kubernetes' own controllers, for each new namespace. The last two columns are from the audit log: what Banyan
did of it (nothing that was refused), and that for each object.

| phase, resource           | POST | PUT | PATCH | DELETE | refused | by Banyan | per object |
| ------------------------- | ---: | --: | ----: | -----: | ------: | --------: | ---------: |
| grow, leases              |      |   6 |       |        |         |         6 |            |
| grow, namespaces          |   20 |     |       |        |         |        20 |       1.00 |
| grow, subnamespaceanchors |      |     |    60 |        |         |        60 |       3.00 |
| fan out, leases           |      |   6 |       |        |         |         6 |            |
| fan out, rolebindings     |   20 |     |       |        |         |        20 |       0.50 |
| fan out, roles            |   20 |     |       |        |         |        20 |       0.50 |
| update, leases            |      |   6 |       |        |         |         6 |            |
| update, rolebindings      |      |  20 |       |        |         |        20 |       0.50 |
| update, roles             |      |  20 |       |        |         |        20 |       0.50 |
| delete, leases            |      |   6 |       |        |         |         6 |            |
| delete, rolebindings      |      |     |       |     20 |         |        20 |       0.50 |
| delete, roles             |      |     |       |     20 |         |        20 |       0.50 |

- write requests for each copy that was made, changed or deleted: 1.0000 (promised: 1)
- Banyan's writes for each new subnamespace, without copies and Leases: 4.00 (promised: at most 4)
- writes that were not allowed to the replica that did them: 0 (promised: none)
- time of the fan-out, in times of the bare creates: 1.25, by round [1.00 1.50]
`
	require.Empty(t, cmp.Diff(want, of(r.markdown())))
	require.Contains(t, r.markdown(), "2026-01-02: Banyan v0.1.0, Kubernetes v1.37.2, go1.26, linux/amd64 with 2 cores, load 0.10 before the start.")
}

func TestMedian(t *testing.T) {
	require.InDelta(t, 2, median([]float64{3, 1, 2}), 0)
	require.InDelta(t, 1.5, median([]float64{2, 1}), 0)
	require.InDelta(t, 7, median([]float64{7}), 0)
}

func TestByReplicas(t *testing.T) {
	got := byReplicas([]audit.Tally{
		{Replica: "banyan-0", Verb: "create", Resource: "roles", Count: 3},
		{Replica: "banyan-1", Verb: "create", Resource: "roles", Count: 4},
		{Replica: "banyan-1", Verb: "patch", Resource: "namespaces", Count: 1},
	})
	require.Empty(t, cmp.Diff(requests.Counts{{Verb: "POST", Resource: "roles"}: 7, {Verb: "PATCH", Resource: "namespaces"}: 1}, got))
}
