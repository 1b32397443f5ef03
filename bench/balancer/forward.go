// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package balancer

import (
	"context"
	"io"
	"net"
	"sync"
)

// forward carries bytes both ways until both sides have finished, one of them breaks, or the context ends. It closes both.
func (b *Balancer) forward(ctx context.Context, client net.Conn) {
	defer client.Close()

	backend, ok := b.next()
	if !ok || !b.opened(client, backend.Name) {
		b.closed(client)
		return
	}
	defer b.closed(client)
	var dialer net.Dialer
	server, err := dialer.DialContext(ctx, "tcp", backend.Addr)
	if err != nil {
		return // dead but not yet probed: the client sees a closed connection, as it would see a refused one
	}
	defer server.Close()

	stop := context.AfterFunc(ctx, func() {
		_ = client.Close()
		_ = server.Close()
	})
	defer stop()

	var both sync.WaitGroup
	both.Go(func() { carry(server, client) })
	both.Go(func() { carry(client, server) })
	both.Wait()
}

// carry copies one direction. An orderly end passes on as a half-close, so that a side that has said all it had may still listen; a
// broken connection ends both directions.
func carry(to, from net.Conn) {
	_, err := io.Copy(to, from)
	if half, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
		_ = half.CloseWrite()
		return
	}
	_ = to.Close()
	_ = from.Close()
}
