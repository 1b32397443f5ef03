// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/banyan-hns/banyan/bench/controlplane"
	"github.com/banyan-hns/banyan/bench/replicas"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/shard"
)

var names = []string{"banyan-0", "banyan-1", "banyan-2"}

// stage is a control plane with three replicas of Banyan, and a user's client.
type stage struct {
	dir    string
	began  time.Time
	plane  *controlplane.ControlPlane
	set    *replicas.Set
	client client.Client

	killed    time.Time // when one replica was
	unready   time.Time // when the balancer had noticed
	settled   time.Time // when the others held every shard
	restarted time.Time // when all replicas were told to end
	silent    time.Time // when all of them had looked at everything again
}

func (s *stage) open(ctx context.Context) error {
	s.began = time.Now()
	s.say("starting etcd, kube-apiserver and kube-controller-manager")
	var err error
	if s.plane, err = controlplane.Start(ctx, controlplane.Options{Dir: filepath.Join(s.dir, "control-plane"), Out: os.Stdout}); err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), api.AddToScheme(scheme)); err != nil {
		return fmt.Errorf("building the scheme: %w", err)
	}
	if s.client, err = client.New(s.plane.Config(), client.Options{Scheme: scheme}); err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	s.say("installing config/ and starting three replicas")
	binary, err := filepath.Abs("bin/banyan")
	if err != nil {
		return fmt.Errorf("finding bin/banyan: %w", err)
	}
	s.set, err = replicas.Start(ctx, s.plane, replicas.Options{
		Dir: filepath.Join(s.dir, "replicas"), Binary: binary, Names: names, Out: os.Stdout,
	})
	return err
}

func (s *stage) close() error {
	var err error
	if s.set != nil {
		err = s.set.Close()
	}
	return errors.Join(err, s.plane.Stop())
}

// say prints one line of progress, with the time since the beginning.
func (s *stage) say(format string, args ...any) {
	fmt.Printf("%6.1fs  %s\n", time.Since(s.began).Seconds(), fmt.Sprintf(format, args...))
}

// show prints a block of text, indented.
func (s *stage) show(text string) {
	for line := range strings.Lines(text) {
		fmt.Print("         ", line)
	}
	fmt.Println()
}

// hns runs the plugin as a user would, and returns what it printed.
func (s *stage) hns(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "bin/kubectl-hns", append([]string{"--kubeconfig", s.plane.Kubeconfig()}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("kubectl hns %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// explain how to reach what was left running.
func (s *stage) explain() {
	s.say("left running; press Ctrl-C to stop everything")
	s.show(fmt.Sprintf("export KUBECONFIG=%s\nexport PATH=%s:$PATH\nkubectl hns tree -A\nkubectl hns shards\ncurl '%s/shards?format=text'\nlogs and audit log: %s\n",
		s.plane.Kubeconfig(), filepath.Join(filepath.Dir(filepath.Dir(s.dir)), "bin"), s.set.MetricsURL(names[0]), s.dir))
}

// leaseDuration of the demo is the default.
const leaseDuration = shard.DefaultLeaseDuration
