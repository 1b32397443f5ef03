// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package proxy

import (
	"net"
	"sync"
	"time"
)

// wire is one connection through a link.
type wire struct {
	link           *Link
	client, server net.Conn
	once           sync.Once
	gone           chan struct{} // closed when it was cut

	mu   sync.Mutex
	held int
}

// piece of data, and when it came. The last one of a direction has none.
type piece struct {
	data []byte
	at   time.Time
}

// pieces is how much a direction can hold, in reads of up to 32 KiB. A link that
// is full pushes back, as a network does.
const pieces = 4096

// carry both ways until both have ended.
func (w *wire) carry() {
	var both sync.WaitGroup
	both.Go(func() { w.one(Up, w.client, w.server) })
	both.Go(func() { w.one(Down, w.server, w.client) })
	both.Wait()
	w.cut()
}

func (w *wire) one(d Direction, from, to net.Conn) {
	queue := make(chan piece, pieces)
	go func() {
		defer close(queue)
		for {
			buffer := make([]byte, 32<<10)
			n, err := from.Read(buffer)
			if n > 0 {
				w.count(n)
				select {
				case queue <- piece{buffer[:n], time.Now()}:
				case <-w.gone:
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range queue {
		if !w.ripe(d, p) {
			return
		}
		w.count(-len(p.data))
		if _, err := to.Write(p.data); err != nil {
			w.cut()
			return
		}
	}
	// The end comes after the data, and is late like it.
	if !w.ripe(d, piece{at: time.Now()}) {
		return
	}
	if half, ok := to.(*net.TCPConn); ok {
		_ = half.CloseWrite() // the other direction tells of errors
	}
}

// ripe waits until a piece may go on; false if the wire was cut before.
func (w *wire) ripe(d Direction, p piece) bool {
	for {
		f, changed := w.link.flow(d)
		var due <-chan time.Time
		if !f.held {
			wait := f.delay - time.Since(p.at)
			if wait <= 0 {
				return true
			}
			due = time.After(wait)
		}
		select {
		case <-due:
		case <-changed:
		case <-w.gone:
			return false
		}
	}
}

func (w *wire) count(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held += n
}

func (w *wire) waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.held
}

// cut both ends.
func (w *wire) cut() {
	w.once.Do(func() {
		close(w.gone)
		_, _ = w.client.Close(), w.server.Close()
	})
}
