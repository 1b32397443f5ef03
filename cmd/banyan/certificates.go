// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/gate"
	"github.com/banyan-hns/banyan/webhook"
	"github.com/banyan-hns/banyan/webhook/certificate"
)

// issueEvery is how soon a bundle is back that somebody emptied, at the latest.
const issueEvery = 5 * time.Second

// addCertificates: every replica serves what is in the Secret, and the owner of the
// cluster's key issues it, unless somebody else does.
func (r *replica) addCertificates() error {
	if r.options.noWebhooks {
		return nil
	}
	host := r.options.webhookHost
	if host == "" {
		host = "localhost"
	}
	r.loopback = &webhook.Loopback{Addr: net.JoinHostPort(host, strconv.Itoa(r.options.webhookPort)), Roots: r.served.Bundle}
	if dir := r.options.certDir; dir != "" {
		return r.manager.Add(manager.RunnableFunc(func(ctx context.Context) error { return r.served.Follow(ctx, dir) }))
	}
	r.loopback.Name = r.certHosts()[0]
	secrets, err := kubernetes.NewForConfig(r.conns.reads)
	if err != nil {
		return fmt.Errorf("making the client of the certificate: %w", err)
	}
	if err := r.manager.Add(manager.RunnableFunc(func(ctx context.Context) error {
		return r.served.Watch(ctx, secrets, r.options.namespace)
	})); err != nil || !r.options.issueCerts {
		return err
	}
	lives := certificate.LivesOf(r.options.authorityLife, r.options.certLife)
	return r.manager.Add(&certificate.Issuer{
		Client: r.manager.GetClient(), Reader: r.manager.GetAPIReader(), Namespace: r.options.namespace,
		Hosts: r.certHosts(), Lives: lives, Every: min(issueEvery, lives.Settle),
		Validating: []string{webhook.ValidatingConfiguration, webhook.ObjectsConfiguration},
		Mutating:   []string{"hnc-mutating-webhook-configuration"},
		Elsewhere:  []string{webhook.ObjectsConfiguration},
		Wrap: func(next reconcile.TypedReconciler[struct{}]) reconcile.TypedReconciler[struct{}] {
			return gate.Reconciler(r.gate, gate.Always(shard.ClusterKey), func(struct{}) string { return "" }, next)
		},
	})
}

// certHosts are where the API server looks for the webhooks.
func (r *replica) certHosts() []string {
	name := fmt.Sprintf("%s.%s.svc", webhook.Service, r.options.namespace)
	return append([]string{name, name + ".cluster.local"}, r.options.certHosts...)
}
