// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package config_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// ruleFile is what Prometheus reads.
type ruleFile struct {
	Groups []struct {
		Name  string `json:"name"`
		Rules []struct {
			Alert       string            `json:"alert"`
			Expr        string            `json:"expr"`
			For         string            `json:"for"`
			Labels      map[string]string `json:"labels"`
			Annotations map[string]string `json:"annotations"`
		} `json:"rules"`
	} `json:"groups"`
}

// read decodes a file, and refuses what it does not know.
func read(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, yaml.UnmarshalStrict(data, into), file)
}

// TestAlerts lets Prometheus' own tool judge the rules, by tests of their own.
func TestAlerts(t *testing.T) {
	binary, err := filepath.Abs("../bin/tools/promtool")
	require.NoError(t, err)
	require.FileExists(t, binary, "make bin/tools/promtool gets it")
	for _, args := range [][]string{{"check", "rules", "rules.yaml"}, {"test", "rules", "rules_test.yaml"}} {
		command := exec.CommandContext(t.Context(), binary, args...)
		command.Dir = "prometheus"
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "SUCCESS")
	}
}

// TestEachAlertIsTestedAndExplained: it fires in one test and is silent in one, and the
// runbook says what to do.
func TestEachAlertIsTestedAndExplained(t *testing.T) {
	var rules ruleFile
	read(t, "prometheus/rules.yaml", &rules)
	var tests struct {
		Tests []struct {
			Alerts []struct {
				Name string           `json:"alertname"`
				Want []map[string]any `json:"exp_alerts"`
			} `json:"alert_rule_test"`
		} `json:"tests"`
	}
	data, err := os.ReadFile("prometheus/rules_test.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, &tests))
	fires, silent := map[string]bool{}, map[string]bool{}
	for _, test := range tests.Tests {
		for _, a := range test.Alerts {
			fires[a.Name] = fires[a.Name] || len(a.Want) > 0
			silent[a.Name] = silent[a.Name] || len(a.Want) == 0
		}
	}
	runbook, err := os.ReadFile("../docs/runbook.md")
	require.NoError(t, err)
	require.Len(t, rules.Groups, 1)
	for _, rule := range rules.Groups[0].Rules {
		require.True(t, fires[rule.Alert], "no test lets %s fire", rule.Alert)
		require.True(t, silent[rule.Alert], "no test keeps %s silent", rule.Alert)
		require.Contains(t, string(runbook), "\n## "+rule.Alert+"\n")
		require.True(t, strings.HasSuffix(rule.Annotations["runbook_url"], "docs/runbook.md#"+strings.ToLower(rule.Alert)), rule.Alert)
		require.NotEmpty(t, rule.Annotations["summary"], rule.Alert)
		require.Contains(t, []string{"critical", "warning"}, rule.Labels["severity"], rule.Alert)
	}
	require.Equal(t, len(rules.Groups[0].Rules), strings.Count(string(runbook), "\n## Banyan"), "the runbook has no alerts that are gone")
}

// TestPrometheusComponent: what users of the operator get is what others get, and none of
// it is in the default.
func TestPrometheusComponent(t *testing.T) {
	dir, err := os.MkdirTemp(".", "component-") // kustomize takes only relative paths
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kustomization.yaml"),
		[]byte("kind: Kustomization\napiVersion: kustomize.config.k8s.io/v1beta1\ncomponents:\n- ../prometheus\n"), 0o600))
	byKind := map[string]*unstructured.Unstructured{}
	for _, object := range kustomize(t, dir) {
		require.Equal(t, "hnc-system", object.GetNamespace(), id(object))
		byKind[object.GetKind()] = object
	}
	require.Len(t, byKind, 3)

	var plain map[string]any
	read(t, "prometheus/rules.yaml", &plain)
	require.Equal(t, plain, byKind["PrometheusRule"].Object["spec"])

	dashboard, _, err := unstructured.NestedString(byKind["ConfigMap"].Object, "data", "banyan.json")
	require.NoError(t, err)
	require.True(t, json.Valid([]byte(dashboard)))
	require.Equal(t, "1", byKind["ConfigMap"].GetLabels()["grafana_dashboard"])

	// The monitor finds the pods and their port.
	labels, _, err := unstructured.NestedStringMap(byKind["PodMonitor"].Object, "spec", "selector", "matchLabels")
	require.NoError(t, err)
	for _, object := range kustomize(t, "default") {
		require.NotEqual(t, "monitoring.coreos.com", object.GroupVersionKind().Group, "it needs an operator that not everybody has")
		if object.GetKind() != "StatefulSet" {
			continue
		}
		pods, _, err := unstructured.NestedStringMap(object.Object, "spec", "template", "metadata", "labels")
		require.NoError(t, err)
		require.Subset(t, pods, labels)
		containers, _, err := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "containers")
		require.NoError(t, err)
		require.Contains(t, containers[0].(map[string]any)["ports"], map[string]any{"name": "metrics", "containerPort": int64(8080)})
	}
}
