// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/cel/environment"
)

// TestOldestAPIServer compiles all expressions with the libraries of Kubernetes
// 1.29: an API server of 1.30, the first that has these policies without further
// ado, lets new expressions use no more than that.
func TestOldestAPIServer(t *testing.T) {
	found := 0
	for _, object := range kustomize(t, "nowebhooks") {
		if object.GetKind() != "ValidatingAdmissionPolicy" {
			continue
		}
		found++
		policy := &admissionregistrationv1.ValidatingAdmissionPolicy{}
		require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, policy))
		for _, fault := range compile(t, policy, version.MajorMinor(1, 29)) {
			t.Errorf("%s: %s", policy.Name, fault)
		}
	}
	require.Equal(t, len(rows), found)
}

// TestTooOldAPIServer is the negative control: optional fields came with 1.28.
func TestTooOldAPIServer(t *testing.T) {
	policy := find[admissionregistrationv1.ValidatingAdmissionPolicy](t, "ValidatingAdmissionPolicy", "banyan-copies")
	require.NotEmpty(t, compile(t, policy, version.MajorMinor(1, 27)))
}

// compile returns what the libraries of a version cannot make of a policy.
func compile(t *testing.T, policy *admissionregistrationv1.ValidatingAdmissionPolicy, v *version.Version) []string {
	t.Helper()
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(v))
	require.NoError(t, err)
	options := cel.OptionalVariableDeclarations{HasParams: policy.Spec.ParamKind != nil, HasAuthorizer: true}
	messages := options
	messages.HasAuthorizer = false

	var faults []string
	check := func(result cel.CompilationResult) {
		if result.Error != nil {
			faults = append(faults, result.Error.Error())
		}
	}
	for _, c := range policy.Spec.MatchConditions {
		check(compiler.CompileCELExpression((*matchconditions.MatchCondition)(&c), options, environment.NewExpressions))
	}
	for _, variable := range policy.Spec.Variables {
		check(compiler.CompileAndStoreVariable(&validating.Variable{Name: variable.Name, Expression: variable.Expression}, options, environment.NewExpressions))
	}
	for _, validation := range policy.Spec.Validations {
		check(compiler.CompileCELExpression(&validating.ValidationCondition{Expression: validation.Expression}, options, environment.NewExpressions))
		if message := validation.MessageExpression; message != "" {
			check(compiler.CompileCELExpression(&validating.MessageExpressionCondition{MessageExpression: message}, messages, environment.NewExpressions))
		}
	}
	return faults
}
