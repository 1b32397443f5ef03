// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controlplane

import (
	"fmt"

	"github.com/banyan-hns/banyan/bench/process"
)

// ports are where the servers listen, on 127.0.0.1.
type ports struct {
	etcdClient, etcdPeer, apiServer int
}

func choosePorts() (ports, error) {
	var chosen [3]int
	for i := range chosen {
		port, err := process.FreePort()
		if err != nil {
			return ports{}, fmt.Errorf("choosing ports: %w", err)
		}
		chosen[i] = port
	}
	return ports{etcdClient: chosen[0], etcdPeer: chosen[1], apiServer: chosen[2]}, nil
}

func loopback(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
