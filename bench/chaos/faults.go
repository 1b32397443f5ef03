// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/banyan-hns/banyan/bench/audit"
	"github.com/banyan-hns/banyan/bench/proxy"
)

// infliction makes a fault and mends it. What it returns besides an error is for
// the record.
type infliction func(ctx context.Context, s *stage, f Fault) (note string, err error)

var inflictions = map[Kind]infliction{
	Kill:      kill,
	Terminate: terminate,
	Stop:      stop,
	StopTerm:  stopTerminate,
	Partition: func(ctx context.Context, s *stage, f Fault) (string, error) {
		return s.cutOff(ctx, f, proxy.Both, (*proxy.Link).Heal)
	},
	PartitionUp: func(ctx context.Context, s *stage, f Fault) (string, error) {
		return s.cutOff(ctx, f, proxy.Up, (*proxy.Link).Heal)
	},
	PartitionOff: func(ctx context.Context, s *stage, f Fault) (string, error) {
		return s.cutOff(ctx, f, proxy.Down, (*proxy.Link).Heal)
	},
	Stall: func(ctx context.Context, s *stage, f Fault) (string, error) {
		return s.cutOff(ctx, f, proxy.Both, (*proxy.Link).Flush)
	},
	Slow:        slow,
	Reset:       reset,
	StopInside:  stopInside,
	MemberLease: deleteMemberLease,
	ShardLease:  deleteShardLeases,
	Holder:      editHolders,
	APIServer:   stopAPIServer,
	Etcd:        slowEtcd,
	Webhooks:    silenceWebhooks,
	Cycle:       makeCycles,
	Moves:       moveMany,
	Scale:       scale,
	Roll:        roll,
}

func (s *stage) name(f Fault) string { return s.Names[f.Replica] }

func kill(ctx context.Context, s *stage, f Fault) (string, error) {
	if err := s.Set.Kill(s.name(f)); err != nil {
		return "", err
	}
	if err := pause(ctx, f.Lasts); err != nil {
		return "", err
	}
	return "", s.Set.StartReplica(ctx, s.name(f))
}

func terminate(ctx context.Context, s *stage, f Fault) (string, error) {
	if err := s.Set.Terminate(s.name(f)); err != nil {
		return "", err
	}
	if err := pause(ctx, f.Lasts); err != nil {
		return "", err
	}
	return "", s.Set.StartReplica(ctx, s.name(f))
}

func stop(ctx context.Context, s *stage, f Fault) (string, error) {
	return s.frozen(ctx, f, func() error { return nil })
}

// stopTerminate: the signal to end is there when the replica wakes up, long after
// others have taken what it held.
func stopTerminate(ctx context.Context, s *stage, f Fault) (string, error) {
	ended := make(chan error, 1)
	_, err := s.frozen(ctx, f, func() error {
		go func() { ended <- s.Set.Terminate(s.name(f)) }()
		return nil
	})
	if err != nil {
		return "", err
	}
	if err := <-ended; err != nil {
		return "", err
	}
	return "", s.Set.StartReplica(ctx, s.name(f))
}

func (s *stage) frozen(ctx context.Context, f Fault, meanwhile func() error) (string, error) {
	if err := s.Set.Signal(s.name(f), syscall.SIGSTOP); err != nil {
		return "", err
	}
	err := errors.Join(meanwhile(), pause(ctx, f.Lasts))
	return "", errors.Join(err, s.Set.Signal(s.name(f), syscall.SIGCONT))
}

func (s *stage) cutOff(ctx context.Context, f Fault, d proxy.Direction, mend func(*proxy.Link)) (string, error) {
	link := s.link(s.name(f))
	link.Hold(d)
	err := pause(ctx, f.Lasts)
	note := fmt.Sprintf("%d bytes held", link.Held())
	mend(link)
	return note, err
}

func slow(ctx context.Context, s *stage, f Fault) (string, error) {
	const late = 400 * time.Millisecond // each way
	link := s.link(s.name(f))
	link.Delay(late)
	defer link.Flush()
	return "", pause(ctx, f.Lasts)
}

func reset(ctx context.Context, s *stage, f Fault) (string, error) {
	const every = 500 * time.Millisecond
	for range int(f.Lasts / every) {
		s.link(s.name(f)).Reset()
		if err := pause(ctx, every); err != nil {
			return "", err
		}
	}
	return "", nil
}

const (
	// armed is how long a replica may take to come to the point.
	armed = 8 * time.Second
	// disarmed is how long it may take to read that there is none any more; before,
	// it may still come to it.
	disarmed = time.Second
)

// stopInside tells a replica to stop at a point of its next write.
func stopInside(ctx context.Context, s *stage, f Fault) (string, error) {
	name := s.name(f)
	if err := s.arm(name, f.Point); err != nil {
		return "", err
	}
	note, lasts := "it stopped", f.Lasts
	if !s.stops(ctx, name, armed) {
		if err := s.arm(name, ""); err != nil {
			return "", err
		}
		note, lasts = "it had nothing to write", 0
		if !s.stops(ctx, name, disarmed) {
			return note, context.Cause(ctx)
		}
	}
	err := pause(ctx, lasts)
	return note, errors.Join(err, s.Set.Signal(name, syscall.SIGCONT))
}

// arm a replica to stop at a point, or at none.
func (s *stage) arm(name, point string) error {
	if err := os.WriteFile(filepath.Join(s.dir, "stop", name), []byte(point), 0o600); err != nil {
		return fmt.Errorf("naming the point: %w", err)
	}
	return s.Set.Signal(name, syscall.SIGUSR1)
}

// stops reports whether a replica stops within a time.
func (s *stage) stops(ctx context.Context, name string, within time.Duration) bool {
	for end := time.Now().Add(within); !stopped(s.Set.Pid(name)); {
		if time.Now().After(end) || pause(ctx, 20*time.Millisecond) != nil {
			return false
		}
	}
	return true
}

// stopped reports whether a process is stopped by a signal, as the system tells.
func stopped(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	// The name before it is in parentheses, and can hold anything.
	_, state, found := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
	return found && bytes.HasPrefix(state, []byte("T"))
}

// stopAPIServer moves no shard: nobody can do anything, and nobody holds that against
// the others.
func stopAPIServer(ctx context.Context, s *stage, f Fault) (string, error) {
	return "", s.scenario(ctx, f.Label(), s.Names, nil, func() error {
		from := time.Now()
		if err := s.Plane.StopAPIServer(); err != nil {
			return err
		}
		err := pause(ctx, f.Lasts)
		err = errors.Join(err, s.Plane.StartAPIServer(context.WithoutCancel(ctx)))
		s.told.add(func(m *audit.Marks) { m.Outages = append(m.Outages, audit.Span{From: from, To: time.Now()}) })
		return err
	})
}

func slowEtcd(ctx context.Context, s *stage, f Fault) (string, error) {
	const burst = 700 * time.Millisecond
	for end := time.Now().Add(f.Lasts); time.Now().Before(end); {
		err := errors.Join(s.Plane.FreezeEtcd(), pause(ctx, burst), s.Plane.ThawEtcd(), pause(ctx, burst/3))
		if err != nil {
			return "", err
		}
	}
	return "", nil
}

func silenceWebhooks(ctx context.Context, s *stage, f Fault) (string, error) {
	s.Set.AnswerOnly("nobody")
	defer s.Set.AnswerOnly()
	return "", pause(ctx, f.Lasts)
}
