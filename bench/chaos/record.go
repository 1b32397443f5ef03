// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/banyan-hns/banyan/bench/audit"
	"github.com/banyan-hns/banyan/bench/replicas"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// recording is what watches tell beside the audit log, of Leases and of what stamps
// moves: an API server that is killed, or whose etcd is slow, has done some writes that
// the log does not have as done.
type recording struct {
	path   string
	cancel context.CancelFunc
	ended  chan error
}

// record until stop. The API server may go away and come back.
func record(ctx context.Context, config *rest.Config, path string) (*recording, error) {
	c, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	leases := coordinationv1.SchemeGroupVersion.WithResource("leases")
	configurations := api.GroupVersion.WithResource("hierarchyconfigurations")
	watched := map[schema.GroupResource]dynamic.ResourceInterface{
		leases.GroupResource():         c.Resource(leases).Namespace(replicas.Namespace),
		configurations.GroupResource(): c.Resource(configurations),
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &recording{path: path, cancel: cancel, ended: make(chan error, 1)}
	runs := make(chan error, len(watched))
	for resource, objects := range watched {
		recorder := audit.Recorder{Resource: resource, Objects: objects, Now: time.Now, Tolerant: true}
		go func() { runs <- recorder.Run(ctx, "", file) }() // a line is one write, and a file takes one at a time
	}
	go func() {
		var all error
		for range watched {
			all = errors.Join(all, <-runs)
		}
		r.ended <- errors.Join(all, file.Close())
	}()
	return r, nil
}

// stop it. It is no error that there is none, or that it has ended.
func (r *recording) stop() error {
	if r == nil {
		return nil
	}
	r.cancel()
	err := <-r.ended
	r.ended <- nil
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return nil
}
