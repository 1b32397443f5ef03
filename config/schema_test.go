// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package config_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/banyan-hns/banyan/config"
)

// field is what the schema says of one JSON path; "[]" stands for the items of
// a list, "{}" for the values of a map.
type field struct {
	kind     string
	required bool
	enum     string
}

// fields of every object.
func withObject(fields map[string]field) map[string]field {
	fields["apiVersion"] = field{kind: "string"}
	fields["kind"] = field{kind: "string"}
	fields["metadata"] = field{kind: "object"}
	fields["spec"] = field{kind: "object"}
	fields["status"] = field{kind: "object"}
	return fields
}

// withPairs adds a list of MetaKVP.
func withPairs(fields map[string]field, path string) map[string]field {
	fields[path] = field{kind: "array"}
	fields[path+"[]"] = field{kind: "object"}
	fields[path+"[].key"] = field{kind: "string", required: true}
	fields[path+"[].value"] = field{kind: "string", required: true}
	return fields
}

// withConditions adds a list of metav1.Condition.
func withConditions(fields map[string]field) map[string]field {
	const item = "status.conditions[]"
	fields["status.conditions"] = field{kind: "array"}
	fields[item] = field{kind: "object"}
	fields[item+".type"] = field{kind: "string", required: true}
	fields[item+".status"] = field{kind: "string", required: true, enum: `"True" "False" "Unknown"`}
	fields[item+".reason"] = field{kind: "string", required: true}
	fields[item+".message"] = field{kind: "string", required: true}
	fields[item+".lastTransitionTime"] = field{kind: "string", required: true}
	fields[item+".observedGeneration"] = field{kind: "integer"}
	return fields
}

