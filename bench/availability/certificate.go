// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/banyan-hns/banyan/bench/rig"
)

// served is what replicas showed to whoever asked.
type served struct {
	certificates map[string]bool // serial numbers
	authorities  map[string]bool // key IDs
}

// watchCertificates of all ready replicas, until the context ends.
func (m *measurement) watchCertificates(ctx context.Context) served {
	seen := served{map[string]bool{}, map[string]bool{}}
	for rig.Pause(ctx, time.Second) == nil {
		for _, name := range m.Set.Ready() {
			// One that does not answer is what the others look for.
			if certificate, err := m.certificate(ctx, name); err == nil {
				seen.certificates[certificate.SerialNumber.String()] = true
				seen.authorities[string(certificate.AuthorityKeyId)] = true
			}
		}
	}
	return seen
}

// certificate that a replica shows.
func (m *measurement) certificate(ctx context.Context, name string) (*x509.Certificate, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	dialer := tls.Dialer{
		NetDialer: &net.Dialer{},
		Config:    &tls.Config{InsecureSkipVerify: true}, // whether it can be trusted, the API server finds out
	}
	conn, err := dialer.DialContext(ctx, "tcp", strings.TrimPrefix(m.Set.WebhookURL(name), "https://"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0], nil
}

// rotateFiles gives replicas another certificate now and then, until the context ends.
// Each time it waits until all that are ready serve it.
func (m *measurement) rotateFiles(ctx context.Context) error {
	for rig.Pause(ctx, m.rotate) == nil {
		serial, err := m.Set.Rotate()
		if err != nil {
			return err
		}
		err = m.until(ctx, "all replicas serve the new certificate", func(ctx context.Context) error {
			for _, name := range m.Set.Ready() {
				certificate, err := m.certificate(ctx, name)
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				if certificate.SerialNumber.Cmp(serial) != 0 {
					return fmt.Errorf("%s serves certificate %v, not %v", name, certificate.SerialNumber, serial)
				}
			}
			return nil
		})
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}
