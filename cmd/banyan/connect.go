// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"
	"net"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/connrotation"

	"github.com/banyan-hns/banyan/shard/gate"
)

// connections are the four ways to the API server. Each has sockets of its own,
// so that none can wait behind another, and each can do one thing only.
//
// Invariant: but for the objects by which replicas agree with each other (Leases,
// and the ConfigMaps of the ring and of the moves under way), only `writes` can
// change anything, and it asks the gate. Reason: what cannot be constructed cannot
// be forgotten. Those objects are in nobody's tree, all replicas write to them, and
// each write is a compare-and-swap.
type connections struct {
	reads   *rest.Config // caches and live reads
	writes  *rest.Config // through the gate
	leases  *rest.Config // heartbeats, ownership, moves under way
	reviews *rest.Config // questions about rights

	// dropWrites closes the sockets of writes, with all that is queued on them.
	dropWrites func()
}

func connect(o *options, g *gate.Gate) (*connections, error) {
	base, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("finding the API server: %w; give --kubeconfig outside of a cluster", err)
	}
	base.UserAgent = "banyan/" + o.member.Incarnation
	base.QPS, base.Burst = -1, -1
	dialer := func() *connrotation.Dialer {
		return connrotation.NewDialer((&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext)
	}
	derive := func() *rest.Config {
		cfg := rest.CopyConfig(base)
		cfg.Dial = dialer().DialContext
		return cfg
	}
	c := &connections{reads: derive(), leases: derive(), reviews: derive(), writes: derive()}

	c.reads.Wrap(g.Transport)
	c.reviews.Wrap(gate.Reviews)
	c.reviews.Timeout = o.member.WriteTimeout
	c.leases.Timeout = 0 // it carries a watch; each write has a bound of its own

	writes := dialer()
	c.writes.Dial = writes.DialContext
	c.writes.Wrap(g.Transport)
	c.writes.Timeout = o.member.WriteTimeout
	c.dropWrites = writes.CloseAll
	if o.qps > 0 {
		for _, cfg := range []*rest.Config{c.reads, c.writes} {
			cfg.QPS, cfg.Burst = o.qps, int(1.5*o.qps)+1
		}
	}
	return c, nil
}
