// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/banyan-hns/banyan/bench/process"
)

const (
	// startTimeout is for a machine of two cores with a build beside; an idle one needs a tenth.
	startTimeout = 90 * time.Second
	// stopGrace is how long an API server may drain requests before it is killed.
	stopGrace = 20 * time.Second
	pollEvery = 50 * time.Millisecond
)

// errAPIServerRuns is the answer to a second start.
var errAPIServerRuns = errors.New("the API server is running already")

func (c *ControlPlane) startEtcd(ctx context.Context) error {
	client, peer := "http://"+loopback(c.ports.etcdClient), "http://"+loopback(c.ports.etcdPeer)
	etcd, err := c.launch("etcd", c.assets.etcd, []string{
		"--name=bench",
		"--data-dir=" + filepath.Join(c.dir, "etcd"),
		"--listen-client-urls=" + client,
		"--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer,
		"--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=bench=" + peer,
		// Nothing here must survive the machine, and a slow disk would be measured instead of Banyan.
		"--unsafe-no-fsync",
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.etcd = etcd
	c.mu.Unlock()

	return c.await(ctx, etcd, func(ctx context.Context) error { return healthy(ctx, client+"/health") })
}

// StartAPIServer starts the API server on the same port, keys and etcd as before, and returns when it is ready.
func (c *ControlPlane) StartAPIServer(ctx context.Context) error {
	c.mu.Lock()
	if c.apiServer != nil && !c.apiServer.Exited() {
		c.mu.Unlock()
		return errAPIServerRuns
	}
	server, err := c.launch("kube-apiserver", c.assets.apiServer, c.apiServerArgs())
	if err != nil {
		c.mu.Unlock()
		return err
	}
	c.apiServer = server
	c.mu.Unlock()

	return c.await(ctx, server, func(ctx context.Context) error {
		return c.client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	})
}

// StopAPIServer ends the API server and leaves etcd and the controller manager running. The server finishes the requests it has
// accepted, so that no write is in etcd without a line in the audit log. Nothing to stop is no error.
func (c *ControlPlane) StopAPIServer() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.apiServer.Terminate(stopGrace)
	c.apiServer = nil
	return err
}

// FreezeEtcd stops etcd where it is (SIGSTOP): requests wait, as with a disk that does not answer.
func (c *ControlPlane) FreezeEtcd() error { return c.signalEtcd(syscall.SIGSTOP) }

// ThawEtcd lets etcd go on.
func (c *ControlPlane) ThawEtcd() error { return c.signalEtcd(syscall.SIGCONT) }

func (c *ControlPlane) signalEtcd(signal syscall.Signal) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.etcd.Signal(signal)
}

// startManager waits for the default ServiceAccount: nobody but a working controller manager makes one.
func (c *ControlPlane) startManager(ctx context.Context) error {
	manager, err := c.launch("kube-controller-manager", c.assets.manager, c.managerArgs())
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.manager = manager
	c.mu.Unlock()

	return c.await(ctx, manager, func(ctx context.Context) error {
		_, err := c.client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
}

func (c *ControlPlane) launch(name, path string, args []string) (*process.Process, error) {
	c.out.printf("starting %s", name)
	return process.Launch(name, path, filepath.Join(c.dir, "log", name+".log"), args, func(name string, err error) {
		c.out.printf("%s ended unasked: %v; see %s", name, err, filepath.Join(c.dir, "log", name+".log"))
	})
}

// await asks until ready answers without an error, the process is gone, or time is up.
func (c *ControlPlane) await(ctx context.Context, p *process.Process, ready func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, pollEvery, startTimeout, true, func(ctx context.Context) (bool, error) {
		if p.Exited() {
			return false, errors.New("it exited")
		}
		last = ready(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for %s: %w\n%s", p.Name(), errors.Join(err, last), p.LastWords())
	}
	return nil
}

func healthy(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return nil
}
