// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlwebhook "sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/controller"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/gate"
	"github.com/banyan-hns/banyan/shard/lease"
	"github.com/banyan-hns/banyan/webhook"
	"github.com/banyan-hns/banyan/webhook/certificate"
)

// replica is one process of Banyan.
type replica struct {
	options  *options
	log      logr.Logger
	conns    *connections
	scope    hierarchy.Scope
	manager  manager.Manager
	gate     *gate.Gate
	live     *controller.Live
	feed     *controller.Feed
	catalog  controller.Catalog
	kinds    *controller.Kinds
	resync   *controller.Resync
	barrier  *controller.Barrier
	member   *lease.Member
	moves    *webhook.Moves
	webhooks ctrlwebhook.Server
	reached  *webhook.SelfCheck
	served   *certificate.Served
	loopback *webhook.Loopback

	ending atomic.Bool // told to stop: take no new admission requests
}

// run serves until the context ends, gives everything back, and returns.
func run(signaled context.Context, o *options) error {
	log := zap.New(zap.UseDevMode(false), zap.Level(logLevel(o.debug)))
	ctrl.SetLogger(log)
	for _, text := range o.obsolete {
		log.Info("ignored a flag of HNC", "flag", text)
	}
	r := &replica{options: o, log: log}
	if err := r.setup(signaled); err != nil {
		return fmt.Errorf("setting up: %w", err)
	}
	// The manager must go on while shards are given back: its caches, webhooks
	// and reconcilers are needed until the end.
	ctx, cancel := context.WithCancel(context.WithoutCancel(signaled))
	defer cancel()
	go func() {
		<-signaled.Done()
		r.giveBack(ctx)
		cancel()
	}()
	go r.serveWhenReady(ctx)
	return r.manager.Start(ctx)
}

func (r *replica) setup(ctx context.Context) error {
	var err error
	if r.scope, err = hierarchy.NewScope(r.options.scope); err != nil {
		return err
	}
	bootstrap, err := connect(r.options, r.newGate(1))
	if err != nil {
		return err
	}
	leases, err := kubernetes.NewForConfig(bootstrap.leases)
	if err != nil {
		return fmt.Errorf("making the client of the Leases: %w", err)
	}
	// 1. The number of shards is the cluster's, not ours.
	if r.options.member.Shards, err = lease.ReadShards(ctx, leases, r.options.namespace, r.options.member.Shards); err != nil {
		return err
	}
	// 2. The gate comes before everything that could write.
	r.gate = r.newGate(r.options.member.Shards)
	if r.conns, err = connect(r.options, r.gate); err != nil {
		return err
	}
	// 3. The forest, fed on every replica.
	r.live = controller.NewLive(r.scope, r.options.propagation, controller.Home{Namespace: r.options.namespace, Key: shard.ClusterKey})
	r.live.Together(r.together, func() bool { return r.feed.Synced() })
	if r.manager, err = r.newManager(); err != nil {
		return err
	}
	if err := r.addFeeds(ctx); err != nil {
		return err
	}
	r.resync = controller.NewResync(r.live, r.manager.GetAPIReader(), r.options.resyncRate)
	r.barrier = controller.NewBarrier(r.live, r.manager.GetAPIReader())
	// 4. The record of moves. Like the Leases it is in nobody's tree, and every replica
	// writes to it, so it is not for the gate.
	r.moves = webhook.NewMoves(leases.CoreV1().ConfigMaps(r.options.namespace), r.live, r.manager.GetAPIReader())
	// 5. Ownership, and what happens with it.
	if r.member, err = r.newMember(leases); err != nil {
		return err
	}
	return errors.Join(
		r.addWebhooks(),
		r.addCertificates(),
		r.addControllers(),
		r.addProbes(),
		r.addScale(),
		r.manager.Add(r.feed),
		r.manager.Add(r.kinds),
		r.manager.Add(r.resync),
		r.manager.Add(r.member),
		r.manager.AddMetricsServerExtraHandler("/shards", r.member),
		metrics.Registry.Register(r.member),
		metrics.Registry.Register(r.gate),
		metrics.Registry.Register(r.resync),
		metrics.Registry.Register(r.barrier),
		metrics.Registry.Register(r.live),
	)
}

func (r *replica) newGate(shards int) *gate.Gate {
	return gate.New(shards, r.options.member.WriteTimeout, r.options.member.Guard, lease.BootTime)
}

func (r *replica) newManager() (manager.Manager, error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), api.AddToScheme(scheme)); err != nil {
		return nil, fmt.Errorf("building the scheme: %w", err)
	}
	r.webhooks = ctrlwebhook.NewServer(ctrlwebhook.Options{
		Host: r.options.webhookHost, Port: r.options.webhookPort,
		TLSOpts: []func(*tls.Config){func(c *tls.Config) { c.GetCertificate = r.served.GetCertificate }},
	})
	r.served = &certificate.Served{Log: r.log.WithName("certificate"), Changed: r.live.Register}
	return ctrl.NewManager(r.conns.reads, ctrl.Options{
		Scheme:                 scheme,
		Logger:                 r.log,
		HealthProbeBindAddress: r.options.healthAddress,
		Metrics:                metricsserver.Options{BindAddress: r.options.metricsAddress},
		WebhookServer:          r.webhooks,
		Cache: cache.Options{
			DefaultTransform:            controller.Compact,
			ReaderFailOnMissingInformer: true,
		},
		// The client that controllers are given is the gated one; there is no
		// other that can write.
		NewClient: func(_ *rest.Config, o client.Options) (client.Client, error) {
			o.HTTPClient = nil // it belongs to the connection for reads
			c, err := client.New(r.conns.writes, o)
			if err != nil {
				return nil, err
			}
			return r.gate.Client(client.WithFieldOwner(c, fieldOwner), r.live.Key), nil
		},
	})
}

