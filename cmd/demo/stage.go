// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/banyan-hns/banyan/bench/rig"
	"github.com/banyan-hns/banyan/shard"
)

var names = []string{"banyan-0", "banyan-1", "banyan-2"}

// stage is a rig with three replicas of Banyan, and what happened on it.
type stage struct {
	*rig.Rig
	dir string

	killed    time.Time // when one replica was
	unready   time.Time // when the balancer had noticed
	settled   time.Time // when the others held every shard
	restarted time.Time // when all replicas were told to end
	silent    time.Time // when all of them had looked at everything again
}

func (s *stage) open(ctx context.Context) error {
	binary, err := filepath.Abs("bin/banyan")
	if err != nil {
		return fmt.Errorf("finding bin/banyan: %w", err)
	}
	s.Rig, err = rig.Open(ctx, rig.Options{Dir: s.dir, Binary: binary, Replicas: len(names), Out: os.Stdout})
	return err
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
	cmd := exec.CommandContext(ctx, "bin/kubectl-hns", append([]string{"--kubeconfig", s.Plane.Kubeconfig()}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("kubectl hns %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// explain how to reach what was left running.
func (s *stage) explain() {
	s.Say("left running; press Ctrl-C to stop everything")
	s.show(fmt.Sprintf("export KUBECONFIG=%s\nexport PATH=%s:$PATH\nkubectl hns tree -A\nkubectl hns shards\ncurl '%s/shards?format=text'\nlogs and audit log: %s\n",
		s.Plane.Kubeconfig(), filepath.Join(filepath.Dir(filepath.Dir(s.dir)), "bin"), s.Set.MetricsURL(names[0]), s.dir))
}

// leaseDuration of the demo is the default.
const leaseDuration = shard.DefaultLeaseDuration
