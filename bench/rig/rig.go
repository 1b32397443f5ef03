// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package rig

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/controlplane"
	"github.com/banyan-hns/banyan/bench/replicas"
	"github.com/banyan-hns/banyan/bench/requests"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Options of a Rig.
type Options struct {
	// Dir takes state and logs. No other rig may have used it.
	Dir string
	// Binary of Banyan.
	Binary string
	// Replicas is how many are started.
	Replicas int
	// Flags that each replica is given besides those that its place needs.
	Flags []string
	// Route, if set, is the way of each replica to the API server.
	Route func(name, kubeconfig string) (string, error)
	// OwnCertificates: the replicas issue the certificate of the webhooks themselves.
	OwnCertificates bool
	// NoAudit: the API server writes no audit log, which costs it about as much as a request.
	NoAudit bool
	// Out is told what goes on.
	Out io.Writer
}

// Rig is a cluster with Banyan in it.
type Rig struct {
	Plane *controlplane.ControlPlane
	Set   *replicas.Set
	// Names of the replicas, sorted.
	Names []string
	// Client of an administrator, without a limit of its own. It speaks protobuf where
	// the API server does.
	Client client.WithWatch
	// Own counts what Client writes.
	Own *requests.Own

	server kubernetes.Interface
	out    io.Writer
	began  time.Time
}

// startBound is for a machine with other work to do.
const startBound = 3 * time.Minute

// Start returns when all replicas are ready, every shard has its owner, and nobody
// has anything left to read again.
func Start(ctx context.Context, o Options) (*Rig, error) {
	ctx, cancel := context.WithTimeout(ctx, startBound)
	defer cancel()
	r, err := Open(ctx, o)
	if err != nil {
		return nil, err
	}
	r.Say("waiting for %d replicas to share the shards", len(r.Names))
	if err := r.Settle(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("starting a rig: %w", err), r.Close())
	}
	return r, nil
}

// Open starts the control plane, installs Banyan, and starts the replicas. It does
// not wait for these.
func Open(ctx context.Context, o Options) (*Rig, error) {
	r := &Rig{Own: &requests.Own{}, out: o.Out, began: time.Now()}
	for i := range o.Replicas {
		r.Names = append(r.Names, fmt.Sprintf("banyan-%d", i))
	}
	if err := r.open(ctx, o); err != nil {
		return nil, errors.Join(fmt.Errorf("starting a rig: %w", err), r.Close())
	}
	return r, nil
}

func (r *Rig) open(ctx context.Context, o Options) error {
	var err error
	r.Say("starting etcd, kube-apiserver and kube-controller-manager")
	if r.Plane, err = controlplane.Start(ctx, controlplane.Options{
		Dir: filepath.Join(o.Dir, "control-plane"), NoAudit: o.NoAudit, Out: o.Out,
	}); err != nil {
		return err
	}
	if err := r.connect(); err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	r.Say("installing config/ and starting %d replicas", len(r.Names))
	r.Set, err = replicas.Start(ctx, r.Plane, replicas.Options{
		Dir: filepath.Join(o.Dir, "replicas"), Binary: o.Binary, Names: r.Names, Flags: o.Flags, Route: o.Route, OwnCertificates: o.OwnCertificates, Out: o.Out,
	})
	return err
}

func (r *Rig) connect() error {
	config := r.Plane.Config()
	config.Wrap(r.Own.Wrap)
	scheme := runtime.NewScheme()
	err := errors.Join(clientgoscheme.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme), api.AddToScheme(scheme))
	if err != nil {
		return err
	}
	if r.Client, err = client.NewWithWatch(config, client.Options{Scheme: scheme}); err != nil {
		return err
	}
	r.server, err = kubernetes.NewForConfig(r.Plane.Config())
	return err
}

// Close ends everything. The directory stays, for its logs.
func (r *Rig) Close() error {
	var err error
	if r.Set != nil {
		err = r.Set.Close()
	}
	return errors.Join(err, r.Plane.Stop())
}

// Say prints one line of progress, with the time since the beginning.
func (r *Rig) Say(format string, args ...any) {
	_, _ = fmt.Fprintf(r.out, "%6.1fs  %s\n", time.Since(r.began).Seconds(), fmt.Sprintf(format, args...))
}