// fieldOwner is the one name under which Banyan owns fields.
const fieldOwner = "banyan"

func (r *replica) addFeeds(ctx context.Context) error {
	catalog, err := discovery.NewDiscoveryClientForConfig(r.conns.reads)
	if err != nil {
		return fmt.Errorf("making the client of discovery: %w", err)
	}
	informers := r.manager.GetCache()
	if r.feed, err = controller.NewFeed(ctx, informers, r.live); err != nil {
		return err
	}
	r.catalog = controller.NewCatalog(catalog)
	r.kinds, err = controller.NewKinds(ctx, r.live, r.feed, informers, r.manager.GetAPIReader(), r.catalog)
	return err
}

func (r *replica) newMember(leases kubernetes.Interface) (*lease.Member, error) {
	shards := r.options.member.Shards
	in := func(id shard.ID) func(string) bool {
		return func(key string) bool { return shard.Of(key, shards) == id }
	}
	return lease.NewMember(lease.Options{
		Namespace:  r.options.namespace,
		Config:     r.options.member,
		Client:     leases,
		Gate:       r.gate,
		Log:        r.log.WithName("shard"),
		Warm:       func(ctx context.Context, _ shard.ID, _ shard.Reason) { r.warm(ctx) },
		Opened:     func(id shard.ID, _ shard.Reason) { r.resync.Opened(in(id)) },
		Closed:     func(id shard.ID) { r.resync.Closed(in(id)) },
		DropWrites: func() { r.conns.dropWrites() },
		Content:    &content{live: r.live, resync: r.resync, shards: shards},
	})
}

// warm returns once the forest is as new as the call, or when the context ends.
func (r *replica) warm(ctx context.Context) {
	if r.feed.WaitForSync(ctx) {
		r.barrier.Pass(ctx)
	}
}

func (r *replica) addControllers() error {
	writes, reads := r.manager.GetClient(), r.manager.GetAPIReader()
	workers, name := r.options.workers, r.options.member.Member
	confirm := controller.NewConfirmer(r.live, reads)
	namespaces := &controller.Namespaces{
		Live: r.live, Client: writes, Confirm: confirm, Resync: r.resync, Acknowledge: r.gate.Acknowledge, Workers: workers,
		Wrap: gated(r, r.live.Key, func(k controller.NamespaceKey) string { return k.Name }),
	}
	anchors := &controller.Anchors{
		Live: r.live, Client: writes, Workers: workers, Replica: name,
		Wrap: gated(r, r.live.Key, func(k hierarchy.AnchorKey) string { return k.Namespace }),
	}
	copies := &controller.Copies{
		Live: r.live, Client: writes, Reader: reads, Confirm: confirm, Workers: workers, Replica: name,
		Wrap: gated(r, r.live.Key, func(k controller.ObjectKey) string { return k.Namespace }),
	}
	trees := &controller.Trees{
		Live: r.live, Client: writes, Most: r.options.bigTree, Replicas: r.activeMembers, Replica: name,
		Wrap: gated(r, r.live.Key, func(key string) string { return key }),
	}
	configuration := &controller.Configuration{
		Live: r.live, Client: writes,
		Wrap: gatedByCluster(r),
	}
	admission := &controller.Admission{
		Live: r.live, Client: writes, Reader: reads, Registered: r.registered(), Wrap: gatedByCluster(r),
	}
	return errors.Join(
		namespaces.SetupWithManager(r.manager),
		anchors.SetupWithManager(r.manager),
		copies.SetupWithManager(r.manager),
		trees.SetupWithManager(r.manager),
		configuration.SetupWithManager(r.manager),
		admission.SetupWithManager(r.manager),
	)
}

// gatedByCluster lets a reconciler work only where this replica may write what
// the cluster has once.
func gatedByCluster(r *replica) func(reconcile.TypedReconciler[controller.ClusterKey]) reconcile.TypedReconciler[controller.ClusterKey] {
	return gated(r, gate.Always(shard.ClusterKey), func(controller.ClusterKey) string { return "" })
}

// gated lets a reconciler work only where this replica may write.
func gated[R comparable](r *replica, key gate.KeyFunc, namespaceOf func(R) string) func(reconcile.TypedReconciler[R]) reconcile.TypedReconciler[R] {
	return func(next reconcile.TypedReconciler[R]) reconcile.TypedReconciler[R] {
		return gate.Reconciler(r.gate, key, namespaceOf, next)
	}
}

// together reports whether nobody but this replica can have written under the first
// key and may write under the second: they are in one shard, or it holds both shards.
func (r *replica) together(before, after string) bool {
	from, to := shard.Of(before, r.gate.Shards()), shard.Of(after, r.gate.Shards())
	return from == to || r.gate.Open(from) && r.gate.Open(to)
}

// serveWhenReady takes a place in the ring once this replica could write. It need not answer admission yet: somebody has to
// issue the certificate first.
func (r *replica) serveWhenReady(ctx context.Context) {
	for !r.feed.Synced() || !r.kinds.Synced() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
	r.log.Info("the forest is complete", "member", r.options.member.Member)
	r.member.Ready()
}
