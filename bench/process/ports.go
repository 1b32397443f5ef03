// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package process

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"
)

// Ports come from below the range from which Linux, macOS and Windows take the ports of outgoing connections. So no connection
// can sit on the API server's port while that server is stopped for a test.
const (
	firstPort = 20000
	portCount = 10000
	perStart  = 16
)

// nextPort counts within this process. It begins at a place given by the process number: tests of several packages run at
// the same time, and a port that was probed is not taken before the server binds it.
var nextPort = func() *atomic.Uint32 {
	var n atomic.Uint32
	n.Store(uint32(os.Getpid()*perStart) % portCount)
	return &n
}()

// FreePort returns a port on loopback that nothing listens on.
func FreePort() (int, error) {
	for range portCount {
		port := firstPort + int(nextPort.Add(1)%portCount)
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		return port, listener.Close()
	}
	return 0, errors.New("no port on loopback is free")
}
