// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/gate"
)

// TestConnectionsAreApart: each way to the API server has a socket of its own, and
// when writes are dropped, one that is under way breaks at once while a watch goes on.
func TestConnectionsAreApart(t *testing.T) {
	const bound = time.Minute // whatever breaks here does not time out
	var mu sync.Mutex
	from := map[string]string{} // who came, and from which socket
	arrived, leave := make(chan string, 8), make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		from[r.URL.Path] = r.RemoteAddr
		mu.Unlock()
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		arrived <- r.URL.Path
		select {
		case <-leave:
		case <-r.Context().Done():
		}
	}))
	server.EnableHTTP2 = true // one socket for all that share a transport
	server.StartTLS()
	defer server.Close()
	finish := sync.OnceFunc(func() { close(leave) })
	defer finish()

	clock := func() shard.Instant { return time.Second }
	g := gate.New(1, bound, bound+shard.GuardSlack, clock)
	g.Publish(shard.NewHolding("a/uid/one", time.Hour, map[shard.ID]int64{0: 1}))
	o := &options{kubeconfig: kubeconfigFor(t, server)}
	o.member.WriteTimeout = bound
	c, err := connect(o, g)
	require.NoError(t, err)

	ctx, end, err := g.Begin(t.Context(), 0)
	require.NoError(t, err)
	defer end()
	bodies := map[string]io.ReadCloser{}
	for path, way := range map[string]struct {
		config *rest.Config
		ctx    context.Context
		method string
	}{
		"/reads":   {c.reads, t.Context(), http.MethodGet},
		"/leases":  {c.leases, t.Context(), http.MethodPut},
		"/reviews": {c.reviews, t.Context(), http.MethodGet},
		"/writes":  {c.writes, ctx, http.MethodPut},
	} {
		client, err := rest.HTTPClientFor(way.config)
		require.NoError(t, err)
		request, err := http.NewRequestWithContext(way.ctx, way.method, server.URL+path, http.NoBody)
		require.NoError(t, err)
		response, err := client.Do(request)
		require.NoError(t, err)
		defer func() { _ = response.Body.Close() }()
		bodies[path] = response.Body
		require.Equal(t, path, <-arrived)
	}
	sockets := map[string]string{}
	for path, socket := range from {
		require.Emptyf(t, sockets[socket], "%s has the same socket", path)
		sockets[socket] = path
	}

	c.dropWrites()
	_, err = io.ReadAll(bodies["/writes"])
	require.Error(t, err, "the write that was under way is cut off")
	finish()
	for _, path := range []string{"/reads", "/leases", "/reviews"} {
		_, err = io.ReadAll(bodies[path])
		require.NoErrorf(t, err, "%s goes on", path)
	}
}

func kubeconfigFor(t *testing.T, server *httptest.Server) string {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["here"] = &clientcmdapi.Cluster{Server: server.URL, InsecureSkipTLSVerify: true}
	config.Contexts["here"] = &clientcmdapi.Context{Cluster: "here"}
	config.CurrentContext = "here"
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, file))
	return file
}
