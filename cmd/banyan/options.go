// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/webhook/certificate"
)

// options are everything that can be set from outside. They are parsed,
// completed from the environment, and validated all at once.
type options struct {
	kubeconfig string
	namespace  string
	debug      bool

	healthAddress  string
	metricsAddress string
	webhookPort    int
	webhookHost    string
	webhookURL     string
	certDir        string
	certHosts      []string
	issueCerts     bool
	authorityLife  time.Duration
	certLife       time.Duration
	noWebhooks     bool

	workers    int
	qps        float32
	resyncRate int
	bigTree    int

	scope       hierarchy.ScopeOptions
	propagation propagate.Options
	exceptions  exceptions

	member shard.Config

	// obsolete flags of HNC that were set, each with what to know about it.
	obsolete []string
}

// obsoleteFlags are HNC's that a drop-in must accept, and that have no effect.
var obsoleteFlags = map[string]string{
	"enable-leader-election":         "every replica leads its own share of the trees",
	"leader-election-id":             "there is no leader election",
	"webhooks-only":                  "every replica answers admission and writes what it owns",
	"enable-stackdriver":             "metrics are served for Prometheus",
	"suppress-object-tags":           "metrics carry no tags of objects",
	"enable-test-log":                "use the metrics",
	"cert-restart-on-secret-refresh": "a new certificate is served without a restart",
	"enable-hrq":                     "hierarchical quotas are not served by this version",
	"hrq-sync-interval":              "hierarchical quotas are not served by this version",
}

// parse reads flags and environment.
func parse(args []string, getenv func(string) string) (*options, error) {
	o := &options{}
	flags := o.flags()
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	flags.Visit(func(f *pflag.Flag) {
		if why, found := obsoleteFlags[f.Name]; found {
			o.obsolete = append(o.obsolete, fmt.Sprintf("--%s has no effect: %s", f.Name, why))
		}
	})
	o.complete(getenv)
	return o, o.validate()
}

func (o *options) flags() *pflag.FlagSet {
	f := pflag.NewFlagSet("banyan", pflag.ContinueOnError)
	f.SortFlags = false

	f.StringVar(&o.kubeconfig, "kubeconfig", "", "path of a kubeconfig; empty: the one of the pod")
	f.StringVar(&o.namespace, "namespace", "", "namespace that Banyan runs in and keeps its Leases in (default $POD_NAMESPACE, else hnc-system)")
	f.BoolVar(&o.debug, "debug-logs", false, "log decisions, not only effects")

	f.StringVar(&o.healthAddress, "health-probe-bind-address", ":8081", "listener of /healthz and /readyz")
	f.StringVar(&o.metricsAddress, "metrics-addr", ":8080", "listener of /metrics and /shards")
	f.IntVar(&o.webhookPort, "webhook-server-port", 443, "port of the admission webhooks")
	f.StringVar(&o.webhookHost, "webhook-server-host", "", "address that the admission webhooks listen on; empty: all")
	f.StringVar(&o.webhookURL, "webhook-url", "", "URL at which the API server reaches the admission webhooks; empty: by the Service hnc-webhook-service")
	f.BoolVar(&o.issueCerts, "enable-internal-cert-management", true, "issue the certificate of the webhooks, and have the API server trust it; if not, somebody else must put both into Secret hnc-webhook-server-cert")
	f.DurationVar(&o.authorityLife, "webhook-authority-life", certificate.DefaultLives.Authority, "how long an issued authority is good for; its successor comes when a third is left")
	f.DurationVar(&o.certLife, "webhook-cert-life", certificate.DefaultLives.Certificate, "how long an issued certificate is good for; its successor comes when a third is left")
	f.StringArrayVar(&o.certHosts, "webhook-cert-host", nil, "name or address that the issued certificate is good for, besides those of the Service (repeatable)")
	f.StringVar(&o.certDir, "webhook-cert-dir", "", "directory with tls.crt, tls.key and ca.crt, which are served instead of the Secret and read again when they change; nothing is issued then")
	f.BoolVar(&o.noWebhooks, "no-webhooks", false, "do not serve admission")

	f.IntVar(&o.workers, "max-reconciles", 10, "namespaces, and copies, that are worked on at the same time")
	f.Float32Var(&o.qps, "apiserver-qps-throttle", 0, "requests a second, at the most, for reading and writing each; 0: leave it to the API server's own flow control")
	f.IntVar(&o.resyncRate, "resync-rate", 50, "namespaces a second that are read again after a shard was acquired")
	f.IntVar(&o.bigTree, "big-tree", 500, "namespaces of one tree, or of a part of it with a key of its own, above which an event tells that it is too big for one replica, if it has more than a tenth of all, too; 0: never")

	f.StringArrayVar(&o.scope.ExcludedNamespaces, "excluded-namespace", nil, "name of a namespace to leave alone (repeatable)")
	f.StringVar(&o.scope.IncludedNamespaceRegex, "included-namespace-regex", ".*", "only namespaces whose whole name matches are managed")
	f.StringArrayVar(&o.scope.ManagedNamespaceLabels, "managed-namespace-label", nil, "regex of label keys that Banyan manages on namespaces (repeatable)")
	f.StringArrayVar(&o.scope.ManagedNamespaceAnnotations, "managed-namespace-annotation", nil, "regex of annotation keys that Banyan manages on namespaces (repeatable)")
	f.StringArrayVar(&o.propagation.UnpropagatedLabels, "unpropagated-label", nil, "key of a label that copies do not get; \"domain/\" for all keys of a domain, \".domain/\" for those of its subdomains (repeatable)")
	f.StringArrayVar(&o.propagation.UnpropagatedAnnotations, "unpropagated-annotation", nil, "the same for annotations (repeatable)")
	f.StringArrayVar(&o.exceptions.labels, "nopropagation-label", nil, "key=value; objects with this label are not propagated (repeatable)")
	f.StringArrayVar(&o.exceptions.names, "nopropagation-name", nil, "[kind/]glob, such as RoleBinding/system:*; objects with such names are not propagated (repeatable)")
	f.StringArrayVar(&o.exceptions.selectors, "nopropagation-selector", nil, "label selector; objects that it selects are not propagated (repeatable)")

	f.StringVar(&o.member.Member, "replica-name", "", "stable name of this replica (default $POD_NAME)")
	f.IntVar(&o.member.Shards, "shards", shard.DefaultShards, "number of shards of a new cluster; once decided, ConfigMap banyan-ring tells")
	f.DurationVar(&o.member.LeaseDuration, "lease-duration", shard.DefaultLeaseDuration, "how long a silent replica is believed")
	f.DurationVar(&o.member.RenewPeriod, "renew-period", shard.DefaultRenewPeriod, "time between heartbeats")
	f.DurationVar(&o.member.WriteTimeout, "write-timeout", shard.DefaultWriteTimeout, "bound of each write")
	f.DurationVar(&o.member.Settle, "settle", shard.DefaultSettle, "how long the set of replicas must not have grown before shards move to newcomers")
	f.DurationVar(&o.member.RestartGrace, "restart-grace", shard.DefaultRestartGrace, "how long the shards of a restarting replica wait for it; 0: not at all")
	f.StringVar((*string)(&o.member.RestartPolicy), "restart-policy", string(shard.Reserve), "what becomes of the shards of a restarting replica: reserve (they wait for it) or spare (the replica that has none takes them at once; have one more)")

	for name := range obsoleteFlags {
		f.String(name, "", "accepted for HNC's sake; has no effect")
		f.Lookup(name).NoOptDefVal = "true"
		f.Lookup(name).Hidden = true
	}
	return f
}

