// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/banyan-hns/banyan/shard"
)

// Place is where one namespace belongs. It is what /shards?root=NAMESPACE answers.
type Place struct {
	Namespace string `json:"namespace"`
	Exists    bool   `json:"exists"` // else Key is what it would be without a parent
	Key       string `json:"key"`
	Shard     int    `json:"shard"`
	Holder    string `json:"holder"`
	Desired   string `json:"desired"`
	State     string `json:"state"` // at the replica that answers
	Epoch     int64  `json:"epoch"`
}

// report says how things stand now.
func (m *Member) report() Report {
	report := NewReport(m.Status())
	report.Self.LeaseSeconds = m.opts.Config.LeaseDuration.Seconds()
	report.fill(m.census())
	return report
}

// place finds one namespace in a report.
func (m *Member) place(report Report, namespace string) Place {
	key, exists := namespace, false
	if m.opts.Content != nil {
		key, exists = m.opts.Content.Key(namespace)
	}
	s := report.Shards[shard.Of(key, len(report.Shards))]
	return Place{
		Namespace: namespace, Exists: exists, Key: key, Shard: int(s.ID),
		Holder: s.Holder, Desired: s.Desired, State: s.State, Epoch: s.Epoch,
	}
}

// ServeHTTP answers /shards: JSON for programs, text for people with ?format=text, a
// page for browsers. With ?root=NAMESPACE it answers for that namespace.
func (m *Member) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method: only GET and HEAD are known; nothing can be changed here", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Vary", "Accept")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	report := m.report()
	var place *Place
	if root := strings.TrimSpace(r.URL.Query().Get("root")); root != "" {
		found := m.place(report, root)
		place = &found
	}
	var err error
	switch format := formatOf(r); format {
	case "html":
		err = writePage(w, report, place)
	case "text":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if place != nil {
			_, err = fmt.Fprintf(w, "%s: key %s, shard %d, held by %s, belongs to %s\n",
				place.Namespace, place.Key, place.Shard, orNobody(place.Holder), orNobody(place.Desired))
			break
		}
		report.WriteText(w)
	case "json":
		if place != nil {
			err = writeJSON(w, place)
			break
		}
		err = writeJSON(w, report)
	default:
		http.Error(w, fmt.Sprintf("format: %q is not known; use json, text or html", format), http.StatusBadRequest)
	}
	if err != nil {
		m.opts.Log.V(1).Info("a reader of /shards went away", "error", err.Error())
	}
}

// formatOf a request: what it says, else a page for who asks for pages, else JSON.
func formatOf(r *http.Request) string {
	switch format := r.URL.Query().Get("format"); {
	case format != "":
		return format
	case strings.Contains(r.Header.Get("Accept"), "text/html"):
		return "html"
	default:
		return "json"
	}
}

func writeJSON(w http.ResponseWriter, value any) error {
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

func orNobody(member string) string {
	if member == "" {
		return "nobody"
	}
	return member
}
