// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// outcome is what a user sees of one command.
type outcome struct {
	out, err string
	code     int
}

func hns(ctx context.Context, args ...string) outcome {
	var out, err bytes.Buffer
	code := run(ctx, args, genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &err})
	return outcome{out: out.String(), err: err.String(), code: code}
}

// TestWithoutCluster has the answers that need no API server: that of the
// kubeconfig would refuse the connection, and the message would say so.
func TestWithoutCluster(t *testing.T) {
	kubeconfig := writeKubeconfig(t, "acme")
	for name, tc := range map[string]struct {
		args     []string
		want     string
		wantCode int
	}{
		"version":                        {args: []string{"version"}, want: "kubectl-hns version (UNKNOWN)\n"},
		"version as a flag":              {args: []string{"--version"}, want: "kubectl-hns version (UNKNOWN)\n"},
		"tree without roots":             {args: []string{"tree"}, want: "Error: must specify the roots of the trees, or --all-namespaces\n", wantCode: 1},
		"create in no namespace":         {args: []string{"create", "x", "-n", ""}, want: "Error: --namespace is empty; name a namespace, or leave the flag out\n", wantCode: 1},
		"set to root and parent":         {args: []string{"set", "x", "-r", "-p", "y"}, want: "Error: --root and --parent exclude each other; give one of them\n", wantCode: 1},
		"set to parent and not root":     {args: []string{"set", "x", "--root=false", "-p", "y"}, want: "Error: --root and --parent exclude each other; give one of them\n", wantCode: 1},
		"set to allow and forbid":        {args: []string{"set", "x", "-a", "-f"}, want: "Error: --allowCascadingDeletion and --forbidCascadingDeletion exclude each other; give one of them\n", wantCode: 1},
		"shards in a format of no place": {args: []string{"shards", "-o", "yaml"}, want: "Error: --output is \"yaml\"; set it to json, or leave it out for text\n", wantCode: 1},
	} {
		t.Run(name, func(t *testing.T) {
			got := hns(t.Context(), append(tc.args, "--kubeconfig", kubeconfig)...)
			require.Equal(t, outcome{out: tc.want, code: tc.wantCode}, got)
		})
	}
}

func TestWrongArguments(t *testing.T) {
	for name, tc := range map[string]struct {
		args    []string
		wantErr string
	}{
		"describe of nothing":      {args: []string{"describe"}, wantErr: "Error: accepts 1 arg(s), received 0\n"},
		"describe of two":          {args: []string{"describe", "a", "b"}, wantErr: "Error: accepts 1 arg(s), received 2\n"},
		"create of nothing":        {args: []string{"create"}, wantErr: "Error: accepts 1 arg(s), received 0\n"},
		"set of nothing":           {args: []string{"set"}, wantErr: "Error: accepts 1 arg(s), received 0\n"},
		"shards of two namespaces": {args: []string{"shards", "a", "b"}, wantErr: "Error: accepts at most 1 arg(s), received 2\n"},
		"a flag that is not there": {args: []string{"tree", "--nonsense"}, wantErr: "Error: unknown flag: --nonsense\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := hns(t.Context(), tc.args...)
			require.Equal(t, 1, got.code)
			require.Equal(t, tc.wantErr, got.err, "cobra says it once")
			require.True(t, strings.HasSuffix(got.out, tc.wantErr), "and it is said again at the end of:\n%s", got.out)
			require.Contains(t, got.out, "Usage:\n  kubectl hns "+tc.args[0])
		})
	}
}

func TestUnreachableCluster(t *testing.T) {
	got := hns(t.Context(), "tree", "acme", "--kubeconfig", writeKubeconfig(t, ""))
	require.Equal(t, 1, got.code)
	require.Empty(t, got.err)
	require.Contains(t, got.out, "127.0.0.1:1: connect: connection refused")
	require.NotContains(t, got.out, "Usage:")
}
