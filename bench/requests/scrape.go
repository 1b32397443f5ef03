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

// The API server's own metrics.
const (
	// answered counts the requests that it answered.
	answered = "apiserver_request_total"
	// running counts those that are still under way and take long, such as watches.
	running = "apiserver_longrunning_requests"
)

// Scrape asks an API server for its counts since it started.
func Scrape(ctx context.Context, server rest.Interface) (Counts, error) {
	body, err := ask(ctx, server)
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	return Read(body)
}

// Watches asks an API server how many watches of a resource it serves now.
func Watches(ctx context.Context, server rest.Interface, resource string) (int, error) {
	body, err := ask(ctx, server)
	if err != nil {
		return 0, err
	}
	defer func() { _ = body.Close() }()
	samples, err := read(body, running)
	if err != nil {
		return 0, err
	}
	watches := 0
	for _, s := range samples {
		if s.labels["verb"] == "WATCH" && s.labels["resource"] == resource {
			watches += s.value
		}
	}
	return watches, nil
}

func ask(ctx context.Context, server rest.Interface) (io.ReadCloser, error) {
	body, err := server.Get().AbsPath("/metrics").Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking the API server for its metrics: %w", err)
	}
	return body, nil
}

// Read reads the counts of writes from metrics in the text format. Requests that
// store nothing by their nature, dry runs, are left out.
func Read(metrics io.Reader) (Counts, error) {
	samples, err := read(metrics, answered)
	if err != nil {
		return nil, err
	}
	counts := Counts{}
	for _, s := range samples {
		if kind, write := kindOf(s.labels); write {
			counts[kind] += s.value
		}
	}
	return counts, nil
}

// sample of a metric.
type sample struct {
	labels map[string]string
	value  int
}

// read all samples of one metric.
func read(metrics io.Reader, name string) ([]sample, error) {
	lines, err := only(metrics, name)
	if err != nil {
		return nil, fmt.Errorf("reading the metrics: %w", err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(lines)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	family, found := families[name]
	if !found {
		return nil, fmt.Errorf("reading the metrics: there is no %s", name)
	}
	var samples []sample
	for _, m := range family.GetMetric() {
		s := sample{labels: map[string]string{}, value: int(m.GetUntyped().GetValue() + m.GetCounter().GetValue())}
		for _, pair := range m.GetLabel() {
			s.labels[pair.GetName()] = pair.GetValue()
		}
		samples = append(samples, s)
	}
	return samples, nil
}

// only the lines of the one metric: an API server has megabytes of others, and to
// parse them would take more time than what is measured. Their type is lost, too.
func only(metrics io.Reader, name string) (io.Reader, error) {
	var lines bytes.Buffer
	scan := bufio.NewScanner(metrics)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		if bytes.HasPrefix(scan.Bytes(), []byte(name+"{")) {
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
