// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package balancer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// replica answers each connection with its name and then echoes lines; its ready URL answers as told.
type replica struct {
	Backend
	status   atomic.Int32
	listener net.Listener

	mu    sync.Mutex
	conns []net.Conn
}

func startReplica(t *testing.T, name string) *replica {
	t.Helper()
	r := &replica{}
	r.status.Store(http.StatusOK)
	probe := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(int(r.status.Load()))
	}))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r.listener = listener
	r.Backend = Backend{Name: name, Addr: listener.Addr().String(), ReadyURL: probe.URL + "/readyz"}

	var serving sync.WaitGroup
	serving.Go(func() { r.serve(&serving) })
	t.Cleanup(func() { probe.Close(); r.die(); serving.Wait() })
	return r
}

func (r *replica) serve(serving *sync.WaitGroup) {
	for {
		conn, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.mu.Lock()
		r.conns = append(r.conns, conn)
		r.mu.Unlock()
		serving.Go(func() {
			defer conn.Close()
			fmt.Fprintln(conn, r.Name)
			_, _ = io.Copy(conn, conn)
		})
	}
}

// die closes everything but the probe, as a process does that was killed between two probes.
func (r *replica) die() {
	_ = r.listener.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, conn := range r.conns {
		_ = conn.Close()
	}
}

// startBalancer ends with the test, and fails it if Run does.
func startBalancer(t *testing.T, backends ...Backend) *Balancer {
	t.Helper()
	b, err := New("127.0.0.1:0", backends, 20*time.Millisecond)
	require.NoError(t, err)

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx) }()
	t.Cleanup(func() { cancel(); require.NoError(t, <-done) })
	return b
}

func awaitReady(t *testing.T, b *Balancer, want ...string) {
	t.Helper()
	require.Eventually(t, func() bool { return cmp.Equal(want, b.Ready()) }, 10*time.Second, time.Millisecond, "want ready: %v", want)
}

// dial returns the connection, a reader of it, and who answered; the error is io.EOF or a reset if nobody did.
func dial(t *testing.T, b *Balancer) (net.Conn, *bufio.Reader, string, error) {
	t.Helper()
	conn, err := net.Dial("tcp", b.Addr())
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	reader := bufio.NewReader(conn)
	name, err := reader.ReadString('\n')
	return conn, reader, name, err
}

// answered counts who answers n connections.
func answered(t *testing.T, b *Balancer, n int) map[string]int {
	t.Helper()
	count := map[string]int{}
	for range n {
		conn, _, name, err := dial(t, b)
		require.NoError(t, err)
		count[name]++
		require.NoError(t, conn.Close())
	}
	return count
}

func TestReadyBackendsTakeTurns(t *testing.T) {
	one, two, three := startReplica(t, "one"), startReplica(t, "two"), startReplica(t, "three")
	two.status.Store(http.StatusServiceUnavailable)
	b := startBalancer(t, one.Backend, two.Backend, three.Backend)

	awaitReady(t, b, "one", "three")
	require.Equal(t, map[string]int{"one\n": 3, "three\n": 3}, answered(t, b, 6))

	two.status.Store(http.StatusOK)
	awaitReady(t, b, "one", "two", "three")
	require.Equal(t, map[string]int{"one\n": 2, "two\n": 2, "three\n": 2}, answered(t, b, 6))
}

func TestNotReadyIsAnythingBut200(t *testing.T) {
	tests := map[string]int{
		"an error":            http.StatusInternalServerError,
		"not found":           http.StatusNotFound,
		"sent elsewhere":      http.StatusFound,
		"success, but no 200": http.StatusNoContent,
	}
	for name, status := range tests {
		t.Run(name, func(t *testing.T) {
			one, two := startReplica(t, "one"), startReplica(t, "two")
			b := startBalancer(t, one.Backend, two.Backend)
			awaitReady(t, b, "one", "two")
			one.status.Store(int32(status))
			awaitReady(t, b, "two")
		})
	}
}

func TestNobodyReadyClosesTheConnection(t *testing.T) {
	one := startReplica(t, "one")
	b := startBalancer(t, one.Backend)
	awaitReady(t, b, "one")
	one.status.Store(http.StatusServiceUnavailable)
	awaitReady(t, b)

	_, _, _, err := dial(t, b)
	requireClosed(t, err)
}

