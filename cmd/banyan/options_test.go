// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/hierarchy/propagate"
	"github.com/banyan-hns/banyan/shard"
)

func environment(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

var pod = environment(map[string]string{"POD_NAME": "banyan-1", "POD_UID": "uid", "POD_NAMESPACE": "tenancy-system"})

func TestOptionsAreCompletedFromThePod(t *testing.T) {
	o, err := parse(nil, pod)
	require.NoError(t, err)
	require.Equal(t, "banyan-1", o.member.Member)
	require.Equal(t, "uid", o.member.Instance)
	require.Equal(t, "tenancy-system", o.namespace)
	require.Equal(t, shard.DefaultShards, o.member.Shards)
	require.Equal(t, 2500*time.Millisecond, o.member.Guard)
	require.Equal(t, shard.Reserve, o.member.RestartPolicy)
	require.Empty(t, o.obsolete)

	o, err = parse([]string{"--replica-name=other-0", "--namespace=elsewhere", "--restart-policy=spare"}, pod)
	require.NoError(t, err)
	require.Equal(t, "other-0", o.member.Member)
	require.Equal(t, "elsewhere", o.namespace)
	require.Equal(t, shard.Spare, o.member.RestartPolicy)

	o, err = parse([]string{"--replica-name=a-0"}, environment(nil))
	require.NoError(t, err)
	require.Equal(t, "hnc-system", o.namespace, "the default outside of a pod")
}

// TestShippedArguments: what HNC's manifests pass is accepted, and means the same
// or is said to mean nothing.
func TestShippedArguments(t *testing.T) {
	o, err := parse([]string{
		"--webhook-server-port=9443", "--metrics-addr=:8080", "--max-reconciles=10", "--apiserver-qps-throttle=50",
		"--excluded-namespace=kube-system", "--excluded-namespace=kube-public",
		"--nopropagation-label=cattle.io/creator=norman",
		"--enable-internal-cert-management", "--cert-restart-on-secret-refresh", "--enable-leader-election=true",
	}, pod)
	require.NoError(t, err)
	require.Equal(t, 9443, o.webhookPort)
	require.Equal(t, []string{"kube-system", "kube-public"}, o.scope.ExcludedNamespaces)
	require.Equal(t, []propagate.Label{{Key: "cattle.io/creator", Value: "norman"}}, o.propagation.NoPropagationLabels)
	require.True(t, o.issueCerts)
	require.Len(t, o.obsolete, 2)
	for _, text := range o.obsolete {
		require.Contains(t, text, "has no effect")
	}
}

func TestOptionsNameEveryFault(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want []string
	}{
		"a number of shards that cannot be split": {args: []string{"--shards=100"}, want: []string{"shards", "power of two"}},
		"a lease shorter than its guard":          {args: []string{"--lease-duration=5s"}, want: []string{"lease-duration", "raise it"}},
		"a name pattern without a name":           {args: []string{"--nopropagation-name=Role/"}, want: []string{"nopropagation-name"}},
		"a selector that selects everything":      {args: []string{"--nopropagation-selector="}, want: []string{"nopropagation-selector"}},
		"a label without a value":                 {args: []string{"--nopropagation-label=x"}, want: []string{"nopropagation-label"}},
		"a certificate that outlives its signer":  {args: []string{"--webhook-authority-life=1h"}, want: []string{"webhook-cert-life", "webhook-authority-life"}},
		"a regex that does not compile":           {args: []string{"--included-namespace-regex=("}, want: []string{"included-namespace-regex"}},
		"a managed regex that takes our own keys": {args: []string{"--managed-namespace-label=.*"}, want: []string{"managed-namespace-label"}},
		"a namespace that is none":                {args: []string{"--namespace=No_Namespace"}, want: []string{"namespace"}},
		"a port that is none":                     {args: []string{"--webhook-server-port=0"}, want: []string{"webhook-server-port"}},
		"no workers":                              {args: []string{"--max-reconciles=0"}, want: []string{"max-reconciles"}},
		"a sweep that never ends":                 {args: []string{"--resync-rate=0"}, want: []string{"resync-rate"}},
		"a tree of less than nothing":             {args: []string{"--big-tree=-1"}, want: []string{"big-tree"}},
		"a flag that nobody knows":                {args: []string{"--frobnicate"}, want: []string{"frobnicate"}},
		"a restart policy that is none":           {args: []string{"--restart-policy=handover"}, want: []string{"restart-policy", "set it to reserve or spare"}},
		"many at once": {
			args: []string{"--shards=3", "--renew-period=0s", "--nopropagation-label==", "--resync-rate=-1"},
			want: []string{"shards", "renew-period", "nopropagation-label", "resync-rate"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse(tc.args, pod)
			require.Error(t, err)
			for _, want := range tc.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
	_, err := parse(nil, environment(nil))
	require.ErrorContains(t, err, "replica-name", "outside of a pod, somebody must name the replica")
}

func TestCutOrdinal(t *testing.T) {
	for pod, want := range map[string]struct {
		set     string
		ordinal int
		found   bool
	}{
		"banyan-0": {"banyan", 0, true}, "my-set-12": {"my-set", 12, true},
		"banyan": {}, "-1": {}, "banyan-x": {"banyan", 0, false}, "banyan-": {"banyan", 0, false},
	} {
		set, ordinal, found := cutOrdinal(pod)
		require.Equalf(t, want.found, found, pod)
		if found {
			require.Equal(t, want.set, set)
			require.Equal(t, want.ordinal, ordinal)
		}
	}
}

// TestEveryFlagSaysWhatItDoes, since --help is the first page of the manual.
func TestEveryFlagSaysWhatItDoes(t *testing.T) {
	usage := (&options{}).flags().FlagUsages()
	for _, flag := range []string{
		"--replica-name", "--shards", "--lease-duration", "--renew-period", "--write-timeout", "--resync-rate",
		"--settle", "--restart-grace", "--restart-policy", "--kubeconfig", "--namespace",
	} {
		require.Contains(t, usage, flag)
	}
	require.NotContains(t, strings.ToLower(usage), "leader", "obsolete flags are hidden")
}
