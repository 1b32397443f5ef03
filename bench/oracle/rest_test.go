// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/oracle"
	"github.com/banyan-hns/banyan/bench/system"
)

const (
	// patience until the cluster is at rest. The lease of a killed replica takes
	// 10 s of it.
	patience = time.Minute
	pause    = 300 * time.Millisecond
	// calm is how long nothing may be written once all is right. It is longer than
	// the 2 s after which an anchor is looked at again.
	calm = 3 * time.Second
)

// compare looks once.
func (g *game) compare() (oracle.Facts, []oracle.Difference, error) {
	seen, err := oracle.See(g.Context(), g.Client)
	if err != nil {
		return oracle.Facts{}, nil, err
	}
	if err := g.release(seen); err != nil {
		return oracle.Facts{}, nil, err
	}
	facts := seen.Facts(rules)
	return facts, oracle.Differ(seen.Statements(facts), facts.Says()), nil
}

// release does what is left to users, so that namespaces can end: it takes their
// finalizers off what is being deleted.
func (g *game) release(seen oracle.Seen) error {
	for _, u := range seen.Dying() {
		u.SetFinalizers(nil)
		if err := g.Update(g.Context(), u); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("taking the finalizers off %s: %w", u.GetName(), err)
		}
	}
	return nil
}

// rest waits until cluster and oracle agree, and nothing is lost. The facts of that
// moment are where the next ledger begins.
func (g *game) rest(when string) oracle.Facts {
	g.Helper()
	begun := time.Now()
	for {
		facts, differences, err := g.compare()
		require.NoError(g, err)
		lost := g.users.Ledger.Lost(facts)
		if len(differences)+len(lost) == 0 {
			g.Logf("%s: at rest in %s; %s", when, time.Since(begun).Round(time.Millisecond), facts.Summary())
			g.users.Ledger = oracle.NewLedger(oracle.Namespaces(), facts)
			return facts
		}
		if time.Since(begun) > patience {
			g.Fatalf("%s, seed %d: cluster and oracle still disagree:\n%s", when, g.seed, g.explain(differences, lost))
		}
		select {
		case <-g.Context().Done():
			g.Fatal(g.Context().Err())
		case <-time.After(pause):
		}
	}
}

func (g *game) explain(differences []oracle.Difference, lost []string) string {
	var lines, about []string
	for _, d := range differences {
		lines, about = append(lines, d.String()), append(about, d.Subject.Namespace)
	}
	for _, loss := range lost {
		namespace, _, _ := strings.Cut(loss, ":")
		lines, about = append(lines, "lost: "+loss), append(about, namespace)
	}
	lines = append(lines, "what users did there:")
	lines = append(lines, g.users.Told(about...)...)
	lines = append(lines, "what others wrote there:")
	return strings.Join(append(lines, g.writes(time.Time{}, about...)...), "\n")
}

// quiet: once all is right, nothing is written but Leases.
func (g *game) quiet() {
	g.Helper()
	from := time.Now()
	select {
	case <-g.Context().Done():
		g.Fatal(g.Context().Err())
	case <-time.After(calm):
	}
	g.wroteNothing(from)
}

// wroteNothing fails if Banyan wrote anything but Leases and events since then. A
// replica that starts tells anew what stands in the way.
func (g *game) wroteNothing(from time.Time) {
	g.Helper()
	for _, w := range g.Audited().Writes(from, time.Now()) {
		if w.Resource != "leases" && w.Resource != "events" {
			g.Errorf("seed %d: all was right, but %+v was written:\n%s", g.seed, w, strings.Join(g.writes(from), "\n"))
		}
	}
	_, differences, err := g.compare()
	require.NoError(g, err)
	require.Empty(g, differences, "it does not stay as it was")
}

// secondPass starts all replicas anew. Each reads everything, and finds nothing to
// do.
func (g *game) secondPass() {
	g.Helper()
	var from time.Time
	g.Outage(func() { from = time.Now() })
	for _, name := range system.Names {
		g.Eventually(name+" has swept", func() error {
			pending, err := g.Set.Metric(g.Context(), name, "banyan_resync_pending")
			if err == nil && pending > 0 {
				err = fmt.Errorf("%v namespaces are to be read again", pending)
			}
			return err
		})
	}
	g.wroteNothing(from)
}
