// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"
	"strings"

	"k8s.io/cli-runtime/pkg/printers"

	"github.com/banyan-hns/banyan/shard"
)

// Text is a table of the members, then what nobody owns, then the sum.
func (o owners) Text() string {
	var text strings.Builder
	table := printers.GetNewTabWriter(&text)
	fmt.Fprintln(table, "MEMBER\tSTATE\tSHARDS\tRING")
	for _, m := range o.Ring.Members {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", m.Name, m.State, shardsText(m.Shards), m.RingHash)
	}
	table.Flush()

	reasons, vacant := o.vacancies()
	for _, reason := range reasons {
		fmt.Fprintf(&text, "unowned %s: %s\n", rangesText(vacant[reason]), reason)
	}
	fmt.Fprintf(&text, "%d shards, %d owned, %d unowned\n", len(o.Shards), o.Summary.Owned, o.Summary.Unowned)
	return text.String()
}

// vacancies groups the unowned shards by the reason, in the order of the first
// shard of each.
func (o owners) vacancies() (reasons []string, vacant map[string][]shard.ID) {
	vacant = map[string][]shard.ID{}
	for _, s := range o.Shards {
		if s.Holder != "" {
			continue
		}
		if vacant[s.Vacancy] == nil {
			reasons = append(reasons, s.Vacancy)
		}
		vacant[s.Vacancy] = append(vacant[s.Vacancy], s.ID)
	}
	return reasons, vacant
}

// Text is a line for each thing that one may ask about a namespace.
func (l location) Text() string {
	owner := l.Shard.Holder
	if owner == "" {
		owner = fmt.Sprintf("nobody (%s)", l.Shard.Vacancy)
	}
	return fmt.Sprintf("Namespace: %s\nKey:       %s\nShard:     %d of %d\nOwner:     %s\n",
		l.Namespace, l.Key, l.Shard.ID, l.ActiveP, owner)
}

func shardsText(ids []shard.ID) string {
	if len(ids) == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%s)", len(ids), rangesText(ids))
}

// rangesText shortens sorted numbers: 0-3,7,9.
func rangesText(ids []shard.ID) string {
	var ranges []string
	for first := 0; first < len(ids); {
		last := first
		for last+1 < len(ids) && ids[last+1] == ids[last]+1 {
			last++
		}
		if first == last {
			ranges = append(ranges, fmt.Sprint(ids[first]))
		} else {
			ranges = append(ranges, fmt.Sprintf("%d-%d", ids[first], ids[last]))
		}
		first = last + 1
	}
	return strings.Join(ranges, ",")
}
