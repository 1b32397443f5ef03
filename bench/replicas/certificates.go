// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package replicas

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/util/cert"
)

// authority signs the certificates that all replicas serve.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	certificate, err := cert.NewSelfSignedCACert(cert.Config{CommonName: "banyan-bench-webhooks"}, key)
	if err != nil {
		return nil, fmt.Errorf("making an authority: %w", err)
	}
	return &authority{certificate, key}, nil
}

func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: a.certificate.Raw})
}

// issue a certificate for this machine, with its key.
func (a *authority) issue() (certificate, key []byte, serial *big.Int, err error) {
	serial, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, nil, nil, fmt.Errorf("choosing a serial number: %w", err)
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("making a key: %w", err)
	}
	template := x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: "localhost"},
		DNSNames:     []string{"localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		NotBefore:    a.certificate.NotBefore,
		NotAfter:     time.Now().AddDate(1, 0, 0),
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, a.certificate, private.Public(), a.key)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("signing a certificate: %w", err)
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("encoding a key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}), serial, nil
}

// Rotate gives all replicas another certificate of the same authority, as a kubelet
// does when the Secret behind it changes. It returns the certificate's serial number;
// replicas serve it when they notice.
func (s *Set) Rotate() (*big.Int, error) {
	certificate, key, serial, err := s.authority.issue()
	if err != nil {
		return nil, err
	}
	return serial, errors.Join(s.writeCert("tls.key", key), s.writeCert("tls.crt", certificate))
}

// writeCert replaces a file at once: nobody reads half of it.
func (s *Set) writeCert(name string, content []byte) error {
	path := filepath.Join(s.certDir(), name)
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return fmt.Errorf("writing a certificate: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("writing a certificate: %w", err)
	}
	return nil
}

func (s *Set) certDir() string { return filepath.Join(s.options.Dir, "certs") }
