// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/bench/system"
)

// awaited are metrics that alerts use already and no replica serves yet.
var awaited []string

// foreign are metrics of others, without which the alerts work too.
var foreign = []string{"kube_node_status_condition"}

// metricsAreAsDocumented compares what all replicas serve with the table in docs, and
// what alerts and dashboard ask for with what is served.
func (s *fixture) metricsAreAsDocumented() {
	s.Helper()
	served := map[string]string{}
	for _, name := range system.Names {
		maps.Copy(served, s.scrape(name))
	}
	ours := maps.Clone(served)
	maps.DeleteFunc(ours, func(name, _ string) bool { return !strings.HasPrefix(name, "banyan_") })
	require.Equal(s, documented(s), ours, "docs/metrics.md against what replicas serve")

	for _, name := range awaited {
		require.NotContains(s, served, name, "it is no longer awaited")
	}
	for _, file := range []string{"../../config/prometheus/rules.yaml", "../../config/prometheus/dashboard.json"} {
		asked := metricsIn(s, file)
		require.NotEmpty(s, asked, file)
		for _, name := range asked {
			if !slices.Contains(awaited, name) && !slices.Contains(foreign, name) {
				require.Contains(s, served, name, "%s asks for what nobody serves", file)
			}
		}
	}
}

// scrape one replica for the types of its metrics, by name.
func (s *fixture) scrape(replica string) map[string]string {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.Set.MetricsURL(replica)+"/metrics", http.NoBody)
	require.NoError(s, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(s, err)
	defer func() { _ = response.Body.Close() }()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(response.Body)
	require.NoError(s, err)
	types := map[string]string{}
	for name, family := range families {
		types[name] = strings.ToLower(family.GetType().String())
	}
	return types
}

var (
	tableRow   = regexp.MustCompile("(?m)^\\| `(banyan_[a-z_]+)` \\| (gauge|counter|histogram) \\|")
	metricName = regexp.MustCompile(`\b(?:banyan|controller_runtime|workqueue|kube|rest_client)_[a-z_]+\b`)
)

// documented are the metrics of the table, with their types.
func documented(t testing.TB) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/metrics.md")
	require.NoError(t, err)
	table := map[string]string{}
	for _, row := range tableRow.FindAllStringSubmatch(string(text), -1) {
		require.NotContains(t, table, row[1], "it is listed twice")
		table[row[1]] = row[2]
	}
	return table
}

// metricsIn are the metrics that the expressions of a file ask for, by the names of their
// families.
func metricsIn(t testing.TB, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var names []string
	for _, line := range strings.Split(string(text), "\n") {
		for _, name := range metricName.FindAllString(line, -1) {
			names = append(names, strings.TrimSuffix(name, "_bucket"))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