func (o *options) complete(getenv func(string) string) {
	first := func(values ...string) string {
		for _, v := range values {
			if v != "" {
				return v
			}
		}
		return ""
	}
	o.namespace = first(o.namespace, getenv("POD_NAMESPACE"), "hnc-system")
	o.member.Member = first(o.member.Member, getenv("POD_NAME"))
	o.member.Instance = getenv("POD_UID")
	o.member.Incarnation = uuid.NewString()
	o.member.Guard = shard.GuardFor(o.member.WriteTimeout)
	o.member.Budget = shard.DefaultBudget
}

// validate returns all faults, joined; each names its flag and the remedy.
func (o *options) validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if err := o.member.Validate(); err != nil {
		faults = append(faults, err)
	}
	if _, err := hierarchy.NewScope(o.scope); err != nil {
		faults = append(faults, err)
	}
	if err := o.exceptions.parse(&o.propagation); err != nil {
		faults = append(faults, err)
	}
	if faulty := validation.IsDNS1123Label(o.namespace); len(faulty) > 0 {
		fault("namespace: %q is not the name of a namespace: %s", o.namespace, faulty[0])
	}
	if o.webhookPort < 1 || o.webhookPort > 65535 {
		fault("webhook-server-port: is %d; set it to a port between 1 and 65535", o.webhookPort)
	}
	if o.workers < 1 {
		fault("max-reconciles: is %d; set it to one or more", o.workers)
	}
	if o.qps < 0 {
		fault("apiserver-qps-throttle: is %v; set it to zero or more", o.qps)
	}
	if o.resyncRate < 1 {
		fault("resync-rate: is %d; set it to one or more namespaces a second", o.resyncRate)
	}
	if o.bigTree < 0 {
		fault("big-tree: is %d; set it to zero or more", o.bigTree)
	}
	if o.certLife < time.Second || o.authorityLife < o.certLife {
		fault("webhook-cert-life: is %s, and webhook-authority-life %s; set the first to a second or more, and the second to no less", o.certLife, o.authorityLife)
	}
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("these flags cannot be used together:\n%w", errors.Join(faults...))
}

// shutdownBound is how long a replica tries to give its shards away before it
// ends; the lease covers what is left.
const shutdownBound = 10 * time.Second
