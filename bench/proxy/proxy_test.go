// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package proxy

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// TestProxy: what is not held passes with the client's token, what is held waits
// until it is released.
func TestProxy(t *testing.T) {
	upstream := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.URL.Path+" "+r.Header.Get("Authorization"))
	}))
	defer upstream.Close()
	file := clientcmdapi.NewConfig()
	file.Clusters["c"] = &clientcmdapi.Cluster{
		Server:                   upstream.URL,
		CertificateAuthorityData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: upstream.Certificate().Raw}),
	}
	file.AuthInfos["u"] = &clientcmdapi.AuthInfo{Token: "mine"}
	file.Contexts["c"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	file.CurrentContext = "c"
	own := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*file, own))

	p, err := Start(own, t.TempDir())
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	config, err := clientcmd.BuildConfigFromFlags("", p.Kubeconfig())
	require.NoError(t, err)
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	get := func(path string) string {
		response, err := client.Get(config.Host + path)
		require.NoError(t, err)
		defer func() { require.NoError(t, response.Body.Close()) }()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return string(body)
	}

	release := p.Hold(func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/configmaps") })
	require.Equal(t, "/api/v1/secrets Bearer mine", get("/api/v1/secrets"))
	answered := make(chan string, 1)
	go func() { answered <- get("/api/v1/configmaps") }()
	require.Eventually(t, func() bool { return p.Held() == 1 }, 10*time.Second, time.Millisecond)
	require.Empty(t, answered)
	release()
	require.Equal(t, "/api/v1/configmaps Bearer mine", <-answered)
	require.Equal(t, "/api/v1/configmaps Bearer mine", get("/api/v1/configmaps"))
}
