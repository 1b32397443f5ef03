// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"

	"github.com/banyan-hns/banyan/bench/audit"
	"github.com/banyan-hns/banyan/bench/replicas"
)

// recording is what a watch tells of the Leases, beside the audit log: a killed API
// server has done some writes that it did not log.
type recording struct {
	path   string
	cancel context.CancelFunc
	ended  chan error
}

// record until stop. The API server may go away and come back.
func record(ctx context.Context, config *rest.Config, path string) (*recording, error) {
	c, err := coordinationclient.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("recording Leases: %w", err)
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("recording Leases: %w", err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &recording{path: path, cancel: cancel, ended: make(chan error, 1)}
	recorder := audit.Recorder{Leases: c.Leases(replicas.Namespace), Now: time.Now, Tolerant: true}
	go func() { r.ended <- errors.Join(recorder.Run(ctx, "", file), file.Close()) }()
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
		return fmt.Errorf("recording Leases: %w", err)
	}
	return nil
}
