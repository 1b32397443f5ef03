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
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.MetricsURL(replica)+"/metrics", http.NoBody)
	if err != nil {
		return 0, err
	}
	response, err := statusClient.Do(request)
	if err != nil {
		return 0, fmt.Errorf("asking %s for its metrics: %w", replica, err)
	}
	defer func() { _ = response.Body.Close() }()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		return 0, fmt.Errorf("reading the metrics of %s: %w", replica, err)
	}
	family, found := families[name]
	if !found {
		return 0, fmt.Errorf("reading the metrics of %s: there is no %s", replica, name)
	}
	sum := 0.0
	for _, metric := range family.GetMetric() {
		sum += metric.GetGauge().GetValue() + metric.GetCounter().GetValue() + metric.GetUntyped().GetValue()
	}
	return sum, nil
}
