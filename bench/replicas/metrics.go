// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package replicas

import (
	"context"
	"fmt"
	"net/http"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Metric reads the sum of one gauge or counter from a replica.
func (s *Set) Metric(ctx context.Context, replica, name string) (float64, error) {
	values, err := s.Metrics(ctx, replica, name)
	return values[name], err
}

// Metrics reads the sums of several, as they were at one moment.
func (s *Set) Metrics(ctx context.Context, replica string, names ...string) (map[string]float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.MetricsURL(replica)+"/metrics", http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := statusClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("asking %s for its metrics: %w", replica, err)
	}
	defer func() { _ = response.Body.Close() }()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		return nil, fmt.Errorf("reading the metrics of %s: %w", replica, err)
	}
	values := map[string]float64{}
	for _, name := range names {
		family, found := families[name]
		if !found {
			return nil, fmt.Errorf("reading the metrics of %s: there is no %s", replica, name)
		}
		for _, metric := range family.GetMetric() {
			values[name] += metric.GetGauge().GetValue() + metric.GetCounter().GetValue() + metric.GetUntyped().GetValue()
		}
	}
	return values, nil
}
