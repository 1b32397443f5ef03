// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// Process is a child that runs until it is stopped. All methods but those that say so work on nil, meaning "not running".
type Process struct {
	name    string
	logFile string
	child   *os.Process

	// asked is set before a signal is sent, so that an exit that nobody asked for can be told from one that was.
	asked atomic.Bool
	done  chan struct{}
}

// Launch starts a child whose output is appended to logFile. It calls ended if the child exits unasked. The environment is that
// of the parent and what env adds to it.
func Launch(name, path, logFile string, args []string, ended func(name string, err error), env ...string) (*Process, error) {
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the log of %s: %w", name, err)
	}
	defer log.Close() // the child has its own handle

	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = tiedToParent()

	p := &Process{name: name, logFile: logFile, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// Linux sends the parent-death signal when the *thread* that started the child ends. This goroutine keeps that
		// thread to itself until the child is gone.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()

		if err := cmd.Start(); err != nil {
			started <- err
			return
		}
		p.child = cmd.Process
		started <- nil

		err := cmd.Wait()
		close(p.done)
		if !p.asked.Load() {
			ended(name, err)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	return p, nil
}

// Kill ends the child at once and waits for it.
func (p *Process) Kill() error {
	if p == nil {
		return nil
	}
	p.asked.Store(true)
	if err := p.child.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("killing %s: %w", p.name, err)
	}
	<-p.done
	return nil
}

// Terminate asks the child to end, and kills it when it has not done so within the grace period.
func (p *Process) Terminate(grace time.Duration) error {
	if p == nil {
		return nil
	}
	p.asked.Store(true)
	if err := p.child.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("terminating %s: %w", p.name, err)
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(grace):
		return p.Kill()
	}
}

// Signal sends a signal that does not end the child, such as SIGSTOP.
func (p *Process) Signal(s os.Signal) error {
	if p == nil {
		return nil
	}
	if err := p.child.Signal(s); err != nil {
		return fmt.Errorf("sending %v to %s: %w", s, p.name, err)
	}
	return nil
}

// Pid of the child. Not for nil.
func (p *Process) Pid() int { return p.child.Pid }

// Name of the child. Not for nil.
func (p *Process) Name() string { return p.name }

// Exited says whether the child is gone. Not for nil.
func (p *Process) Exited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// LastWords is the end of the log, for an error message: whoever reads "it did not start" wants to know why. Not for nil.
func (p *Process) LastWords() string {
	const most = 1500
	content, err := os.ReadFile(p.logFile)
	if err != nil {
		return err.Error()
	}
	content = bytes.TrimSpace(content)
	if len(content) > most {
		content = content[len(content)-most:]
	}
	return fmt.Sprintf("%s ends with:\n%s", p.logFile, content)
}
