// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/hierarchy/propagate"
)

// TestDefaultTracking: no copy has a key of the list, as a label or as an
// annotation; and none is a difference.
func TestDefaultTracking(t *testing.T) {
	list := propagate.DefaultTracking()
	require.Contains(t, list, "argocd.argoproj.io/")
	plain := propagate.Hash(propagate.Copy(source("a", "1").u, "b", propagate.Options{}))
	for _, pattern := range list {
		key := pattern
		if strings.HasSuffix(pattern, "/") {
			key = strings.TrimPrefix(pattern, ".") + "key"
		}
		if strings.HasPrefix(pattern, ".") {
			key = "sub." + key
		}
		tracked := source("a", "1").label(key, "x")
		tracked.u.SetAnnotations(map[string]string{key: "x"})
		got := propagate.Copy(tracked.u, "b", propagate.Options{})
		require.NotContains(t, got.GetLabels(), key)
		require.NotContains(t, got.GetAnnotations(), key)

		got.SetAnnotations(map[string]string{key: "x"})
		require.Equal(t, plain, propagate.Hash(got), key)
	}
	list[0] = "changed"
	require.NotContains(t, propagate.DefaultTracking(), "changed", "the list is the caller's")
}

// TestUnpropagated: the three forms of a key, for labels and for annotations.
func TestUnpropagated(t *testing.T) {
	tests := map[string]struct{ pattern, key string }{
		"a key":                      {"example.com/a", "example.com/a"},
		"a key without a domain":     {"plain", "plain"},
		"all keys of a domain":       {"example.com/", "example.com/a"},
		"all keys of its subdomains": {".example.com/", "x.example.com/a"},
		"and of those below these":   {".example.com/", "y.x.example.com/a"},
	}
	others := map[string]struct{ pattern, key string }{
		"another key":                         {"example.com/a", "example.com/ab"},
		"a domain that begins alike":          {"example.com/", "example.com.org/a"},
		"a domain that ends alike":            {"example.com/", "myexample.com/a"},
		"a subdomain":                         {"example.com/", "x.example.com/a"},
		"the domain itself":                   {".example.com/", "example.com/a"},
		"a look-alike of a subdomain":         {".example.com/", "xexample.com/a"},
		"a key that is spelled like a domain": {"example.com/", "example.com"},
		"nor like a subdomain":                {".example.com/", "x.example.com"},
		"no pattern":                          {"", "plain"},
	}
	check := func(pattern, key string, want bool) {
		o := source("a", "1").label(key, "x")
		o.u.SetAnnotations(map[string]string{key: "x"})
		withoutLabel := propagate.Copy(o.u, "b", propagate.Options{UnpropagatedLabels: []string{"other", pattern}})
		withoutAnnotation := propagate.Copy(o.u, "b", propagate.Options{UnpropagatedAnnotations: []string{"other", pattern}})
		require.Equal(t, []bool{want, false, false, want}, []bool{
			withoutLabel.GetLabels()[key] == "", withoutLabel.GetAnnotations()[key] == "",
			withoutAnnotation.GetLabels()[key] == "", withoutAnnotation.GetAnnotations()[key] == "",
		})
	}
	for name, tc := range tests {
		t.Run(name, func(*testing.T) { check(tc.pattern, tc.key, true) })
	}
	for name, tc := range others {
		t.Run("not "+name, func(*testing.T) { check(tc.pattern, tc.key, false) })
	}
}
