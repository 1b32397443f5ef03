// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/banyan-hns/banyan/bench/process"
)

// Options say where a control plane lives and where its binaries are.
type Options struct {
	// Dir takes state, keys, logs and the audit log. It is created when missing. Required.
	Dir string
	// AssetsDir holds etcd, kube-apiserver and kube-controller-manager. Empty means $KUBEBUILDER_ASSETS, else
	// bin/kube/current under the root of this module.
	AssetsDir string
	// NoAudit: no audit log is written. What it costs the API server is not to be in figures of speed.
	NoAudit bool
	// Out is told, a line at a time, what is being started and what ended unasked. Nil means nobody is told.
	Out io.Writer
}

// ControlPlane is a running etcd, kube-apiserver and kube-controller-manager. Its methods may be called from several goroutines.
type ControlPlane struct {
	dir     string
	assets  assets
	keys    *keys
	ports   ports
	noAudit bool
	out     *lines

	config *rest.Config
	client kubernetes.Interface

	// mu guards the three processes; nil means not running.
	mu        sync.Mutex
	etcd      *process.Process
	apiServer *process.Process
	manager   *process.Process
}

// Start returns when all three processes work: the API server is ready and the controller manager has made its first
// ServiceAccount. The context bounds the start only; a control plane lives until Stop. When Start fails nothing is left running.
func Start(ctx context.Context, o Options) (*ControlPlane, error) {
	c, err := prepare(o)
	if err != nil {
		return nil, fmt.Errorf("preparing a control plane: %w", err)
	}

	if err := c.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("starting a control plane in %s: %w", c.dir, err), c.Stop())
	}
	return c, nil
}

// Stop kills all children and returns when they are gone. It may be called again, and on nil.
func (c *ControlPlane) Stop() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()

	// Writers before what they write to, so that none logs a screenful about a server that went away.
	err := errors.Join(c.manager.Kill(), c.apiServer.Kill(), c.etcd.Kill())
	c.manager, c.apiServer, c.etcd = nil, nil, nil
	return err
}

// Config gives the connection of an administrator (group system:masters) without a limit on its rate. The copy is the caller's.
func (c *ControlPlane) Config() *rest.Config { return rest.CopyConfig(c.config) }

// Kubeconfig is the path of a kubeconfig file with the same administrator.
func (c *ControlPlane) Kubeconfig() string { return filepath.Join(c.dir, "admin.kubeconfig") }

// AuditLog is the path of the audit log: one JSON event a line, never rotated, complete for every request that was answered. With
// NoAudit there is none.
func (c *ControlPlane) AuditLog() string { return filepath.Join(c.dir, "audit.log") }

// prepare does all that needs no process: directory, binaries, ports, keys, files, clients.
func prepare(o Options) (*ControlPlane, error) {
	if o.Dir == "" {
		return nil, errors.New("the directory is not given")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("resolving directory %s: %w", o.Dir, err)
	}
	// Two lives in one audit log could not be told apart: revisions start again at 1.
	if _, err := os.Stat(filepath.Join(dir, "etcd")); err == nil {
		return nil, fmt.Errorf("directory %s holds the state of an earlier control plane; remove it or give another", dir)
	}

	c := &ControlPlane{dir: dir, noAudit: o.NoAudit, out: newLines(o.Out)}
	if c.assets, err = findAssets(o.AssetsDir); err != nil {
		return nil, err
	}
	if c.ports, err = choosePorts(); err != nil {
		return nil, err
	}
	for _, d := range []string{"etcd", "log", "pki", "pods"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return nil, fmt.Errorf("creating a directory: %w", err)
		}
	}
	if c.keys, err = newKeys(filepath.Join(dir, "pki")); err != nil {
		return nil, fmt.Errorf("making keys: %w", err)
	}
	if err := c.writeAuditPolicy(); err != nil {
		return nil, err
	}
	return c, c.connect()
}

// connect makes the kubeconfig files and the administrator's client. No server is asked yet.
func (c *ControlPlane) connect() error {
	c.config = c.clientConfig()
	c.config.CertData = c.keys.admin.certificate
	c.config.KeyData = c.keys.admin.key
	if err := writeKubeconfig(c.Kubeconfig(), c.config); err != nil {
		return err
	}

	manager := c.clientConfig()
	manager.CertData = c.keys.manager.certificate
	manager.KeyData = c.keys.manager.key
	if err := writeKubeconfig(c.managerKubeconfig(), manager); err != nil {
		return err
	}

	client, err := kubernetes.NewForConfig(c.config)
	if err != nil {
		return fmt.Errorf("making the administrator's client: %w", err)
	}
	c.client = client
	return nil
}

// start brings the processes up in the order in which they need each other.
func (c *ControlPlane) start(ctx context.Context) error {
	begin := time.Now()
	if err := c.startEtcd(ctx); err != nil {
		return err
	}
	if err := c.StartAPIServer(ctx); err != nil {
		return err
	}
	if err := c.startManager(ctx); err != nil {
		return err
	}
	c.out.printf("control plane ready after %.1f s; state and logs in %s", time.Since(begin).Seconds(), c.dir)
	return nil
}
