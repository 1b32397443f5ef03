// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/banyan-hns/banyan/bench/system"
)

// writes by Banyan since then; if namespaces are named, only those in them, and
// those of the control plane, too.
func (g *game) writes(from time.Time, about ...string) []string {
	var lines []string
	g.EachEvent(func(e *auditv1.Event) {
		r := e.ObjectRef
		if r == nil || r.Resource == "leases" || r.Resource == "events" || e.StageTimestamp.Time.Before(from) || e.User.Username == "admin" {
			return
		}
		concerned := slices.Contains(about, r.Namespace) || slices.Contains(about, r.Name)
		if len(about) == 0 && !system.ByBanyan(e) || len(about) > 0 && !concerned {
			return
		}
		line := fmt.Sprintf("%s %s %s %s %s/%s", e.StageTimestamp.Format("15:04:05.000"), e.User.Username, e.Verb, r.Resource, r.Namespace, r.Name)
		if e.ResponseStatus != nil {
			line += fmt.Sprintf(": %d", e.ResponseStatus.Code)
		}
		if e.RequestObject != nil && len(e.RequestObject.Raw) < 2000 {
			line += " " + string(e.RequestObject.Raw)
		}
		lines = append(lines, line)
	})
	return lines
}

// deletesAreJust: what Banyan deleted was a copy or a subnamespace, in the very
// version that it named. Of Secrets no bodies are logged; the ledger answers for
// those. The namespace controller's finalize is logged without one, so the last
// version of a namespace may be unknown.
func (g *game) deletesAreJust() {
	g.Helper()
	all := g.Deletions()
	require.Subset(g, []string{"secrets"}, all.Unlogged)
	require.Subset(g, []string{"namespaces"}, all.Unwritten)
	g.Logf("%d deletions, all of them just", len(all.Just)+len(all.Unwritten))
}