func TestOpenConnectionOutlivesReadiness(t *testing.T) {
	one, two := startReplica(t, "one"), startReplica(t, "two")
	b := startBalancer(t, one.Backend)
	awaitReady(t, b, "one")
	conn, reader, name, err := dial(t, b)
	require.NoError(t, err)
	require.Equal(t, "one\n", name)

	one.status.Store(http.StatusServiceUnavailable)
	awaitReady(t, b)
	requireEcho(t, conn, reader, "unready")

	b.Set([]Backend{two.Backend})
	awaitReady(t, b, "two")
	requireEcho(t, conn, reader, "replaced")
	require.Equal(t, 1, b.Connections("one"))
	require.Zero(t, b.Connections("two"))

	one.die()
	_, err = reader.ReadString('\n')
	requireClosed(t, err)
	require.NoError(t, conn.Close()) // it was only half closed
	require.Eventually(t, func() bool { return b.Connections("one") == 0 }, 10*time.Second, time.Millisecond)
}

func TestDeadBackendClosesTheConnection(t *testing.T) {
	one := startReplica(t, "one")
	b := startBalancer(t, one.Backend)
	awaitReady(t, b, "one")
	one.die()

	_, _, _, err := dial(t, b)
	requireClosed(t, err)
}

func TestSetKeepsTheReadinessOfThoseThatStay(t *testing.T) {
	one, two := startReplica(t, "one"), startReplica(t, "two")
	b := startBalancer(t, one.Backend)
	awaitReady(t, b, "one")

	b.Set([]Backend{two.Backend, one.Backend})
	require.Contains(t, b.Ready(), "one")
	awaitReady(t, b, "two", "one")

	moved := one.Backend
	moved.Addr = two.Addr
	b.Set([]Backend{moved})
	awaitReady(t, b, "one")
	require.Equal(t, map[string]int{"two\n": 1}, answered(t, b, 1))
}

func TestHalfCloseIsCarried(t *testing.T) {
	one := startReplica(t, "one")
	b := startBalancer(t, one.Backend)
	awaitReady(t, b, "one")
	conn, reader, _, err := dial(t, b)
	require.NoError(t, err)

	_, err = io.WriteString(conn, "last words")
	require.NoError(t, err)
	require.NoError(t, conn.(*net.TCPConn).CloseWrite())
	rest, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.Equal(t, "last words", string(rest))
}

func TestEndOfRunClosesConnections(t *testing.T) {
	one := startReplica(t, "one")
	b, err := New("127.0.0.1:0", []Backend{one.Backend}, time.Second)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx) }()
	awaitReady(t, b, "one")
	_, reader, _, err := dial(t, b)
	require.NoError(t, err)

	cancel()
	require.NoError(t, <-done)
	_, err = reader.ReadString('\n')
	requireClosed(t, err)
	_, err = net.Dial("tcp", b.Addr())
	require.Error(t, err)
}

func TestNewRefuses(t *testing.T) {
	_, err := New("127.0.0.1:0", nil, 0)
	require.ErrorContains(t, err, "period")
	_, err = New("nowhere", nil, time.Second)
	require.Error(t, err)
}

func requireEcho(t *testing.T, conn net.Conn, reader *bufio.Reader, line string) {
	t.Helper()
	_, err := fmt.Fprintln(conn, line)
	require.NoError(t, err)
	got, err := reader.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, line+"\n", got)
}

// requireClosed accepts an end and a reset, but not the deadline of the test's own connection.
func requireClosed(t *testing.T, err error) {
	t.Helper()
	require.Error(t, err)
	var timeout net.Error
	require.False(t, errors.As(err, &timeout) && timeout.Timeout(), "still open: %v", err)
}

func TestOnlyNamedBackendsAreReached(t *testing.T) {
	one, two := startReplica(t, "one"), startReplica(t, "two")
	b := startBalancer(t, one.Backend, two.Backend)
	awaitReady(t, b, "one", "two")
	readers := map[string]*bufio.Reader{}
	for range 2 {
		_, reader, name, err := dial(t, b)
		require.NoError(t, err)
		readers[name] = reader
	}
	require.Len(t, readers, 2)

	b.Only("two")
	_, err := readers["one\n"].ReadString('\n')
	requireClosed(t, err)
	require.Equal(t, map[string]int{"two\n": 4}, answered(t, b, 4))

	b.Only()
	require.Equal(t, map[string]int{"one\n": 2, "two\n": 2}, answered(t, b, 4))
}

// TestOneProbeIsNoVerdict: a backend that fails once in between stays, and one that
// does not answer at all holds up nobody.
func TestOneProbeIsNoVerdict(t *testing.T) {
	b := &backend{}
	for i, tc := range []struct{ answers, ready bool }{
		{false, false}, {true, true}, {false, true}, {true, true}, {false, true}, {false, false}, {false, false}, {true, true},
	} {
		b.told(tc.answers)
		require.Equal(t, tc.ready, b.ready, "after probe %d", i)
	}
}
