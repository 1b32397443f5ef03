// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"bytes"
	"crypto/rand"
	_ "embed" // the page
	"fmt"
	"html/template"
	"math"
	"net/http"
	"slices"
)

// pageText is the whole page: it loads nothing but the JSON of this same address.
//
//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// colors is the number of owner colours in the page. Members beyond it begin anew.
const colors = 8

// page is what the template is filled with.
type page struct {
	Report
	Place *Place
	Nonce string
	Rows  []row
	Arcs  []arc
	Notes []string // what needs attention
}

// row is one member in the table.
type row struct {
	ReportMember
	Color     int
	Self      bool
	Remaining float64 // seconds that it is believed for
	Fraction  float64 // of the lease, 0 to 100
	Share     float64 // of the shards, 0 to 100
}

// arc is one shard in the ring.
type arc struct {
	ReportShard
	Outer, Inner string // class of holder and of desired
	Held, Wanted string // paths
	Title        string
	Here         bool // the namespace that was asked for
}

// writePage writes the page for browsers. Names come from the cluster: the template
// escapes them, and the policy lets nothing run but the page's own script.
func writePage(w http.ResponseWriter, report Report, place *Place) error {
	p := newPage(report, place)
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, p); err != nil {
		http.Error(w, "the page could not be made; use ?format=text", http.StatusInternalServerError)
		return fmt.Errorf("making the page: %w", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Content-Security-Policy", fmt.Sprintf("default-src 'none'; script-src 'nonce-%[1]s'; style-src 'nonce-%[1]s'; "+
		"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'", p.Nonce))
	_, err := out.WriteTo(w)
	return err
}

func newPage(report Report, place *Place) page {
	p := page{Report: report, Place: place, Nonce: rand.Text(), Notes: notes(report)}
	for i, m := range report.Ring.Members {
		remaining := max(0, report.Self.LeaseSeconds-m.LastSeenSeconds)
		p.Rows = append(p.Rows, row{
			ReportMember: m, Color: i % colors, Self: m.Name == report.Self.Member, Remaining: remaining,
			Fraction: percent(remaining, report.Self.LeaseSeconds), Share: percent(float64(m.Owned), float64(len(report.Shards))),
		})
	}
	for i, s := range report.Shards {
		p.Arcs = append(p.Arcs, arc{
			ReportShard: s,
			Outer:       colorClass(report, s.Holder), Inner: colorClass(report, s.Desired),
			Held: arcPath(i, len(report.Shards), 132, 184), Wanted: arcPath(i, len(report.Shards), 118, 128),
			Title: s.title(), Here: place != nil && place.Shard == int(s.ID),
		})
	}
	return p
}

func percent(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return math.Round(1000*min(1, part/whole)) / 10
}

// colorClass of a member: by its place in the sorted list, so that all replicas paint
// it alike.
func colorClass(report Report, member string) string {
	at := slices.IndexFunc(report.Ring.Members, func(m ReportMember) bool { return m.Name == member })
	switch {
	case member == "":
		return "nobody"
	case at < 0:
		return "stranger"
	default:
		return fmt.Sprintf("c%d", at%colors)
	}
}

func (s ReportShard) title() string {
	text := fmt.Sprintf("shard %d: %s", s.ID, orNobody(s.Holder))
	if s.Holder == "" {
		text = fmt.Sprintf("shard %d: nobody for %.0f s", s.ID, s.UnownedSeconds)
	}
	if s.Holder != s.Desired {
		text += ", belongs to " + orNobody(s.Desired)
	}
	return fmt.Sprintf("%s; epoch %d (%s); %d namespaces in %d trees", text, s.Epoch, s.LastTransition, s.Namespaces, s.Roots)
}

// notes are the sentences about what is not as it should be. The script of the page
// makes the same ones.
func notes(report Report) []string {
	var all []string
	if n := report.Summary.Unowned; n > 0 {
		all = append(all, fmt.Sprintf("%d of %d shards have no owner, the longest for %.0f s", n, len(report.Shards), report.Summary.OldestUnownedSeconds))
	}
	if n := report.Summary.Misplaced; n > 0 {
		all = append(all, fmt.Sprintf("%d shards are not where the ring wants them", n))
	}
	for _, m := range report.Ring.Members {
		if m.ShunnedSeconds > 0 {
			all = append(all, m.shunned())
		}
	}
	if !report.Ring.Agreement {
		all = append(all, "the members do not agree on the ring")
	}
	if report.Self.LeaseRemainingSeconds <= 0 {
		all = append(all, report.Self.Member+" has not renewed its lease and does not write")
	}
	return all
}

// arcPath draws piece i of n between two radii, clockwise from the top. The gap between
// pieces narrows as they do.
func arcPath(i, n int, inner, outer float64) string {
	piece := 2 * math.Pi / float64(n)
	gap := min(0.012, piece/6)
	from, to := float64(i)*piece+gap/2, float64(i+1)*piece-gap/2
	large := 0
	if to-from > math.Pi {
		large = 1
	}
	at := func(radius, angle float64) string {
		return fmt.Sprintf("%.2f %.2f", radius*math.Sin(angle), -radius*math.Cos(angle))
	}
	return fmt.Sprintf("M%s A%g %g 0 %d 1 %s L%s A%g %g 0 %d 0 %s Z",
		at(outer, from), outer, outer, large, at(outer, to), at(inner, to), inner, inner, large, at(inner, from))
}
