// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package requests

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/client-go/rest"
)

// metric is the API server's own count of the requests that it answered.
const metric = "apiserver_request_total"

// Scrape asks an API server for its counts since it started.
func Scrape(ctx context.Context, server rest.Interface) (Counts, error) {
	body, err := server.Get().AbsPath("/metrics").Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking the API server for its metrics: %w", err)
	}
	defer func() { _ = body.Close() }()
	return Read(body)
}

// Read reads the counts of writes from metrics in the text format. Requests that
// store nothing by their nature, dry runs, are left out.
func Read(metrics io.Reader) (Counts, error) {
	lines, err := only(metrics)
	if err != nil {
		return nil, fmt.Errorf("reading the metrics: %w", err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(lines)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", metric, err)
	}
	family, found := families[metric]
	if !found {
		return nil, fmt.Errorf("reading the metrics: there is no %s", metric)
	}
	counts := Counts{}
	for _, m := range family.GetMetric() {
		labels := map[string]string{}
		for _, pair := range m.GetLabel() {
			labels[pair.GetName()] = pair.GetValue()
		}
		if kind, write := kindOf(labels); write {
			counts[kind] += int(m.GetUntyped().GetValue() + m.GetCounter().GetValue())
		}
	}
	return counts, nil
}

// only the lines of the one metric: an API server has megabytes of others, and to
// parse them would take more time than what is measured.
func only(metrics io.Reader) (io.Reader, error) {
	var lines bytes.Buffer
	scan := bufio.NewScanner(metrics)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		if bytes.HasPrefix(scan.Bytes(), []byte(metric+"{")) {
			lines.Write(scan.Bytes())
			lines.WriteByte('\n')
		}
	}
	return &lines, scan.Err()
}

func kindOf(labels map[string]string) (Kind, bool) {
	if !slices.Contains(Verbs, labels["verb"]) || labels["dry_run"] != "" {
		return Kind{}, false
	}
	resource := labels["resource"]
	if labels["subresource"] != "" {
		resource += "/" + labels["subresource"]
	}
	success := len(labels["code"]) == 3 && labels["code"][0] == '2'
	return Kind{Verb: labels["verb"], Resource: resource, Refused: !success}, true
}
