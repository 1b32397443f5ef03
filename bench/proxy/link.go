// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package proxy

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/tools/clientcmd"
)

// Link is a cable between one client and the API server that can be broken. It
// passes bytes on without reading them, so that TLS and everything in it are those
// of client and server.
type Link struct {
	listener   net.Listener
	upstream   string
	kubeconfig string

	mu    sync.Mutex
	up    flow
	down  flow
	wires map[*wire]bool
	woken chan struct{} // closed at each change
}

// flow is how bytes go in one direction.
type flow struct {
	held  bool
	delay time.Duration
}

// Direction in which bytes go.
type Direction int

const (
	// Up is from the client to the API server.
	Up Direction = 1 << iota
	// Down is from the API server to the client.
	Down
	// Both directions.
	Both = Up | Down
)

// NewLink makes one for the client of a kubeconfig. Kubeconfig is what to give to
// the client instead; it is written into dir.
func NewLink(kubeconfig, dir string) (*Link, error) {
	file, err := clientcmd.LoadFromFile(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading kubeconfig %s: %w", kubeconfig, err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for a link: %w", err)
	}
	l := &Link{listener: listener, kubeconfig: filepath.Join(dir, filepath.Base(kubeconfig)+".linked"), wires: map[*wire]bool{}, woken: make(chan struct{})}
	for _, cluster := range file.Clusters {
		server, err := url.Parse(cluster.Server)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("finding the API server: %w", err), listener.Close())
		}
		l.upstream, cluster.Server = server.Host, "https://"+listener.Addr().String()
	}
	if err := clientcmd.WriteToFile(*file, l.kubeconfig); err != nil {
		return nil, errors.Join(fmt.Errorf("writing kubeconfig %s: %w", l.kubeconfig, err), listener.Close())
	}
	go l.accept()
	return l, nil
}

// Kubeconfig leads through the link.
func (l *Link) Kubeconfig() string { return l.kubeconfig }

// Hold keeps all bytes in these directions, from now on. They are not lost: Flush
// delivers them, also those of a client that has gone away meanwhile.
func (l *Link) Hold(d Direction) { l.change(func(f *flow) { f.held = true }, d) }

// Delay each piece of data by so much.
func (l *Link) Delay(by time.Duration) { l.change(func(f *flow) { f.delay = by }, Both) }

// Release ends what Hold began in these directions, and delivers what was held.
func (l *Link) Release(d Direction) { l.change(func(f *flow) { f.held = false }, d) }

// Flush ends what Hold and Delay began, and delivers what was held.
func (l *Link) Flush() { l.change(func(f *flow) { *f = flow{} }, Both) }

// Heal ends what Hold and Delay began; what was held is lost, and so are all
// connections.
func (l *Link) Heal() {
	l.Reset()
	l.Flush()
}

// Reset breaks all connections. New ones can be made.
func (l *Link) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for w := range l.wires {
		w.cut()
	}
}

// Held is how many bytes wait, in both directions.
func (l *Link) Held() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum := 0
	for w := range l.wires {
		sum += w.waiting()
	}
	return sum
}

// Close ends the link and all connections.
func (l *Link) Close() error {
	err := l.listener.Close()
	l.Reset()
	return err
}

func (l *Link) change(do func(*flow), d Direction) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d&Up != 0 {
		do(&l.up)
	}
	if d&Down != 0 {
		do(&l.down)
	}
	close(l.woken)
	l.woken = make(chan struct{})
}

// flow of one direction now, and a channel that is closed when it changes.
func (l *Link) flow(d Direction) (flow, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d == Up {
		return l.up, l.woken
	}
	return l.down, l.woken
}

func (l *Link) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return // closed
		}
		go l.connect(client)
	}
}

func (l *Link) connect(client net.Conn) {
	server, err := net.Dial("tcp", l.upstream)
	if err != nil {
		_ = client.Close() // as if nobody listened
		return
	}
	w := &wire{link: l, client: client, server: server, gone: make(chan struct{})}
	l.mu.Lock()
	l.wires[w] = true
	l.mu.Unlock()
	w.carry()
	l.mu.Lock()
	delete(l.wires, w)
	l.mu.Unlock()
}
