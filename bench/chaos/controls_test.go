// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/bench/audit"
	"github.com/banyan-hns/banyan/bench/replicas/build"
	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/shard"
)

// mistakes are the tags of a binary that makes all of them. Each shows only in its
// own story.
const mistakes = "-tags=brokenguard,brokenrelease,brokenclock,brokenstamp"

// story of one mistake, and what the checker must say of it. The gate that admits
// everything has its test in cmd/banyan.
type story struct {
	// tell returns the violations that are to be found, by what they have in common.
	tell func(*teller) (wanted func(audit.Violation) bool)
	want []string // rules
}

var stories = []struct {
	name string
	story
}{
	{"a namespace moves, and its stamp counts for nothing", story{tellStamp, []string{audit.RuleOwner, audit.RuleStamp}}},
	{"expiry by the clock of another", story{tellClock, []string{audit.RuleFence}}},
	{"a release that does not compare", story{tellRelease, []string{audit.RuleTransfer}}},
	{"no guard, and a long timeout of writes", story{tellGuard, []string{audit.RuleFence, audit.RuleOwner}}}, // last: it has a longer lease
}

// shortLease lets a replica that ends sleep past its lease, and wake before the bound
// of its shutdown. A lease must not become shorter while replicas run: those that were
// told of the longer one would be fenced too early.
var shortLease = []string{"--lease-duration=5s", "--renew-period=1s", "--write-timeout=1s"}

// TestMistakesAreFound is the negative control of the checker: replicas that make a
// mistake break the rule that forbids it. Those that are shipped go through the same,
// first, and break none.
func TestMistakesAreFound(t *testing.T) {
	s := short(t)
	for _, st := range stories {
		t.Run("none: "+st.name, func(t *testing.T) {
			st.tell(&teller{T: t, stage: s, world: "sound"})
		})
	}
	report, err := s.audited()
	require.NoError(t, err)
	require.Empty(t, report.Violations, report.String())
	assert.NotEmpty(t, report.Fences, "nobody was fenced, so nothing was shown")
	assert.Positive(t, report.Counts.Handed, "nothing moved to another replica, so nothing was shown")

	binary, err := build.Banyan(t.Context(), filepath.Join(s.dir, "links"), mistakes)
	require.NoError(t, err)
	s.Set.SetBinary(binary)
	(&teller{T: t, stage: s}).restart(shortLease...)
	for _, st := range stories {
		t.Run(st.name, func(t *testing.T) {
			u := &teller{T: t, stage: s, world: "broken"}
			began := time.Now()
			wanted := st.tell(u)
			var report audit.Report
			for end := time.Now().Add(20 * time.Second); !u.found(report, began, wanted, st.want); {
				require.True(t, time.Now().Before(end), "%v of it was not found:\n%s", st.want, report)
				require.NoError(t, pause(t.Context(), 500*time.Millisecond))
				report, err = s.audited()
				require.NoError(t, err)
			}
		})
	}
}

// found reports whether each rule is broken by what is wanted, after a time.
func (u *teller) found(report audit.Report, began time.Time, wanted func(audit.Violation) bool, rules []string) bool {
	found := map[string]audit.Violation{}
	for _, v := range report.Violations {
		if !v.Time.Before(began) && wanted(v) {
			found[v.Rule] = v
		}
	}
	for _, rule := range rules {
		if found[rule].Rule == "" {
			return false
		}
	}
	for _, rule := range rules {
		u.Log(found[rule])
	}
	return true
}

// short is a small world with two replicas.
func short(t *testing.T) *stage {
	t.Helper()
	o, err := parse([]string{"-seed", "1", "-replicas", "2", "-namespaces", "10", "-trees", "4"})
	require.NoError(t, err)
	o.flags = shortLease
	ground, err := rig.Prepare(t.Context(), t.TempDir(), os.Getenv("BANYAN_BINARY"), io.Discard)
	require.NoError(t, err)
	s, err := open(t.Context(), o, ground)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// owned is how many shards these replicas have open together, by their own word.
func (u *teller) owned(names ...string) int {
	sum := 0
	for _, name := range names {
		if report, err := u.Set.Shards(u.Context(), name); err == nil {
			sum += report.Summary.Owned
		}
	}
	return sum
}

// ownsAll waits until a replica has all shards.
func (u *teller) ownsAll(name string) {
	u.Helper()
	require.Eventually(u, func() bool { return u.owned(name) == shard.DefaultShards }, time.Minute, 50*time.Millisecond, "%s has all shards", name)
}
