// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// writeKubeconfig names a server that nobody reaches, and a namespace if it is given.
func writeKubeconfig(t *testing.T, namespace string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text := `{"apiVersion": "v1", "kind": "Config", "current-context": "c",
		"clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],
		"contexts": [{"name": "c", "context": {"cluster": "c", "user": "u", "namespace": "` + namespace + `"}}],
		"users": [{"name": "u", "user": {}}]}`
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func kubeconfigFrom(t *testing.T, namespace string, args ...string) *kubeconfig {
	t.Helper()
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	k := newKubeconfig(flags, t.Output())
	require.NoError(t, flags.Parse(append(args, "--kubeconfig", writeKubeconfig(t, namespace))))
	return k
}

func TestNamespace(t *testing.T) {
	for name, tc := range map[string]struct {
		inFile  string
		args    []string
		want    string
		wantErr string
	}{
		"the namespace of the kubeconfig is the default": {inFile: "acme", want: "acme"},
		"a kubeconfig without a namespace means default": {want: "default"},
		"the flag wins":         {inFile: "acme", args: []string{"-n", "shop"}, want: "shop"},
		"an empty flag is none": {inFile: "acme", args: []string{"-n", ""}, wantErr: "--namespace is empty; name a namespace, or leave the flag out"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := kubeconfigFrom(t, tc.inFile, tc.args...).Namespace()
			if tc.wantErr != "" {
				require.EqualError(t, err, tc.wantErr)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, got)
		})
	}
}

func TestTimeout(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want time.Duration
	}{
		"a call takes five seconds at most":       {want: 5 * time.Second},
		"unless the user is more patient":         {args: []string{"--request-timeout", "1m"}, want: time.Minute},
		"or has all the time that there could be": {args: []string{"--request-timeout", "0"}, want: 0},
	} {
		t.Run(name, func(t *testing.T) {
			config, err := kubeconfigFrom(t, "", tc.args...).restConfig()
			require.NoError(t, err)
			require.Equal(t, tc.want, config.Timeout)
		})
	}
}
