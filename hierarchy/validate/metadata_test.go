// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

func TestMetadata(t *testing.T) {
	pair := func(key, value string) []api.MetaKVP { return []api.MetaKVP{{Key: key, Value: value}} }
	tests := map[string]struct {
		labels, annotations []api.MetaKVP
		want                metav1.StatusReason
		fields              []string
	}{
		"nothing":                    {},
		"a managed label":            {labels: pair("env", "dev")},
		"a managed annotation":       {annotations: pair("env", "dev")},
		"a label with a prefix":      {labels: pair("example.com/env", "dev")},
		"an annotation with one":     {annotations: pair("example.com/env", "dev")},
		"an empty value":             {labels: pair("env", "")},
		"any value of an annotation": {annotations: pair("env", "-any: {value}\n")},
		"a label of ours":            {labels: pair("hnc.x-k8s.io/env", "dev"), want: invalid, fields: []string{"spec.labels"}},
		"an annotation of ours":      {annotations: pair("hnc.x-k8s.io/env", "dev"), want: invalid, fields: []string{"spec.annotations"}},
		"a tree label":               {labels: pair("a.tree.hnc.x-k8s.io/depth", "1"), want: invalid, fields: []string{"spec.labels"}},
		"a key that is not managed":  {labels: pair("home", "v"), want: invalid, fields: []string{"spec.labels"}},
		"an empty key":               {labels: pair("", "v"), want: invalid, fields: []string{"spec.labels"}},
		"all faults at once": {labels: append(pair("home", "v"), pair("house", "v")...), annotations: pair("", "v"), want: invalid,
			fields: []string{"spec.labels", "spec.labels", "spec.annotations"}},
		"a bad value is for a policy to judge": {labels: pair("env", "-foo")},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := validate.Metadata(scope(t), tc.labels, tc.annotations)
			requireVerdict(t, got, tc.want)
			var fields []string
			for _, cause := range got.Causes {
				fields = append(fields, cause.Field)
				require.Contains(t, got.Message, cause.Message)
			}
			require.Equal(t, tc.fields, fields)
		})
	}
}
