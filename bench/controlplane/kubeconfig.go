// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controlplane

import (
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// clientConfig leads to the API server but names no user. Its rate is not limited: a rig measures servers, not its own client.
func (c *ControlPlane) clientConfig() *rest.Config {
	return &rest.Config{
		Host:            "https://" + loopback(c.ports.apiServer),
		TLSClientConfig: rest.TLSClientConfig{CAData: c.keys.ca},
		QPS:             -1,
	}
}

// writeKubeconfig writes the connection with its secrets inside, so that the file is all that a process needs.
func writeKubeconfig(path string, from *rest.Config) error {
	file := clientcmdapi.NewConfig()
	file.Clusters["bench"] = &clientcmdapi.Cluster{Server: from.Host, CertificateAuthorityData: from.CAData}
	file.AuthInfos["bench"] = &clientcmdapi.AuthInfo{
		ClientCertificateData: from.CertData,
		ClientKeyData:         from.KeyData,
		Token:                 from.BearerToken,
	}
	file.Contexts["bench"] = &clientcmdapi.Context{Cluster: "bench", AuthInfo: "bench"}
	file.CurrentContext = "bench"

	if err := clientcmd.WriteToFile(*file, path); err != nil {
		return fmt.Errorf("writing kubeconfig %s: %w", path, err)
	}
	return nil
}