// TestCRDs pins the four kinds to what clients of HNC know: names, scope, and
// every field with its type. A field more is as much a break as a field less.
func TestCRDs(t *testing.T) {
	const quantity = "int-or-string"
	for name, tc := range map[string]struct {
		wantNames   apiextensionsv1.CustomResourceDefinitionNames
		wantScope   apiextensionsv1.ResourceScope
		wantColumns []string
		wantRule    string
		wantFields  map[string]field
	}{
		"hierarchyconfigurations.hnc.x-k8s.io": {
			wantNames: apiextensionsv1.CustomResourceDefinitionNames{
				Kind: "HierarchyConfiguration", ListKind: "HierarchyConfigurationList",
				Plural: "hierarchyconfigurations", Singular: "hierarchyconfiguration",
			},
			wantScope: apiextensionsv1.NamespaceScoped,
			wantRule:  "self.metadata.name == 'hierarchy'",
			wantFields: withConditions(withPairs(withPairs(withObject(map[string]field{
				"spec.parent":                 {kind: "string"},
				"spec.allowCascadingDeletion": {kind: "boolean"},
				"status.children":             {kind: "array"},
				"status.children[]":           {kind: "string"},
			}), "spec.labels"), "spec.annotations")),
		},
		"subnamespaceanchors.hnc.x-k8s.io": {
			wantNames: apiextensionsv1.CustomResourceDefinitionNames{
				Kind: "SubnamespaceAnchor", ListKind: "SubnamespaceAnchorList",
				Plural: "subnamespaceanchors", Singular: "subnamespaceanchor", ShortNames: []string{"subns"},
			},
			wantScope: apiextensionsv1.NamespaceScoped,
			// Banyan adds the conditions; HNC has none here.
			wantFields: withConditions(withPairs(withPairs(withObject(map[string]field{
				"status.status": {kind: "string"},
			}), "spec.labels"), "spec.annotations")),
		},
		"hncconfigurations.hnc.x-k8s.io": {
			wantNames: apiextensionsv1.CustomResourceDefinitionNames{
				Kind: "HNCConfiguration", ListKind: "HNCConfigurationList",
				Plural: "hncconfigurations", Singular: "hncconfiguration",
			},
			wantScope: apiextensionsv1.ClusterScoped,
			wantRule:  "self.metadata.name == 'config'",
			wantFields: withConditions(withObject(map[string]field{
				"spec.resources":            {kind: "array"},
				"spec.resources[]":          {kind: "object"},
				"spec.resources[].group":    {kind: "string"},
				"spec.resources[].resource": {kind: "string", required: true},
				"spec.resources[].mode": {
					kind: "string", enum: `"Propagate" "Ignore" "Remove" "AllowPropagate"`,
				},
				"status.resources":                        {kind: "array"},
				"status.resources[]":                      {kind: "object"},
				"status.resources[].group":                {kind: "string", required: true},
				"status.resources[].version":              {kind: "string", required: true},
				"status.resources[].resource":             {kind: "string", required: true},
				"status.resources[].mode":                 {kind: "string"},
				"status.resources[].numPropagatedObjects": {kind: "integer"},
				"status.resources[].numSourceObjects":     {kind: "integer"},
			})),
		},
		"hierarchicalresourcequotas.hnc.x-k8s.io": {
			wantNames: apiextensionsv1.CustomResourceDefinitionNames{
				Kind: "HierarchicalResourceQuota", ListKind: "HierarchicalResourceQuotaList",
				Plural: "hierarchicalresourcequotas", Singular: "hierarchicalresourcequota", ShortNames: []string{"hrq"},
			},
			wantScope:   apiextensionsv1.NamespaceScoped,
			wantColumns: []string{"Request .status.requestsSummary", "Limit .status.limitsSummary"},
			wantFields: withObject(map[string]field{
				"spec.hard":              {kind: "object"},
				"spec.hard{}":            {kind: quantity},
				"status.hard":            {kind: "object"},
				"status.hard{}":          {kind: quantity},
				"status.used":            {kind: "object"},
				"status.used{}":          {kind: quantity},
				"status.requestsSummary": {kind: "string"},
				"status.limitsSummary":   {kind: "string"},
			}),
		},
	} {
		t.Run(name, func(t *testing.T) {
			crd := crdNamed(t, name)
			require.Equal(t, "hnc.x-k8s.io", crd.Spec.Group)
			require.Equal(t, tc.wantNames, crd.Spec.Names)
			require.Equal(t, tc.wantScope, crd.Spec.Scope)
			require.Nil(t, crd.Spec.Conversion)
			require.Len(t, crd.Spec.Versions, 1)
			version := crd.Spec.Versions[0]
			require.Equal(t, "v1alpha2", version.Name)
			require.True(t, version.Served)
			require.True(t, version.Storage)
			require.True(t, version.Subresources == nil || *version.Subresources == apiextensionsv1.CustomResourceSubresources{},
				"status is an ordinary part of all four kinds")

			var columns []string
			for _, column := range version.AdditionalPrinterColumns {
				columns = append(columns, column.Name+" "+column.JSONPath)
			}
			require.Equal(t, tc.wantColumns, columns)

			schema := version.Schema.OpenAPIV3Schema
			require.Equal(t, tc.wantRule, singletonRule(schema))
			got := map[string]field{}
			collect(got, "", schema)
			if diff := cmp.Diff(tc.wantFields, got, cmp.AllowUnexported(field{})); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCRDsAreFour(t *testing.T) {
	crds, err := config.CRDs()
	require.NoError(t, err)
	require.Len(t, crds, 4)
}

func crdNamed(t *testing.T, name string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crds, err := config.CRDs()
	require.NoError(t, err)
	i := slices.IndexFunc(crds, func(crd *apiextensionsv1.CustomResourceDefinition) bool { return crd.Name == name })
	require.GreaterOrEqual(t, i, 0, "no such CRD")
	return crds[i]
}

// singletonRule is the rule that allows one name only, or nothing.
func singletonRule(schema *apiextensionsv1.JSONSchemaProps) string {
	if len(schema.XValidations) == 0 {
		return ""
	}
	return schema.XValidations[0].Rule
}

// collect walks the schema below path and notes every field that it meets.
func collect(into map[string]field, path string, schema *apiextensionsv1.JSONSchemaProps) {
	for name, property := range schema.Properties {
		child := name
		if path != "" {
			child = path + "." + name
		}
		into[child] = describe(&property, slices.Contains(schema.Required, name))
		collect(into, child, &property)
	}
	if schema.Items != nil {
		into[path+"[]"] = describe(schema.Items.Schema, false)
		collect(into, path+"[]", schema.Items.Schema)
	}
	if schema.AdditionalProperties != nil {
		into[path+"{}"] = describe(schema.AdditionalProperties.Schema, false)
		collect(into, path+"{}", schema.AdditionalProperties.Schema)
	}
}

func describe(schema *apiextensionsv1.JSONSchemaProps, required bool) field {
	f := field{kind: schema.Type, required: required}
	if schema.XIntOrString {
		f.kind = "int-or-string"
	}
	for i, value := range schema.Enum {
		if i > 0 {
			f.enum += " "
		}
		f.enum += string(value.Raw)
	}
	return f
}
