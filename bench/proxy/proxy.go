// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package proxy stands between one client and the API server, and holds up what a
// test wants to be late.
//
// It listens on loopback with a certificate of its own, and passes the client's
// token on; it has no rights itself.
package proxy

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/cert"
)

// Proxy passes requests on, unless they are held.
type Proxy struct {
	server     *http.Server
	kubeconfig string

	mu    sync.Mutex
	holds []*hold
	held  int
}

// hold keeps matching requests until it is released.
type hold struct {
	match    func(*http.Request) bool
	released chan struct{}
}

// Start a proxy for the client of a kubeconfig. Kubeconfig is what to give to the
// client instead; it is written into dir.
func Start(kubeconfig, dir string) (*Proxy, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading kubeconfig %s: %w", kubeconfig, err)
	}
	// A client that follows the rules gives no token to a server without TLS.
	certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	if err != nil {
		return nil, fmt.Errorf("making a certificate for the proxy: %w", err)
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate of the proxy: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for the proxy: %w", err)
	}
	p := &Proxy{kubeconfig: filepath.Join(dir, filepath.Base(kubeconfig)+".proxied")}
	if err := p.serve(config, listener, pair); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return p, redirect(kubeconfig, p.kubeconfig, "https://"+listener.Addr().String(), certificate)
}

func (p *Proxy) serve(config *rest.Config, listener net.Listener, pair tls.Certificate) error {
	upstream, err := url.Parse(config.Host)
	if err != nil {
		return fmt.Errorf("finding the API server: %w", err)
	}
	// The client's own token goes through; none is added here.
	transport, err := rest.TransportFor(&rest.Config{Host: config.Host, TLSClientConfig: rest.TLSClientConfig{CAData: config.CAData}})
	if err != nil {
		return fmt.Errorf("making a transport to the API server: %w", err)
	}
	pass := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(upstream) },
		Transport:     transport,
		FlushInterval: -1, // watches are streams
	}
	p.server = &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		TLSConfig:         &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12},
		ErrorLog:          log.New(io.Discard, "", 0), // clients that were killed
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if p.wait(r) {
				pass.ServeHTTP(w, r)
			}
		}),
	}
	go func() { _ = p.server.ServeTLS(listener, "", "") }() // ends with Close, and then with no other error
	return nil
}

// redirect writes a kubeconfig that leads to the proxy.
func redirect(from, to, server string, ca []byte) error {
	file, err := clientcmd.LoadFromFile(from)
	if err != nil {
		return fmt.Errorf("reading kubeconfig %s: %w", from, err)
	}
	for _, cluster := range file.Clusters {
		cluster.Server, cluster.CertificateAuthorityData = server, ca
	}
	if err := clientcmd.WriteToFile(*file, to); err != nil {
		return fmt.Errorf("writing kubeconfig %s: %w", to, err)
	}
	return nil
}

// Kubeconfig leads to the proxy.
func (p *Proxy) Kubeconfig() string { return p.kubeconfig }

// Hold keeps all matching requests, from now on, until release is called.
func (p *Proxy) Hold(match func(*http.Request) bool) (release func()) {
	h := &hold{match, make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holds = append(p.holds, h)
	return sync.OnceFunc(func() { close(h.released) })
}

// Held is the number of requests that wait.
func (p *Proxy) Held() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held
}

// wait returns whether the request may go on: false if the client gave up.
func (p *Proxy) wait(r *http.Request) bool {
	p.mu.Lock()
	holds := append([]*hold{}, p.holds...)
	p.held++
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.held--
	}()
	for _, h := range holds {
		if !h.match(r) {
			continue
		}
		select {
		case <-h.released:
		case <-r.Context().Done():
			return false
		}
	}
	return true
}

// Close ends the proxy and all that goes through it.
func (p *Proxy) Close() error { return p.server.Close() }
